import { expect, test } from "vitest";
import { isAnotherJournal } from "./journal";

const seen = { revision: 1000, at: 50_000 };

test("a server that is behind what another one told has the same journal", () => {
  expect(isAnotherJournal(seen, { revision: 990, askedAt: 51_000, stalenessMs: 2000 })).toBe(false);
  expect(isAnotherJournal(seen, { revision: 990, askedAt: 51_000, stalenessMs: 1000 })).toBe(false);
  expect(isAnotherJournal(seen, { revision: 990, askedAt: 51_000, stalenessMs: Infinity })).toBe(
    false,
  );
});

test("one that has all there was after the last event, and not that event, has another", () => {
  expect(isAnotherJournal(seen, { revision: 990, askedAt: 51_000, stalenessMs: 0 })).toBe(true);
  expect(isAnotherJournal(seen, { revision: 990, askedAt: 60_000, stalenessMs: 2000 })).toBe(true);
});

test("one that has the last event has the same", () => {
  expect(isAnotherJournal(seen, { revision: 1000, askedAt: 60_000, stalenessMs: 0 })).toBe(false);
  expect(isAnotherJournal(seen, { revision: 2000, askedAt: 60_000, stalenessMs: 0 })).toBe(false);
});
