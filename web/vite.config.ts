import react from "@vitejs/plugin-react";
import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => {
  // `npm run dev` asks the server that BERTH_SERVER names; by default `berth server --dev`.
  const { BERTH_SERVER: server = "http://127.0.0.1:7700" } = loadEnv(mode, ".", "BERTH_");
  return {
    plugins: [react()],
    // The server's policy (src/server/files.cc) runs and shows nothing that is written into the page.
    build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    server: { proxy: { "/v1": server, "/healthz": server, "/readyz": server } },
    test: { environment: "node", include: ["src/**/*.test.ts"] },
  };
});
