// Spans and moments. All ages are told by the cluster's clock, which a simulated one runs ahead with.

const kSecond = 1000;
const kMinute = 60 * kSecond;
const kHour = 60 * kMinute;
const kDay = 24 * kHour;

/** The two largest units: "45 s", "3 min 20 s", "2 h 05 min", "6 d 4 h". */
export function showSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < kMinute) return `${Math.floor(span / kSecond)} s`;
  if (span < 10 * kMinute) {
    const seconds = Math.floor((span % kMinute) / kSecond);
    return `${Math.floor(span / kMinute)} min${seconds > 0 ? ` ${seconds} s` : ""}`;
  }
  if (span < kHour) return `${Math.floor(span / kMinute)} min`;
  if (span < kDay) {
    const minutes = Math.floor((span % kHour) / kMinute);
    return `${Math.floor(span / kHour)} h ${String(minutes).padStart(2, "0")} min`;
  }
  const hours = Math.floor((span % kDay) / kHour);
  return `${Math.floor(span / kDay)} d${hours > 0 ? ` ${hours} h` : ""}`;
}

export function msBetween(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) ? ms : undefined;
}

/** "–" where there is nothing to tell. */
export function showAge(from: string | undefined, now: string | undefined): string {
  const ms = msBetween(from, now);
  return ms === undefined ? "–" : showSpan(ms);
}

/** "14:03:59" today, else "29 Nov 14:03". */
export function showMoment(at: string | number, now?: string | number): string {
  const when = new Date(at);
  if (!Number.isFinite(when.getTime())) return "–";
  const isToday = now !== undefined && new Date(now).toDateString() === when.toDateString();
  if (isToday || now === undefined) return when.toLocaleTimeString("en-GB");
  const day = when.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  const time = when.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return `${day} ${time}`;
}
