import { describe, expect, test } from "vitest";
import { formatRoute, parseRoute } from "./route";

describe("routes", () => {
  test("are the same after a way through the address", () => {
    for (const route of [
      { view: "fleet" },
      { view: "jobs", item: "a/b ?#ü", queue: "team x", status: "pending", text: "100 %" },
      { view: "receipts", queue: "vision" },
    ] as const) {
      expect(parseRoute(formatRoute(route))).toEqual(route);
    }
  });
  test("what cannot be read leads to the fleet", () => {
    for (const hash of ["", "#", "#/", "#/nowhere/x", "#nonsense"]) {
      expect(parseRoute(hash)).toEqual({ view: "fleet" });
    }
    expect(parseRoute("#/jobs/%E0%A4%A")).toEqual({ view: "jobs", item: "%E0%A4%A" });
  });
});
