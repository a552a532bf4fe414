import { expect, test } from "vitest";
import { waitMs } from "./backoff";

test("tries come soon at first, later at most each ten seconds, and are spread", () => {
  expect(waitMs(1, 0.5)).toBe(500);
  expect(waitMs(2, 0.5)).toBe(1000);
  expect(waitMs(50, 0.5)).toBe(10_000);
  expect(waitMs(50, 0)).toBe(7500);
  expect(waitMs(50, 1)).toBe(12_500);
});
