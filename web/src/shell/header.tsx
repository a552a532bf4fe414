import { useState } from "react";
import { formatRoute, kViews, type Route, type View } from "../route/route";
import { ClusterFigures } from "./cluster_figures";
import { ConnectionState } from "./connection_state";
import { TokenDialog } from "./token_dialog";

const kNames: Record<View, string> = {
  fleet: "Fleet",
  queues: "Queues",
  jobs: "Jobs",
  receipts: "Receipts",
  events: "Events",
};

export function Header({ route }: { route: Route }) {
  const [asksToken, setAsksToken] = useState(false);
  return (
    <header className="header">
      <a className="brand" href="#/fleet" aria-label="Berth, fleet">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path className="brand-dock" d="M8 6v16a3 3 0 0 0 3 3h10a3 3 0 0 0 3-3V6" />
          <rect x="12" y="7" width="8" height="5.4" rx="1.2" />
          <rect x="12" y="14.6" width="8" height="5.4" rx="1.2" />
        </svg>
        Berth
      </a>
      <nav className="tabs" aria-label="Views">
        {kViews.map((view) => (
          <a
            key={view}
            href={formatRoute({ view, ...(route.queue ? { queue: route.queue } : {}) })}
            aria-current={view === route.view ? "page" : undefined}
          >
            {kNames[view]}
          </a>
        ))}
      </nav>
      <ClusterFigures />
      <ConnectionState />
      <button
        type="button"
        className="quiet-button token-button"
        onClick={() => setAsksToken(true)}
      >
        Token
      </button>
      {asksToken ? <TokenDialog onClose={() => setAsksToken(false)} /> : null}
    </header>
  );
}
