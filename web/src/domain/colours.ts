// Which queue has which colour. The same queues have the same colours for everybody; a queue that is
// added while the page is open takes a free one and moves nobody.

/** Colours of styles/colours.css; what comes after them has them again, striped. */
export const kColours = 12;

export interface Colour {
  slot: number; // 0 to kColours - 1: var(--q0) and so on
  striped: boolean;
}

export type Colours = ReadonlyMap<string, Colour>;

function colourOf(place: number): Colour {
  return { slot: place % kColours, striped: Math.floor(place / kColours) % 2 === 1 };
}

function placeOf(colour: Colour): number {
  return colour.slot + (colour.striped ? kColours : 0);
}

/**
 * `order`: names in the order in which they may choose, those that hold cards first. More than twice
 * as many as there are colours have to share.
 */
export function assignColours(order: readonly string[], before: Colours = new Map()): Colours {
  const kept = new Map<string, Colour>();
  for (const name of order) {
    const colour = before.get(name);
    if (colour) kept.set(name, colour);
  }
  const taken = new Set([...kept.values()].map(placeOf));
  let next = 0;
  for (const name of order) {
    if (kept.has(name)) continue;
    while (taken.has(next) && next < 2 * kColours) ++next;
    kept.set(name, colourOf(next));
    taken.add(next);
    ++next;
  }
  return kept;
}
