// Amounts as the API writes them, and as people read them.

/** "3/7", "0.5" or 2 -> a number of cards. */
export function toCards(value: string | number | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const [over, under] = value.split("/");
  const top = Number(over);
  const bottom = under === undefined ? 1 : Number(under);
  return Number.isFinite(top / bottom) ? top / bottom : 0;
}

const kUnits: Record<string, number> = { MiB: 1, GiB: 1024, TiB: 1024 * 1024 };

/** "80GiB" -> MiB. */
export function toMib(value: string | number | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const found = /^([\d.]+)\s*(MiB|GiB|TiB)$/.exec(value);
  return found ? Number(found[1]) * (kUnits[found[2] ?? "MiB"] ?? 1) : 0;
}

const kPlain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const kFine = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export function showCount(value: number): string {
  return kPlain.format(value);
}

/** Two places are enough: the smallest part of a card that people ask for is a seventh. */
export function showCards(value: number): string {
  return kFine.format(value);
}

export function showMib(mib: number): string {
  if (mib >= 1024 * 1024) return `${kFine.format(mib / 1024 / 1024)} TiB`;
  if (mib >= 1024) return `${kPlain.format(mib / 1024)} GiB`;
  return `${kPlain.format(mib)} MiB`;
}

export function showShare(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const percent = (100 * part) / whole;
  // "100 %" only when nothing is free.
  const shown = percent > 99 && part < whole ? 99 : Math.round(percent);
  return `${shown} %`;
}

/** Millionths of a unit of money or of a card-hour. */
export function showMicro(micro: number): string {
  const value = micro / 1e6;
  if (value === 0) return "0";
  if (Math.abs(value) < 0.01) return "< 0.01";
  return kFine.format(value);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${showCount(count)} ${count === 1 ? one : many}`;
}
