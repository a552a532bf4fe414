import type { ClusterEvent } from "../../api/types";

/** Those of the stream (the last first) and those of the list (the oldest first), each once. */
export function joined(
  fresh: readonly ClusterEvent[],
  old: readonly ClusterEvent[],
  most: number,
): ClusterEvent[] {
  const first = fresh.at(-1)?.revision ?? Number.POSITIVE_INFINITY;
  const before = old.filter((event) => event.revision < first).reverse();
  return [...fresh, ...before].slice(0, most);
}
