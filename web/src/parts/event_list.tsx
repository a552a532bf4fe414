import type { ClusterEvent } from "../api/types";
import { showMoment } from "../domain/times";

export function EventList(props: {
  events: readonly ClusterEvent[];
  now: string | undefined;
  withSubject?: "with-subject";
}) {
  return (
    <ol className="event-list">
      {props.events.map((event) => (
        <li key={event.revision}>
          <time dateTime={event.at}>{showMoment(event.at, props.now)}</time>
          <span className="event-type">{event.type}</span>
          <span className="event-text">
            {props.withSubject ? <Subject event={event} /> : null}
            {event.message}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Subject({ event }: { event: ClusterEvent }) {
  if (event.job) {
    return <a href={`#/jobs/${encodeURIComponent(event.job)}`}>{event.job}</a>;
  }
  if (event.node) {
    return <a href={`#/fleet/${encodeURIComponent(event.node)}`}>{event.node}</a>;
  }
  return null;
}
