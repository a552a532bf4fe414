import { Empty } from "./empty";

/** Instead of data that is not there yet: still asked for, or refused. */
export function WaitingFor({ what, problem }: { what: string; problem: string }) {
  if (problem) return <Empty title={`No ${what}`}>{problem}</Empty>;
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading {what}</span>
      <span className="skeleton" />
      <span className="skeleton" />
      <span className="skeleton" />
    </div>
  );
}
