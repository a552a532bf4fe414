import type { FleetNode } from "../../api/types";
import { showCards, showMib, toCards, toMib } from "../../domain/numbers";
import { showAge } from "../../domain/times";
import { Facts } from "../../parts/facts";
import { Panel } from "../../parts/panel";
import type { Route } from "../../route/route";
import { useCluster } from "../../state/use_live";
import { Uses } from "./card_tip";
import { kModes } from "./card_text";

export function NodePanel(props: { node: FleetNode; route: Route; onClose: () => void }) {
  const { node, onClose } = props;
  const { data: cluster } = useCluster();
  const domains = Object.entries(node.domains ?? {}).map(([level, name]) => `${level} ${name}`);
  const usedCpu = toCards(node.cpu) - toCards(node.cpu_free);
  const usedMib = toMib(node.memory) - toMib(node.memory_free);
  // Declared nodes have been as they are since before time began to count.
  const isOld = Date.parse(node.condition_since) === 0;
  return (
    <Panel title={node.name} label={`Node ${node.name}`} onClose={onClose}>
      <Facts
        facts={[
          [
            "Condition",
            isOld
              ? node.condition
              : `${node.condition} for ${showAge(node.condition_since, cluster?.now)}`,
          ],
          ["Then", node.next_condition],
          ["Model", node.model],
          ["Partition", node.partition],
          ["Domains", domains.join(", ")],
          ["CPUs", `${showCards(usedCpu)} of ${showCards(toCards(node.cpu))} given`],
          ["Memory", `${showMib(usedMib)} of ${showMib(toMib(node.memory))} given`],
          ["Kept for", node.kept_for],
          ["Goes away in", node.goes_away_at ? showAge(cluster?.now, node.goes_away_at) : ""],
        ]}
      />
      {(node.cards ?? []).map((card) => (
        <section key={card.index} className="card-lines">
          <h3>
            Card {card.index} <span className="muted">{kModes[card.mode]}</span>
            {card.health !== "healthy" ? <span className="chip bad">{card.health}</span> : null}
          </h3>
          <Uses card={card} />
        </section>
      ))}
    </Panel>
  );
}
