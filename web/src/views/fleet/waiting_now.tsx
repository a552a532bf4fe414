import { plural } from "../../domain/numbers";
import { formatRoute, type Route } from "../../route/route";
import { useJobs } from "../../state/use_live";
import { JobTable } from "../jobs/job_table";

// So many are shown under the map; the others are a press away.
const kShown = 8;

/** Those that have waited longest, each with its reason. */
export function WaitingNow({ route }: { route: Route }) {
  const queue = route.queue ? { queue: route.queue } : {};
  const { data } = useJobs({ status: "pending", ...queue });
  if (!data || data.items.length === 0) return null;
  const all: Route = { view: "jobs", status: "pending", ...queue };
  return (
    <section className="waiting-now view" aria-label="Jobs that wait">
      <header>
        <h2>{plural(data.items.length, "job waits", "jobs wait")}</h2>
        <span className="muted">those that have waited longest</span>
        <a href={formatRoute(all)}>All of them</a>
      </header>
      <JobTable jobs={data.items.slice(0, kShown)} route={{ view: "jobs", ...queue }} />
    </section>
  );
}
