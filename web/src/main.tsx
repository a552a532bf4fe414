import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./shell/app";
import { live } from "./state/live";
import "./styles/colours.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/shell.css";
import "./styles/fleet.css";
import "./styles/queues.css";
import "./styles/jobs.css";
import "./styles/receipts.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
live.start();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
