import type { Fix, Job, Why } from "../../api/types";
import { useWhy } from "../../state/use_live";

const kBy: Record<string, string> = {
  owner: "you",
  time: "time",
  request: "the request",
  operator: "an operator",
};

const kWaits: readonly Job["status"][] = ["pending", "suspended"];

/** Why it waits, when it could start, and the smallest changes that would start it. */
export function WhySection({ job }: { job: Job }) {
  const waits = kWaits.includes(job.status);
  const { data: why, problem } = useWhy(job.name);
  if (!waits && !why?.stopped && !why?.primary_reason) return null;
  return (
    <section className="why" aria-label="Why it waits" aria-busy={!why}>
      <h3>{waits ? "Why it waits" : "What is going on"}</h3>
      {why ? <Answer why={why} waits={waits} /> : <p className="muted">{problem || "Asking…"}</p>}
    </section>
  );
}

function Answer({ why, waits }: { why: Why; waits: boolean }) {
  return (
    <>
      <p className="why-reason">
        {why.primary_reason?.text ?? (waits ? "It fits now; the next cycle decides." : "")}
      </p>
      {why.other_reasons.length > 0 ? (
        <ul className="why-others">
          {why.other_reasons.map((reason) => (
            <li key={reason.text}>{reason.text}</li>
          ))}
        </ul>
      ) : null}
      {why.stopped ? <p className="why-stopped">{why.stopped.text}</p> : null}
      {why.eta ? (
        <p>
          <span className="why-label">When</span> {why.eta.text}
        </p>
      ) : null}
      {waits ? <Fixes fixes={why.fixes} phase={why.phase} /> : null}
    </>
  );
}

function Fixes({ fixes, phase }: { fixes: Fix[]; phase: string }) {
  if (fixes.length === 0) {
    if (phase !== "pending") return null;
    return <p className="muted">No single change lets it start now.</p>;
  }
  return (
    <>
      <h4>What would start it</h4>
      <ul className="fixes">
        {fixes.map((fix) => (
          <li key={fix.text}>
            <span className="chip fix-by">{kBy[fix.by] ?? fix.by}</span> {fix.text}
          </li>
        ))}
      </ul>
    </>
  );
}
