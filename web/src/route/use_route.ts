import { useMemo, useSyncExternalStore } from "react";
import { formatRoute, parseRoute, type Route } from "./route";

function subscribe(call: () => void): () => void {
  window.addEventListener("hashchange", call);
  return () => window.removeEventListener("hashchange", call);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

export function goTo(route: Route): void {
  window.location.hash = formatRoute(route);
}

/** Without a step in the browser's history: for what is typed letter by letter. */
export function replaceRoute(route: Route): void {
  window.history.replaceState(null, "", formatRoute(route));
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}
