// Nodes by their domains, the widest outside: zone, spine, rack, whatever the topology names.
import type { FleetNode } from "../api/types";
import { toCards } from "./numbers";

export interface Domain {
  level: string; // "rack"; empty: nodes without a domain
  name: string;
  domains: Domain[]; // of the next level; empty at the lowest
  nodes: FleetNode[]; // at the lowest level only
  cards: number;
  given: number; // cards
}

const kByName = new Intl.Collator("en", { numeric: true });

/** "r-2" before "r-10". */
export function byName(a: string, b: string): number {
  return kByName.compare(a, b);
}

/** Levels, the widest first: the one with the fewest domains holds the others. */
export function levelsOf(nodes: readonly FleetNode[]): string[] {
  const names = new Map<string, Set<string>>();
  for (const node of nodes) {
    for (const [level, name] of Object.entries(node.domains ?? {})) {
      names.set(level, (names.get(level) ?? new Set()).add(name));
    }
  }
  const levels = [...names.keys()].reverse(); // the API tells the narrow ones first
  return levels.sort((a, b) => (names.get(a)?.size ?? 0) - (names.get(b)?.size ?? 0));
}

export function givenOf(node: FleetNode): number {
  return (node.cards ?? []).reduce((sum, card) => sum + 1 - toCards(card.free), 0);
}

export function fleetTree(nodes: readonly FleetNode[]): Domain[] {
  return group(nodes, levelsOf(nodes));
}

function group(nodes: readonly FleetNode[], levels: readonly string[]): Domain[] {
  const [level, ...narrower] = levels;
  const byDomain = new Map<string, FleetNode[]>();
  for (const node of nodes) {
    const name = level === undefined ? "" : (node.domains?.[level] ?? "");
    const list = byDomain.get(name);
    if (list) list.push(node);
    else byDomain.set(name, [node]);
  }
  // Those without a domain come last.
  const names = [...byDomain.keys()].sort((a, b) =>
    a === "" || b === "" ? b.length - a.length : byName(a, b),
  );
  return names.map((name) =>
    domain(name === "" ? "" : (level ?? ""), name, byDomain.get(name) ?? [], narrower),
  );
}

function domain(
  level: string,
  name: string,
  nodes: FleetNode[],
  narrower: readonly string[],
): Domain {
  const isLowest = narrower.length === 0 || level === "";
  return {
    level,
    name,
    domains: isLowest ? [] : group(nodes, narrower),
    nodes: isLowest ? [...nodes].sort((a, b) => byName(a.name, b.name)) : [],
    cards: nodes.reduce((sum, node) => sum + (node.cards?.length ?? 0), 0),
    given: nodes.reduce((sum, node) => sum + givenOf(node), 0),
  };
}
