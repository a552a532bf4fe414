import { useEffect, useRef, useState } from "react";
import type { Cluster } from "../api/types";
import { showCards, showCount, showShare, toCards } from "../domain/numbers";
import { Sparkline } from "../parts/sparkline";
import { useCluster } from "../state/use_live";

// Readings of the line in the header: some minutes at one in a second.
const kMostReadings = 180;

/** How much of the fleet was given, since the page was opened. */
function useHistory(cluster: Cluster | undefined): readonly number[] {
  const [values, setValues] = useState<readonly number[]>([]);
  const last = useRef("");
  useEffect(() => {
    if (!cluster || cluster.cards === 0 || cluster.now === last.current) return;
    last.current = cluster.now;
    const part = Math.min(1, toCards(cluster.cards_used) / cluster.cards);
    setValues((before) => [...before, part].slice(-kMostReadings));
  }, [cluster]);
  return values;
}

export function ClusterFigures() {
  const { data: cluster } = useCluster();
  const history = useHistory(cluster);
  if (!cluster) return <div className="figures" />;
  const used = toCards(cluster.cards_used);
  const away = cluster.nodes - cluster.nodes_ready;
  return (
    <dl className="figures">
      <div className="figure-wide">
        <dt>Cards given</dt>
        <dd>
          <strong>{showShare(used, cluster.cards)}</strong>
          <span className="muted">
            {showCards(used)} of {showCount(cluster.cards)}
          </span>
        </dd>
        <Sparkline values={history} label="Cards given since the page was opened" />
      </div>
      <div>
        <dt>Run</dt>
        <dd>
          <strong>{showCount(cluster.running)}</strong>
        </dd>
      </div>
      <div>
        <dt>Wait</dt>
        <dd>
          <strong className={cluster.waiting > 0 ? "tone-waits" : ""}>
            {showCount(cluster.waiting)}
          </strong>
        </dd>
      </div>
      <div>
        <dt>Nodes ready</dt>
        <dd>
          <strong className={away > 0 ? "tone-bad" : ""}>{showCount(cluster.nodes_ready)}</strong>
          <span className="muted">of {showCount(cluster.nodes)}</span>
        </dd>
      </div>
    </dl>
  );
}
