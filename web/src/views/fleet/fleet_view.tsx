import { useMemo } from "react";
import type { FleetNode } from "../../api/types";
import { byName, fleetTree, givenOf, type Domain } from "../../domain/fleet_tree";
import { plural, showCards, showCount, showShare } from "../../domain/numbers";
import { namesUnder } from "../../domain/queue_tree";
import { Empty } from "../../parts/empty";
import { WaitingFor } from "../../parts/waiting_for";
import { goTo, useRoute } from "../../route/use_route";
import type { Route } from "../../route/route";
import { useNodes, useQueues } from "../../state/use_live";
import { CardTip, useTip } from "./card_tip";
import { moveFocus } from "./keys";
import { NodePanel } from "./node_panel";
import { NodeTile } from "./node_tile";
import { WaitingNow } from "./waiting_now";

// Above so many nodes the tiles are drawn small.
const kManyNodes = 120;

export function FleetView({ route }: { route: Route }) {
  const nodes = useNodes();
  const tree = useMemo(() => fleetTree(nodes.data ?? []), [nodes.data]);
  const tip = useTip();
  if (!nodes.data) return <WaitingFor what="nodes" problem={nodes.problem} />;
  if (nodes.data.length === 0) {
    return <Empty title="No nodes yet">A node appears here when its agent connects.</Empty>;
  }
  const chosen = nodes.data.find((node) => node.name === route.item);
  const { item: _item, ...closed } = route;
  return (
    <div className={`split ${chosen ? "has-panel" : ""}`}>
      <section className="fleet" aria-label="Fleet map">
        <Models nodes={nodes.data} />
        <div
          className={nodes.data.length > kManyNodes ? "map map-dense" : "map"}
          onKeyDown={moveFocus}
          onScroll={tip.hide}
          {...tip.handlers}
        >
          {tree.map((domain) => (
            <DomainBox
              key={`${domain.level}/${domain.name}`}
              domain={domain}
              route={route}
              bare={tree.length === 1 ? "fleet" : "without a domain"}
            />
          ))}
        </div>
        <MapKey />
        <WaitingNow route={route} />
        <CardTip at={tip.at} nodes={nodes.data} />
      </section>
      {chosen ? <NodePanel node={chosen} route={route} onClose={() => goTo(closed)} /> : null}
    </div>
  );
}

/** `bare`: what nodes without a domain are called. */
function DomainBox(props: { domain: Domain; route: Route; bare: string }) {
  const { domain, route } = props;
  const title = domain.level ? `${domain.level} ${domain.name}` : props.bare;
  return (
    <section className={domain.domains.length > 0 ? "domain domain-outer" : "domain"}>
      <header className="domain-head">
        <h3>{title}</h3>
        <span className="muted">
          {domain.cards > 0
            ? `${showCards(domain.given)} of ${plural(domain.cards, "card")}`
            : "no cards"}
        </span>
      </header>
      {domain.domains.length > 0 ? (
        <div className="domain-inner">
          {domain.domains.map((inner) => (
            <DomainBox
              key={`${inner.level}/${inner.name}`}
              domain={inner}
              route={route}
              bare={`${domain.name}, without a narrower domain`}
            />
          ))}
        </div>
      ) : (
        <Nodes nodes={domain.nodes} />
      )}
    </section>
  );
}

function Nodes({ nodes }: { nodes: FleetNode[] }) {
  const queues = useQueues();
  const route = useRoute();
  const lit = useMemo(() => namesUnder(queues.roots, route.queue), [queues.roots, route.queue]);
  return (
    <div className="nodes">
      {nodes.map((node) => (
        <NodeTile
          key={node.name}
          node={node}
          colours={queues.colours}
          lit={lit}
          isChosen={route.item === node.name}
        />
      ))}
    </div>
  );
}

/** One line for each GPU model: how much of it is given. */
function Models({ nodes }: { nodes: readonly FleetNode[] }) {
  const models = new Map<string, { cards: number; given: number; nodes: number }>();
  for (const node of nodes) {
    if (!node.model) continue;
    const sum = models.get(node.model) ?? { cards: 0, given: 0, nodes: 0 };
    sum.cards += node.cards?.length ?? 0;
    sum.given += givenOf(node);
    sum.nodes += 1;
    models.set(node.model, sum);
  }
  return (
    <ul className="models" aria-label="GPU models">
      {[...models]
        .sort(([a], [b]) => byName(a, b))
        .map(([model, sum]) => (
          <li key={model}>
            <span className="model-name">{model}</span>
            <span className="model-bar" aria-hidden="true">
              <span style={{ width: `${(100 * sum.given) / Math.max(1, sum.cards)}%` }} />
            </span>
            <span className="model-figures">
              {showShare(sum.given, sum.cards)}
              <span className="muted">
                {" "}
                {showCards(sum.given)} of {plural(sum.cards, "card")}, {showCount(sum.nodes)}{" "}
                {sum.nodes === 1 ? "node" : "nodes"}
              </span>
            </span>
          </li>
        ))}
    </ul>
  );
}

function MapKey() {
  return (
    <ul className="key map-key" aria-label="What the map means">
      <li>
        <span className="key-card" /> free
      </li>
      <li>
        <span className="key-card key-whole" /> whole card
      </li>
      <li>
        <span className="key-card key-mig" /> MIG instances
      </li>
      <li>
        <span className="key-card key-shares" /> shares
      </li>
      <li>
        <span className="key-card key-suspect" /> suspect or changing
      </li>
      <li>
        <span className="key-card key-failed" /> failed
      </li>
      <li>
        <span className="key-card key-cordoned" /> node takes no work
      </li>
      <li className="muted">Colours are those of the queues. Arrow keys move from card to card.</li>
    </ul>
  );
}
