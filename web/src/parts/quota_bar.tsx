import type { QuotaFigures } from "../domain/queue_tree";
import { showCards } from "../domain/numbers";

/** Used (full), of it borrowed (hatched), guarantee (outline) and fair share (mark) on one scale. */
export function QuotaBar({ figures, scale }: { figures: QuotaFigures; scale: number }) {
  const at = (cards: number) => `${Math.min(100, (100 * cards) / scale)}%`;
  const own = Math.max(0, figures.used - figures.borrowed);
  const text =
    `guarantee ${showCards(figures.guarantee)}, used ${showCards(figures.used)}, of it borrowed ` +
    `${showCards(figures.borrowed)}, fair share ${showCards(figures.share)}`;
  return (
    <span className="quota-bar" role="img" aria-label={text} title={text}>
      <span className="quota-guarantee" style={{ width: at(figures.guarantee) }} />
      <span className="quota-own" style={{ width: at(own) }} />
      <span
        className="quota-borrowed"
        style={{ left: at(own), width: at(Math.max(0, figures.used - own)) }}
      />
      <span className="quota-share" style={{ left: at(figures.share) }} />
    </span>
  );
}
