import { memo } from "react";
import type { Card, FleetNode } from "../../api/types";
import { segmentsOf, type Segment } from "../../domain/card_segments";
import type { Colours } from "../../domain/colours";
import { showCards, toCards } from "../../domain/numbers";
import { colourClass } from "../../parts/swatch";
import { formatRoute } from "../../route/route";
import { cardText } from "./card_text";

interface Props {
  node: FleetNode;
  colours: Colours;
  lit: ReadonlySet<string> | undefined; // queues that the filter lets through
  isChosen: boolean;
}

/** A node and its cards. Drawn again only when the node itself has changed. */
export const NodeTile = memo(function NodeTile({ node, colours, lit, isChosen }: Props) {
  const cards = node.cards ?? [];
  return (
    <div
      className={`node node-${node.condition} ${isChosen ? "node-chosen" : ""}`}
      role="group"
      aria-label={`node ${node.name}, ${node.model || "no cards"}, ${node.condition}`}
    >
      <header className="node-head">
        <a href={formatRoute({ view: "fleet", item: node.name })} className="ellipsis">
          {node.name}
        </a>
        <NodeMark node={node} />
      </header>
      {cards.length > 0 ? (
        <div className="cards" data-node={node.name}>
          {cards.map((card, i) => (
            <CardTile
              key={card.index}
              card={card}
              node={node}
              colours={colours}
              lit={lit}
              tabIndex={i === 0 ? 0 : -1}
            />
          ))}
        </div>
      ) : (
        <CpuBar node={node} />
      )}
    </div>
  );
});

function NodeMark({ node }: { node: FleetNode }) {
  if (node.condition !== "ready") {
    const tone = node.condition === "lost" ? "bad" : "moves";
    return <span className={`chip ${tone}`}>{node.condition}</span>;
  }
  if (node.goes_away_at) return <span className="chip moves">goes away</span>;
  if (node.kept_for) return <span className="chip quiet">kept</span>;
  return null;
}

function CpuBar({ node }: { node: FleetNode }) {
  const all = toCards(node.cpu);
  const used = all - toCards(node.cpu_free);
  return (
    <div className="cpu-node">
      <span className="model-bar" aria-hidden="true">
        <span style={{ width: `${(100 * used) / Math.max(1, all)}%` }} />
      </span>
      <span className="muted">
        {showCards(used)} of {showCards(all)} CPUs
      </span>
    </div>
  );
}

function CardTile(props: {
  card: Card;
  node: FleetNode;
  colours: Colours;
  lit: ReadonlySet<string> | undefined;
  tabIndex: number;
}) {
  const { card, node, colours, lit, tabIndex } = props;
  const segments = segmentsOf(card, node.model ?? "");
  return (
    <a
      href={formatRoute({ view: "fleet", item: node.name })}
      className={`card card-${card.mode} health-${card.health}`}
      data-card={card.index}
      tabIndex={tabIndex}
      aria-label={cardText(card)}
    >
      {segments.map((segment) => (
        <Part
          key={`${segment.job}/${segment.profile}/${segment.from}`}
          segment={segment}
          className={`part ${colourClass(colours.get(segment.queue))} ${
            lit && !lit.has(segment.queue) ? "part-dim" : ""
          }`}
        />
      ))}
    </a>
  );
}

function Part({ segment, className }: { segment: Segment; className: string }) {
  return (
    <span
      className={className}
      style={{ left: `${100 * segment.from}%`, width: `${100 * (segment.to - segment.from)}%` }}
    />
  );
}
