import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Card, FleetNode } from "../../api/types";
import { showCards, showMib, toCards, toMib } from "../../domain/numbers";
import { QueueLabel } from "../../parts/queue_label";
import { useQueues } from "../../state/use_live";
import { kModes } from "./card_text";

interface At {
  node: string;
  card: number;
  box: DOMRect; // of the card, on the screen
}

const kWidth = 280; // as in fleet.css
const kGap = 6;

function placeOf(target: EventTarget): At | undefined {
  const card = (target as HTMLElement).closest?.<HTMLElement>(".card");
  const node = card?.parentElement?.dataset["node"];
  if (!card || !node) return undefined;
  return { node, card: Number(card.dataset["card"]), box: card.getBoundingClientRect() };
}

/** Above the card where there is room, else below it; never off the screen. */
function position(tip: HTMLElement, box: DOMRect): void {
  const inside = (at: number, size: number, whole: number) =>
    Math.max(kGap, Math.min(whole - size - kGap, at));
  const height = tip.offsetHeight;
  const above = box.top - height - kGap;
  const top = above >= kGap ? above : inside(box.bottom + kGap, height, window.innerHeight);
  tip.style.top = `${top}px`;
  tip.style.left = `${inside(box.left + box.width / 2 - kWidth / 2, kWidth, window.innerWidth)}px`;
}

/** Which card the pointer or the focus is on: one tip for the whole map. */
export function useTip() {
  const [at, setAt] = useState<At>();
  const show = useCallback((event: { target: EventTarget }) => setAt(placeOf(event.target)), []);
  const hide = useCallback(() => setAt(undefined), []);
  const handlers = useMemo(
    () => ({ onMouseOver: show, onMouseLeave: hide, onFocus: show, onBlur: hide }),
    [show, hide],
  );
  return { at, hide, handlers };
}

/** Who has what of the card. Readers of the screen hear the same from the card itself. */
export function CardTip({ at, nodes }: { at: At | undefined; nodes: readonly FleetNode[] }) {
  const node = at ? nodes.find((one) => one.name === at.node) : undefined;
  const card = node?.cards?.find((one) => one.index === at?.card);
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (tip.current && at) position(tip.current, at.box);
  }, [at, card]);
  if (!at || !node || !card) return null;
  return (
    <div ref={tip} className="tip" aria-hidden="true">
      <div className="tip-head">
        <strong>
          {node.name}:{card.index}
        </strong>
        <span className="muted">{kModes[card.mode]}</span>
        {card.health !== "healthy" ? <span className="chip bad">{card.health}</span> : null}
      </div>
      <Uses card={card} />
      <div className="muted">
        {toCards(card.free) > 0 ? `${showCards(toCards(card.free))} free, ` : ""}
        {node.model}
      </div>
    </div>
  );
}

export function Uses({ card }: { card: Card }) {
  const { colours } = useQueues();
  const uses = card.used_by ?? [];
  if (uses.length === 0) return null;
  return (
    <ul className="uses">
      {uses.map((use) => (
        <li key={`${use.job}/${use.profile ?? ""}`}>
          <QueueLabel name={use.queue} colours={colours} />
          <a className="use-job ellipsis" href={`#/jobs/${encodeURIComponent(use.job)}`}>
            {use.job}
          </a>
          <span className="muted">
            {use.profile || `${showCards(toCards(use.compute))} card`}, {showMib(toMib(use.memory))}
          </span>
        </li>
      ))}
    </ul>
  );
}
