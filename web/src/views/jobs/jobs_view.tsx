import { useMemo } from "react";
import { kMostJobs } from "../../api/client";
import { showCount } from "../../domain/numbers";
import { Empty } from "../../parts/empty";
import { WaitingFor } from "../../parts/waiting_for";
import { goTo } from "../../route/use_route";
import type { Route } from "../../route/route";
import { useJobs } from "../../state/use_live";
import { FilterBar } from "./filter_bar";
import { filterOf, inReadingOrder, matchesText } from "./job_filter";
import { JobPanel } from "./job_panel";
import { JobTable } from "./job_table";

export function JobsView({ route }: { route: Route }) {
  const page = useJobs(filterOf(route));
  const jobs = useMemo(
    () => inReadingOrder((page.data?.items ?? []).filter((job) => matchesText(job, route.text))),
    [page.data, route.text],
  );
  const { item: _item, ...closed } = route;
  return (
    <div className={`split ${route.item ? "has-panel" : ""}`}>
      <section className="view" aria-label="Jobs">
        <FilterBar route={route} count={page.data ? jobs.length : undefined} />
        {page.data?.next ? (
          <p className="note">
            Only the first {showCount(kMostJobs)} jobs are listed; choose a queue or a state.
          </p>
        ) : null}
        {!page.data ? (
          <WaitingFor what="jobs" problem={page.problem} />
        ) : jobs.length > 0 ? (
          <JobTable jobs={jobs} route={route} />
        ) : (
          <Empty title="No such jobs">
            {route.queue || route.status || route.text
              ? "Nothing passes the filters."
              : "Submit one with `berth submit job.yaml`."}
          </Empty>
        )}
      </section>
      {route.item ? (
        <JobPanel key={route.item} name={route.item} route={route} onClose={() => goTo(closed)} />
      ) : null}
    </div>
  );
}
