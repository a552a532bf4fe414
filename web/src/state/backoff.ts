// When to try again: soon at first, later at most this often, never all pages at the same moment.
const kFirstMs = 500;
const kMostMs = 10_000;

/** `draw`: 0 to 1. */
export function waitMs(failures: number, draw: number): number {
  const whole = Math.min(kMostMs, kFirstMs * 2 ** Math.min(10, Math.max(0, failures - 1)));
  return Math.round(whole * (0.75 + 0.5 * draw));
}
