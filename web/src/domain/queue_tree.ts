// The quota tree, from the flat list of the API.
import type { Queue } from "../api/types";
import { toCards } from "./numbers";

export interface QueueNode {
  queue: Queue;
  depth: number;
  children: QueueNode[];
}

/** Roots in the order of the list. A queue whose parent the caller may not see is a root. */
export function queueTree(queues: readonly Queue[]): QueueNode[] {
  const byName = new Map<string, QueueNode>(
    queues.map((queue) => [queue.name, { queue, depth: 0, children: [] }]),
  );
  const roots: QueueNode[] = [];
  for (const node of byName.values()) {
    const parent = node.queue.parent ? byName.get(node.queue.parent) : undefined;
    (parent ? parent.children : roots).push(node);
  }
  const settle = (node: QueueNode, depth: number) => {
    node.depth = depth;
    for (const child of node.children) settle(child, depth + 1);
  };
  for (const root of roots) settle(root, 0);
  return roots;
}

/** Each queue after its parent. */
export function inOrder(roots: readonly QueueNode[]): QueueNode[] {
  return roots.flatMap((root) => [root, ...inOrder(root.children)]);
}

/** Whether it is a tenant: a leaf, or one that holds more than all below it. */
export function holdsItself(node: QueueNode): boolean {
  if (node.children.length === 0) return true;
  const below = node.children.reduce((sum, child) => sum + toCards(child.queue.used), 0);
  return toCards(node.queue.used) > below + 1e-6; // sevenths don't add up exactly
}

/** Names in the order in which they choose colours: leaves, which hold the cards, before the others. */
export function colourOrder(roots: readonly QueueNode[]): string[] {
  const all = inOrder(roots);
  const leaves = all.filter((node) => node.children.length === 0);
  const inner = all.filter((node) => node.children.length > 0);
  return [...leaves, ...inner].map((node) => node.queue.name);
}

/** The queue and all below it; undefined for no filter, so that everything passes. */
export function namesUnder(roots: readonly QueueNode[], name: string | undefined) {
  if (name === undefined) return undefined;
  const found = inOrder(roots).find((node) => node.queue.name === name);
  return new Set(found ? inOrder([found]).map((node) => node.queue.name) : [name]);
}

export interface QuotaFigures {
  guarantee: number;
  used: number;
  borrowed: number;
  share: number;
  demand: number;
  limit: number | undefined;
}

/** Over all its quotas. What a queue without any holds is all borrowed. */
export function figuresOf(queue: Queue): QuotaFigures {
  const quotas = queue.quotas ?? [];
  const sum = (pick: (quota: (typeof quotas)[number]) => number) =>
    quotas.reduce((total, quota) => total + pick(quota), 0);
  const limits = quotas.map((quota) => quota.limit ?? undefined);
  const isLimited = limits.length > 0 && limits.every((limit) => limit !== undefined);
  const used = toCards(queue.used);
  return {
    guarantee: sum((quota) => toCards(quota.guarantee)),
    used,
    borrowed: quotas.length > 0 ? sum((quota) => toCards(quota.borrowed)) : used,
    share: toCards(queue.share),
    demand: toCards(queue.demand),
    limit: isLimited ? limits.reduce<number>((total, one) => total + toCards(one), 0) : undefined,
  };
}

/** End of the common scale of all bars: the most that any queue has, is due or is guaranteed. */
export function scaleOf(queues: readonly Queue[]): number {
  const most = queues.map(figuresOf).map((f) => Math.max(f.guarantee, f.used, f.share));
  return Math.max(1, ...most);
}
