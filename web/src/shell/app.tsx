import { useEffect } from "react";
import { useRoute } from "../route/use_route";
import { EventsView } from "../views/events/events_view";
import { FleetView } from "../views/fleet/fleet_view";
import { JobsView } from "../views/jobs/jobs_view";
import { QueuesView } from "../views/queues/queues_view";
import { ReceiptsView } from "../views/receipts/receipts_view";
import type { Route, View } from "../route/route";
import { ConnectionBanner } from "./connection_banner";
import { FilterNote } from "./filter_note";
import { Header } from "./header";
import { Sidebar } from "./sidebar";

const kShown: Record<View, (props: { route: Route }) => React.ReactNode> = {
  fleet: FleetView,
  queues: QueuesView,
  jobs: JobsView,
  receipts: ReceiptsView,
  events: EventsView,
};

export function App() {
  const route = useRoute();
  const Shown = kShown[route.view];
  useEffect(() => {
    document.title = `${route.item ?? route.view} – Berth`;
  }, [route]);
  return (
    <div className="app">
      <a className="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Header route={route} />
      <ConnectionBanner />
      <div className="below">
        <Sidebar route={route} />
        <main id="main" tabIndex={-1}>
          <FilterNote route={route} />
          <Shown route={route} />
        </main>
      </div>
    </div>
  );
}

// The address holds the route, so the link itself must not change it.
function skipToMain(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
