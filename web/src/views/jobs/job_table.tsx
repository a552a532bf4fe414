import { memo, useState } from "react";
import type { Job } from "../../api/types";
import type { Colours } from "../../domain/colours";
import { showCards, toCards } from "../../domain/numbers";
import { showAge } from "../../domain/times";
import { QueueLabel } from "../../parts/queue_label";
import { StatusChip } from "../../parts/status_chip";
import { formatRoute, type Route } from "../../route/route";
import { useCluster, useQueues } from "../../state/use_live";

// Rows that are drawn at first, and more of them at a press.
const kRows = 200;

export function JobTable({ jobs, route }: { jobs: readonly Job[]; route: Route }) {
  const [rows, setRows] = useState(kRows);
  const { colours } = useQueues();
  const { data: cluster } = useCluster();
  return (
    <>
      <div className="table-box">
        <table className="table jobs-table" onKeyDown={moveRow}>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">State</th>
              <th scope="col">Queue</th>
              <th scope="col" className="hide-narrow">
                Class
              </th>
              <th scope="col" className="number">
                Cards
              </th>
              <th scope="col" className="wide">
                Place, or why it waits
              </th>
              <th scope="col" className="number">
                Since
              </th>
              <th scope="col" className="number hide-medium">
                Age
              </th>
            </tr>
          </thead>
          <tbody>
            {jobs.slice(0, rows).map((job) => (
              <JobRow
                key={job.id}
                job={job}
                colours={colours}
                target={formatRoute({ ...route, item: job.name })}
                isChosen={route.item === job.name}
                {...ages(job, cluster?.now)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {jobs.length > rows ? (
        <button type="button" className="button more" onClick={() => setRows(rows + kRows)}>
          Show {Math.min(kRows, jobs.length - rows)} more of {jobs.length}
        </button>
      ) : null}
    </>
  );
}

/** In the state that it is in, and since it was submitted. */
function ages(job: Job, now: string | undefined): { since: string; age: string } {
  const age = showAge(job.submitted_at, job.ended_at ?? now);
  if (job.ended_at) return { since: showAge(job.ended_at, now), age };
  if (job.place && job.started_at) return { since: showAge(job.started_at, now), age };
  return { since: age, age };
}

interface RowProps {
  job: Job;
  colours: Colours;
  target: string;
  isChosen: boolean;
  since: string;
  age: string;
}

const JobRow = memo(function JobRow({ job, colours, target, isChosen, since, age }: RowProps) {
  const tasks = job.tasks > 1 ? ` (${job.running_tasks} of ${job.tasks} tasks)` : "";
  return (
    <tr
      className={isChosen ? "row-chosen" : ""}
      data-job={job.name}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest("a")) window.location.hash = target;
      }}
    >
      <th scope="row">
        <a href={target} className="ellipsis" aria-current={isChosen ? "true" : undefined}>
          {job.name}
        </a>
      </th>
      <td className="cell-state">
        <StatusChip job={job} />
      </td>
      <td className="cell-queue">
        <QueueLabel name={job.queue} colours={colours} />
      </td>
      <td className="hide-narrow muted">{job.class}</td>
      <td className="number cell-cards">{showCards(toCards(job.cards))}</td>
      <td className="wide cell-why">
        {job.place ? (
          <span className="place">
            {job.place}
            <span className="muted">{tasks}</span>
          </span>
        ) : (
          <span className="reason">{job.reason ?? ""}</span>
        )}
      </td>
      <td className="number cell-since">{since}</td>
      <td className="number hide-medium muted">{age}</td>
    </tr>
  );
});

/** Up and down among the names; Escape closes what is open. */
function moveRow(event: React.KeyboardEvent<HTMLElement>): void {
  const row = (event.target as HTMLElement).closest("tr");
  const other =
    event.key === "ArrowDown"
      ? row?.nextElementSibling
      : event.key === "ArrowUp"
        ? row?.previousElementSibling
        : undefined;
  const link = other?.querySelector<HTMLElement>("th a");
  if (!link) return;
  event.preventDefault();
  link.focus();
}
