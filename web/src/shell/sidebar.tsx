import { figuresOf, holdsItself, inOrder, scaleOf, type QueueNode } from "../domain/queue_tree";
import { showCards, showCount } from "../domain/numbers";
import { QuotaBar } from "../parts/quota_bar";
import { colourClass, Swatch } from "../parts/swatch";
import { formatRoute, type Route } from "../route/route";
import { useQueues, type QueueTree } from "../state/use_live";

/** The quota tree: the legend of all colours, and the filter of all views. */
export function Sidebar({ route }: { route: Route }) {
  const queues = useQueues();
  const { item: _item, queue: _queue, ...unfiltered } = route;
  return (
    <nav className="sidebar" aria-label="Queues">
      <div className="sidebar-head">
        <h2>Queues</h2>
        {route.queue ? (
          <a className="clear-filter" href={formatRoute(unfiltered)}>
            Show all
          </a>
        ) : null}
      </div>
      <ul className="queue-tree">
        {inOrder(queues.roots).map((node) => (
          <Row key={node.queue.name} node={node} route={route} queues={queues} />
        ))}
      </ul>
      <Key />
    </nav>
  );
}

function Row({ node, route, queues }: { node: QueueNode; route: Route; queues: QueueTree }) {
  const { queue, depth } = node;
  const figures = figuresOf(queue);
  const colour = holdsItself(node) ? queues.colours.get(queue.name) : undefined;
  const isChosen = route.queue === queue.name;
  const { item: _item, queue: _queue, ...rest } = route;
  const target = formatRoute(isChosen ? rest : { ...rest, queue: queue.name });
  return (
    <li className={`depth-${Math.min(depth, 5)}`}>
      <a
        href={target}
        className={`queue-row ${colourClass(colour)}`}
        aria-current={isChosen ? "true" : undefined}
      >
        <span className="queue-name">
          {holdsItself(node) ? <Swatch colour={colour} /> : null}
          <span className="ellipsis">{queue.name}</span>
        </span>
        <span className="queue-cards">
          {showCards(figures.used)}
          <span className="muted"> / {showCards(figures.guarantee)}</span>
        </span>
        <QuotaBar figures={figures} scale={scaleOf(queues.data ?? [])} />
        <span className="queue-counts">
          {showCount(queue.running)} run
          {queue.waiting > 0 ? (
            <span className="tone-waits"> · {showCount(queue.waiting)} wait</span>
          ) : null}
        </span>
      </a>
    </li>
  );
}

function Key() {
  return (
    <ul className="key" aria-label="What the bars mean">
      <li>
        <span className="key-own" /> used
      </li>
      <li>
        <span className="key-borrowed" /> borrowed
      </li>
      <li>
        <span className="key-guarantee" /> guarantee
      </li>
      <li>
        <span className="key-share" /> fair share
      </li>
    </ul>
  );
}
