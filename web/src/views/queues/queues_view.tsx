import {
  figuresOf,
  holdsItself,
  inOrder,
  namesUnder,
  scaleOf,
  type QueueNode,
} from "../../domain/queue_tree";
import { showCards, showCount, toCards } from "../../domain/numbers";
import { Empty } from "../../parts/empty";
import { QuotaBar } from "../../parts/quota_bar";
import { colourClass, Swatch } from "../../parts/swatch";
import { WaitingFor } from "../../parts/waiting_for";
import { formatRoute, type Route } from "../../route/route";
import { useQueues, type QueueTree } from "../../state/use_live";

export function QueuesView({ route }: { route: Route }) {
  const queues = useQueues();
  if (!queues.data) return <WaitingFor what="queues" problem={queues.problem} />;
  if (queues.data.length === 0)
    return <Empty title="No queues yet">Declare one with `berth apply`.</Empty>;
  const lit = namesUnder(queues.roots, route.queue);
  const rows = inOrder(queues.roots).filter((node) => !lit || lit.has(node.queue.name));
  return (
    <section className="view" aria-label="Quota tree">
      <div className="table-box">
        <table className="table queues-table">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col" className="wide">
                Used, guarantee, fair share
              </th>
              <th scope="col" className="number">
                Used
              </th>
              <th scope="col" className="number">
                Guarantee
              </th>
              <th scope="col" className="number">
                Borrowed
              </th>
              <th scope="col" className="number">
                Fair share
              </th>
              <th scope="col" className="number hide-narrow">
                Demand
              </th>
              <th scope="col" className="number">
                Run
              </th>
              <th scope="col" className="number">
                Wait
              </th>
              <th scope="col" className="number hide-narrow">
                Weight
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((node) => (
              <QueueRows key={node.queue.name} node={node} route={route} queues={queues} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="note">
        Amounts are cards, with all queues below. The fair share is what a queue is due as things
        stand: its guarantee first, then idle cards by weight.
      </p>
    </section>
  );
}

function QueueRows({ node, route, queues }: { node: QueueNode; route: Route; queues: QueueTree }) {
  const { queue } = node;
  const figures = figuresOf(queue);
  const quotas = queue.quotas ?? [];
  const scale = scaleOf(queues.data ?? []);
  const colour = holdsItself(node) ? queues.colours.get(queue.name) : undefined;
  return (
    <>
      <tr className={colourClass(colour)}>
        <th scope="row" className={`depth-${Math.min(node.depth, 5)}`}>
          <a
            className="queue-label"
            href={formatRoute({ ...route, view: "jobs", queue: queue.name })}
          >
            {holdsItself(node) ? <Swatch colour={colour} /> : null}
            {queue.name}
          </a>
        </th>
        <td className="wide">
          <QuotaBar figures={figures} scale={scale} />
        </td>
        <td className="number cell-used">{showCards(figures.used)}</td>
        <td className="number cell-guarantee">{showCards(figures.guarantee)}</td>
        <td className="number cell-more">
          {figures.borrowed > 0 ? showCards(figures.borrowed) : <Nothing />}
        </td>
        <td className="number cell-more">{showCards(figures.share)}</td>
        <td className="number hide-narrow">{showCards(figures.demand)}</td>
        <td className="number cell-run">
          {queue.running > 0 ? showCount(queue.running) : <Nothing />}
        </td>
        <td className="number cell-wait">
          {queue.waiting > 0 ? (
            <strong className="tone-waits">{showCount(queue.waiting)}</strong>
          ) : (
            <Nothing />
          )}
        </td>
        <td className="number hide-narrow">{queue.weight ?? 1}</td>
      </tr>
      {quotas.length > 1
        ? quotas.map((quota) => (
            <tr key={`${quota.model ?? ""}/${quota.partition ?? ""}`} className="quota-line">
              <td className={`depth-${Math.min(node.depth + 1, 5)}`} colSpan={2}>
                {quota.model || "any model"}
                {quota.partition ? ` in ${quota.partition}` : ""}
              </td>
              <td className="number">{showCards(toCards(quota.used))}</td>
              <td className="number">{showCards(toCards(quota.guarantee))}</td>
              <td className="number">{showCards(toCards(quota.borrowed))}</td>
              <td colSpan={5} />
            </tr>
          ))
        : null}
    </>
  );
}

function Nothing() {
  return <span className="nothing">0</span>;
}
