import type { Job } from "../api/types";

const kTones: Record<string, string> = {
  pending: "waits",
  suspended: "waits",
  preparing: "moves",
  releasing: "moves",
  repairing: "bad",
  running: "good",
  succeeded: "quiet",
  failed: "bad",
  cancelled: "quiet",
};

export function StatusChip({ job }: { job: Job }) {
  // What already runs goes on; that it is held matters once it would start again.
  const held = job.held ? <span className="chip held">held</span> : null;
  if (held && job.status === "pending") return held;
  return (
    <>
      <span className={`chip ${kTones[job.status] ?? "quiet"}`}>{job.status}</span> {held}
    </>
  );
}
