import { describe, expect, test } from "vitest";
import type { Card, FleetNode, Queue } from "../api/types";
import { migSlots, segmentsOf } from "./card_segments";
import { assignColours, kColours } from "./colours";
import { fleetTree, levelsOf } from "./fleet_tree";
import { keepEqual } from "./keep_equal";
import { showCards, showMib, showMicro, showShare, toCards, toMib } from "./numbers";
import { colourOrder, figuresOf, holdsItself, inOrder, namesUnder, queueTree } from "./queue_tree";
import { showAge, showMoment, showSpan } from "./times";

function queue(name: string, more: Partial<Queue> = {}): Queue {
  return { name, waiting: 0, running: 0, used: 0, demand: 0, share: 0, ...more };
}

function node(name: string, domains: Record<string, string>, free: number[] = []): FleetNode {
  return {
    name,
    condition: "ready",
    condition_since: "1970-01-01T00:00:00.000Z",
    cpu: 8,
    cpu_free: 8,
    memory: "1GiB",
    memory_free: "1GiB",
    domains,
    cards: free.map((part, index) => ({ index, health: "healthy", mode: "empty", free: part })),
  };
}

describe("colours", () => {
  test("the first queues have colours of their own, in the order in which they choose", () => {
    const colours = assignColours(["a", "b", "c"]);
    expect([...colours.values()].map((colour) => colour.slot)).toEqual([0, 1, 2]);
  });
  test("a queue that comes later moves nobody, and one that goes frees its colour", () => {
    const before = assignColours(["b", "c"]);
    const after = assignColours(["a", "b", "c"], before);
    expect(after.get("b")).toEqual(before.get("b"));
    expect(after.get("c")).toEqual(before.get("c"));
    expect(after.get("a")?.slot).toBe(2);
    expect(assignColours(["c", "d"], after).get("d")?.slot).toBe(0);
  });
  test("twice as many as there are colours differ, by stripes", () => {
    const names = Array.from({ length: 2 * kColours }, (_, i) => `q${i}`);
    const colours = [...assignColours(names).values()];
    expect(new Set(colours.map((one) => `${one.slot}/${one.striped}`)).size).toBe(2 * kColours);
    const more = assignColours([...names, "one-more"]).get("one-more");
    expect(more?.slot).toBeLessThan(kColours);
  });
});

describe("queue tree", () => {
  const list = [
    queue("org", { used: 5 }),
    queue("a", { parent: "org", used: 2 }),
    queue("b", { parent: "org", used: 3 }),
    queue("b1", { parent: "b" }),
    queue("orphan", { parent: "hidden" }),
  ];
  test("children follow their parents; an unseen parent makes a root", () => {
    const roots = queueTree(list);
    expect(inOrder(roots).map((one) => `${one.depth}${one.queue.name}`)).toEqual([
      "0org",
      "1a",
      "1b",
      "2b1",
      "0orphan",
    ]);
  });
  test("leaves choose colours first", () => {
    expect(colourOrder(queueTree(list))).toEqual(["a", "b1", "orphan", "org", "b"]);
  });
  test("a filter lets the queue and all below it through", () => {
    const roots = queueTree(list);
    expect(namesUnder(roots, undefined)).toBeUndefined();
    expect([...(namesUnder(roots, "b") ?? [])]).toEqual(["b", "b1"]);
    expect([...(namesUnder(roots, "gone") ?? [])]).toEqual(["gone"]);
  });
  test("an inner queue is a tenant only where it holds cards of its own", () => {
    const [org] = queueTree(list);
    expect(org && holdsItself(org)).toBe(false);
    const b = org?.children[1];
    expect(b && holdsItself(b)).toBe(true);
  });
  test("quotas add up; what a queue without any holds is borrowed", () => {
    const quota = { guarantee: 4, used: 5, borrowed: 1, limit: 8 };
    const two = figuresOf(
      queue("q", { used: 75 / 7, quotas: [quota, { ...quota, borrowed: 5 / 7 }] }),
    );
    expect(two).toMatchObject({ guarantee: 8, limit: 16 });
    expect(two.borrowed).toBeCloseTo(12 / 7);
    expect(figuresOf(queue("guests", { used: 3 }))).toMatchObject({ guarantee: 0, borrowed: 3 });
    const { limit: _limit, ...open } = quota;
    expect(figuresOf(queue("q", { quotas: [quota, open] })).limit).toBeUndefined();
  });
});

describe("fleet tree", () => {
  const nodes = [
    node("n10", { rack: "r-10", spine: "s-1" }, [1, 0]),
    node("n2", { rack: "r-2", spine: "s-1" }, [0.5]),
    node("n1", { rack: "r-2", spine: "s-1" }, [0]),
    node("n3", { rack: "r-3", spine: "s-2" }),
    node("lone", {}),
  ];
  test("the level with the fewest domains is outside", () => {
    expect(levelsOf(nodes)).toEqual(["spine", "rack"]);
    expect(levelsOf([])).toEqual([]);
  });
  test("domains and nodes by number, those without a domain last", () => {
    const tree = fleetTree(nodes);
    expect(tree.map((domain) => domain.name)).toEqual(["s-1", "s-2", ""]);
    expect(tree[0]?.domains.map((domain) => domain.name)).toEqual(["r-2", "r-10"]);
    expect(tree[0]?.domains[0]?.nodes.map((one) => one.name)).toEqual(["n1", "n2"]);
    expect(tree[2]?.nodes.map((one) => one.name)).toEqual(["lone"]);
  });
  test("cards and what is given of them are summed", () => {
    const [first] = fleetTree(nodes);
    expect(first).toMatchObject({ cards: 4, given: 2.5 });
  });
  test("a fleet without a topology is one domain", () => {
    const tree = fleetTree([node("b", {}), node("a", {})]);
    expect(tree).toHaveLength(1);
    expect(tree[0]?.nodes.map((one) => one.name)).toEqual(["a", "b"]);
  });
});

describe("parts of a card", () => {
  const card = (used_by: NonNullable<Card["used_by"]>): Card => ({
    index: 0,
    health: "healthy",
    mode: "mig",
    free: 0,
    used_by,
  });
  const use = { job: "j", queue: "q", compute: 1 / 7, memory: "10GiB" };
  test("MIG instances lie at their slots", () => {
    expect(migSlots("1g.10gb@4", "H100-SXM5-80GB")).toEqual({ start: 4, width: 1 });
    expect(migSlots("1g.20gb@2", "H100-SXM5-80GB")).toEqual({ start: 2, width: 2 });
    expect(migSlots("3g.40gb@4", "A100-SXM4-80GB")).toEqual({ start: 4, width: 4 });
    expect(migSlots("3g.20gb@0", "A100-SXM4-40GB")).toEqual({ start: 0, width: 4 });
    expect(migSlots("7g.141gb@0", "H200-SXM5-141GB")).toEqual({ start: 0, width: 8 });
    expect(migSlots("2g.12gb@2", "A30-24GB")).toEqual({ start: 2, width: 2 });
    expect(migSlots("nonsense", "H100-SXM5-80GB")).toBeUndefined();
  });
  test("free slots stay free between instances", () => {
    const segments = segmentsOf(
      card([
        { ...use, job: "right", profile: "3g.40gb@4" },
        { ...use, job: "left", profile: "1g.10gb@1" },
      ]),
      "H100-SXM5-80GB",
    );
    expect(segments.map((one) => [one.job, one.from, one.to])).toEqual([
      ["left", 1 / 8, 2 / 8],
      ["right", 4 / 8, 1],
    ]);
  });
  test("shares are put side by side and never beyond the card", () => {
    const half = { ...use, compute: 0.5 };
    const segments = segmentsOf(card([half, half, half]), "L4");
    expect(segments.map((one) => [one.from, one.to])).toEqual([
      [0, 0.5],
      [0.5, 1],
      [1, 1],
    ]);
  });
});

describe("amounts and times", () => {
  test("amounts of the API are read", () => {
    expect(toCards("3/7")).toBeCloseTo(0.4286, 4);
    expect(toCards("0.5")).toBe(0.5);
    expect(toCards(2)).toBe(2);
    expect(toCards(undefined)).toBe(0);
    expect(toCards("much")).toBe(0);
    expect(toMib("2GiB")).toBe(2048);
    expect(toMib("10134MiB")).toBe(10134);
  });
  test("and shown without a false precision", () => {
    expect(showCards(18.857142)).toBe("18.86");
    expect(showShare(63.9, 64)).toBe("99 %");
    expect(showShare(64, 64)).toBe("100 %");
    expect(showShare(0, 0)).toBe("–");
    expect(showMib(10134)).toBe("10 GiB");
    expect(showMib(1024 * 1024)).toBe("1 TiB");
    expect(showMicro(924500)).toBe("0.92");
    expect(showMicro(20)).toBe("< 0.01");
    expect(showMicro(0)).toBe("0");
  });
  test("spans have two units at most", () => {
    expect(showSpan(59_999)).toBe("59 s");
    expect(showSpan(61_000)).toBe("1 min 1 s");
    expect(showSpan(3_600_000)).toBe("1 h 00 min");
    expect(showSpan(6 * 86_400_000 + 4 * 3_600_000)).toBe("6 d 4 h");
    expect(showSpan(-5)).toBe("0 s");
    expect(showAge(undefined, "2026-01-01T00:00:00Z")).toBe("–");
    expect(showAge("2026-01-01T00:00:00Z", "2026-01-01T00:02:00Z")).toBe("2 min");
  });
  test("moments have a date only on another day", () => {
    const at = new Date(2026, 10, 29, 14, 3, 59).getTime();
    expect(showMoment(at, at + 1000)).toBe("14:03:59");
    expect(showMoment(at, at + 3 * 86_400_000)).toBe("29 Nov 14:03");
    expect(showMoment("never")).toBe("–");
  });
});

describe("answers that come again", () => {
  const key = (item: { id: number }) => item.id;
  test("keep what is equal, so that it is not drawn again", () => {
    const before = [
      { id: 1, text: "a" },
      { id: 2, text: "b" },
    ];
    const now = keepEqual(
      before,
      [
        { id: 1, text: "a" },
        { id: 2, text: "c" },
      ],
      key,
    );
    expect(now[0]).toBe(before[0]);
    expect(now[1]).toEqual({ id: 2, text: "c" });
    expect(keepEqual(before, structuredClone(before), key)).toBe(before);
    expect(keepEqual(before, [{ id: 2, text: "b" }], key)).toEqual([{ id: 2, text: "b" }]);
  });
});
