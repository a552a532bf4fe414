// Which part of a card is whose, as it is drawn: from 0 (left) to 1 (right).
import type { Card } from "../api/types";
import { toCards } from "./numbers";

export interface Segment {
  from: number;
  to: number;
  job: string;
  queue: string;
  profile: string; // of a MIG instance; empty: a share, or the whole card
}

// Memory slots of a card that can be cut by MIG; instances begin at slots. NVIDIA's MIG user guide:
// 8 on A100, H100 and later, 4 on A30 and the RTX PRO cards.
const kSlots = 8;
const kFewSlots = 4;

function slotsOf(model: string): number {
  return /^(A30\b|RTX-PRO)/.test(model) ? kFewSlots : kSlots;
}

/** "1g.10gb@4" on a card of 80 GB: slot 4, 1 slot wide. */
export function migSlots(
  profile: string,
  model: string,
): { start: number; width: number } | undefined {
  const found = /^(\d+)g\.(\d+)gb.*@(\d+)$/.exec(profile);
  const whole = Number(/(\d+)GB/.exec(model)?.[1]);
  if (!found || !(whole > 0)) return undefined;
  const slots = slotsOf(model);
  const width = Math.max(1, Math.round(Number(found[2]) / (whole / slots)));
  const start = Number(found[3]);
  return { start, width: Math.min(width, slots - start) };
}

/** In the order of their place. Shares have no place of their own: they are put side by side. */
export function segmentsOf(card: Card, model: string): Segment[] {
  let end = 0;
  const slots = slotsOf(model);
  const segments = (card.used_by ?? []).map((use): Segment => {
    const common = { job: use.job, queue: use.queue, profile: use.profile ?? "" };
    const at = use.profile ? migSlots(use.profile, model) : undefined;
    if (at) return { ...common, from: at.start / slots, to: (at.start + at.width) / slots };
    const from = end;
    end = Math.min(1, from + toCards(use.compute));
    return { ...common, from, to: end };
  });
  return segments.sort((a, b) => a.from - b.from);
}
