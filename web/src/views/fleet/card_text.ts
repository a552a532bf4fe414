import type { Card } from "../../api/types";
import { showCards, toCards } from "../../domain/numbers";

export const kModes: Record<Card["mode"], string> = {
  empty: "free",
  whole: "given whole",
  timeslice: "shared in time",
  mps: "shared (MPS)",
  mig: "cut by MIG",
};

/** What a card says to those who don't see it. */
export function cardText(card: Card): string {
  const uses = (card.used_by ?? []).map(
    (use) => `${use.job} of ${use.queue}${use.profile ? `, ${use.profile}` : ""}`,
  );
  const health = card.health === "healthy" ? "" : `, ${card.health}`;
  const free = toCards(card.free);
  const room = free > 0 && free < 1 ? `, ${showCards(free)} free` : "";
  return `card ${card.index}, ${kModes[card.mode]}${health}${room}${uses.length > 0 ? `: ${uses.join("; ")}` : ""}`;
}
