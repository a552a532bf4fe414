// Arrow keys among the cards of the map: within the node, and to the node above or below it.

export function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const at = (event.target as HTMLElement).closest<HTMLElement>(".card");
  if (!at) return;
  const target = next(at, event.key, event.currentTarget);
  if (!target) return;
  event.preventDefault();
  target.focus();
}

function next(at: HTMLElement, key: string, map: HTMLElement): HTMLElement | null {
  const own = [...(at.parentElement?.querySelectorAll<HTMLElement>(".card") ?? [])];
  const place = own.indexOf(at);
  if (key === "ArrowRight") return own[place + 1] ?? null;
  if (key === "ArrowLeft") return own[place - 1] ?? null;
  if (key !== "ArrowDown" && key !== "ArrowUp") return null;
  const nodes = [...map.querySelectorAll<HTMLElement>(".cards")];
  const other =
    nodes[nodes.findIndex((node) => node.contains(at)) + (key === "ArrowDown" ? 1 : -1)];
  const cards = [...(other?.querySelectorAll<HTMLElement>(".card") ?? [])];
  return cards[Math.min(place, cards.length - 1)] ?? null;
}
