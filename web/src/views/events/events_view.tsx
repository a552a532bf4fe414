import { useMemo, useState } from "react";
import { kMostEvents } from "../../api/client";
import type { ClusterEvent } from "../../api/types";
import { namesUnder } from "../../domain/queue_tree";
import { plural } from "../../domain/numbers";
import { Empty } from "../../parts/empty";
import { EventList } from "../../parts/event_list";
import { WaitingFor } from "../../parts/waiting_for";
import type { Route } from "../../route/route";
import { useCluster, useNewEvents, useOldEvents, useQueues } from "../../state/use_live";
import { joined } from "./joined";

export function EventsView({ route }: { route: Route }) {
  const { data: cluster } = useCluster();
  const old = useOldEvents(cluster?.revision);
  const fresh = useNewEvents();
  const { roots } = useQueues();
  const [text, setText] = useState("");
  const events = useMemo(() => joined(fresh, old.data ?? [], kMostEvents), [fresh, old.data]);
  if (!old.data) return <WaitingFor what="events" problem={old.problem} />;
  const lit = namesUnder(roots, route.queue);
  const shown = events.filter(
    (event) => (!lit || (event.queue && lit.has(event.queue))) && holds(event, text),
  );
  return (
    <section className="view" aria-label="Events">
      <div className="filters" role="search">
        <input
          type="search"
          aria-label="Search events"
          placeholder="Job, node, kind or text"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="filter-count muted" role="status">
          the last {plural(shown.length, "event")}
        </span>
      </div>
      {shown.length > 0 ? (
        <EventList events={shown} now={cluster?.now} withSubject="with-subject" />
      ) : (
        <Empty title="No such events" />
      )}
    </section>
  );
}

function holds(event: ClusterEvent, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return true;
  return [event.type, event.job, event.node, event.message].some((field) =>
    field?.toLowerCase().includes(wanted),
  );
}
