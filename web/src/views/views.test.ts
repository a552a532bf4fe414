import { describe, expect, test } from "vitest";
import type { ClusterEvent, Job, Receipt } from "../api/types";
import { joined } from "./events/joined";
import { filterOf, inReadingOrder, matchesText } from "./jobs/job_filter";
import { concerns, takenCards } from "./receipts/receipt_words";

function job(id: number, status: Job["status"], more: Partial<Job> = {}): Job {
  return {
    name: `j${id}`,
    id,
    queue: "q",
    class: "training",
    status,
    tasks: 1,
    running_tasks: 0,
    cards: 1,
    submitted_at: "2026-01-01T00:00:00Z",
    ...more,
  };
}

describe("jobs", () => {
  test("those that wait come first, the oldest on top; then the youngest of the others", () => {
    const jobs = [job(1, "running"), job(2, "pending"), job(3, "running"), job(4, "suspended")];
    expect(inReadingOrder(jobs).map((one) => one.id)).toEqual([2, 4, 3, 1]);
  });
  test("the server is asked for what the address says", () => {
    expect(filterOf({ view: "jobs" })).toEqual({ ended: false });
    expect(filterOf({ view: "jobs", status: "failed", queue: "q" })).toEqual({
      status: "failed",
      queue: "q",
    });
    expect(filterOf({ view: "jobs", status: "nonsense" })).toEqual({ ended: false });
  });
  test("a search finds name, queue, place and reason", () => {
    const one = job(7, "pending", { reason: "asks 8 free cards", place: "h100-1:0" });
    for (const text of ["J7", "8 FREE", "h100", undefined, ""]) {
      expect(matchesText(one, text)).toBe(true);
    }
    expect(matchesText(one, "a100")).toBe(false);
  });
});

test("events of the stream and of the list are each shown once, the last first", () => {
  const event = (revision: number) => ({ revision }) as ClusterEvent;
  const all = joined([event(5), event(4)], [event(2), event(3), event(4)], 3);
  expect(all.map((one) => one.revision)).toEqual([5, 4, 3]);
});

test("a receipt concerns the queues of its taker and of those who give", () => {
  const victims = [
    { job: "b", cards_milli: 428 },
    { job: "c", cards_milli: 1000 },
  ];
  const receipt = { job: "a", victims } as unknown as Receipt;
  const queueOf = new Map([
    ["a", "x"],
    ["b", "y"],
  ]);
  expect(takenCards(receipt)).toBeCloseTo(1.428);
  expect(concerns(receipt, undefined, queueOf)).toBe(true);
  expect(concerns(receipt, new Set(["y"]), queueOf)).toBe(true);
  expect(concerns(receipt, new Set(["z"]), queueOf)).toBe(false);
});
