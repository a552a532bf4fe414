import type { Job, Lease } from "../../api/types";
import { showCards, toCards } from "../../domain/numbers";
import { showAge } from "../../domain/times";
import { EventList } from "../../parts/event_list";
import { Facts } from "../../parts/facts";
import { Panel } from "../../parts/panel";
import { QueueLabel } from "../../parts/queue_label";
import { StatusChip } from "../../parts/status_chip";
import { WaitingFor } from "../../parts/waiting_for";
import { formatRoute, type Route } from "../../route/route";
import { useCluster, useJob, useJobEvents, useQueues } from "../../state/use_live";
import { JobActions } from "./job_actions";
import { WhySection } from "./why_section";

export function JobPanel(props: { name: string; route: Route; onClose: () => void }) {
  const { name, onClose } = props;
  const { data: job, problem } = useJob(name);
  return (
    <Panel title={name} label={`Job ${name}`} onClose={onClose}>
      {job ? <Details job={job} /> : <WaitingFor what={`job ${name}`} problem={problem} />}
    </Panel>
  );
}

function Details({ job }: { job: Job }) {
  const { colours } = useQueues();
  const { data: cluster } = useCluster();
  const now = cluster?.now;
  const hasEnded = job.ended_at !== undefined;
  return (
    <>
      <div className="panel-top">
        <StatusChip job={job} />
        <QueueLabel name={job.queue} colours={colours} />
        <span className="muted">{job.class}</span>
      </div>
      {hasEnded ? null : <JobActions job={job} />}
      {hasEnded ? null : <WhySection job={job} />}
      <Facts
        facts={[
          ["Asks for", asks(job)],
          ["Place", job.place],
          ["Submitted", `${showAge(job.submitted_at, now)} ago`],
          ["Started", job.started_at ? `${showAge(job.started_at, now)} ago` : ""],
          ["Ended", job.ended_at ? `${showAge(job.ended_at, now)} ago` : ""],
          ["Ran for", job.ended_at && job.started_at ? showAge(job.started_at, job.ended_at) : ""],
          ["Priority", job.priority ? String(job.priority) : ""],
          ["Earlier starts", job.attempts ? String(job.attempts) : ""],
        ]}
      />
      <Leases leases={job.leases ?? []} now={now} />
      <Events name={job.name} now={now} />
    </>
  );
}

function asks(job: Job): string {
  const cards = `${showCards(toCards(job.cards))} ${toCards(job.cards) === 1 ? "card" : "cards"}`;
  return job.tasks === 1
    ? cards
    : `${cards} in ${job.tasks} tasks, ${job.running_tasks} of them run`;
}

function Leases({ leases, now }: { leases: Lease[]; now: string | undefined }) {
  if (leases.length === 0) return null;
  return (
    <section className="section">
      <h3>Leases</h3>
      <table className="table small-table">
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Place</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              For
            </th>
          </tr>
        </thead>
        <tbody>
          {leases.map((lease) => (
            <tr key={lease.id}>
              <td>
                {lease.role} {lease.task}
              </td>
              <td>
                <a href={formatRoute({ view: "fleet", item: lease.node })}>{lease.place}</a>
              </td>
              <td>
                {lease.state}
                <span className="muted"> {lease.ownership}</span>
              </td>
              <td className="number">{showAge(lease.started_at ?? lease.granted_at, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

// Of those that a long life has brought, the last.
const kShown = 40;

function Events({ name, now }: { name: string; now: string | undefined }) {
  const { data: events } = useJobEvents(name);
  if (!events || events.length === 0) return null;
  return (
    <section className="section">
      <h3>
        Events {events.length > kShown ? <span className="muted">the last {kShown}</span> : null}
      </h3>
      <EventList events={events.slice(-kShown).reverse()} now={now} />
    </section>
  );
}
