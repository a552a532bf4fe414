import type { Job, Receipt } from "../../api/types";

/** By what right it was taken (src/model/words.h). */
export const kRights: Record<string, string> = {
  guarantee: "its queue is below its guarantee",
  share: "its queue is below its fair share",
  rank: "by rank",
  service: "among borrowers, by service received",
  consolidation: "by moving others closer together",
};

/** What was done to the victim. */
export const kGrades: Record<string, string> = {
  pause: "paused",
  suspend: "suspended",
  shrink: "shrunk",
  move: "moved",
  "checkpoint-evict": "saved and evicted",
  kill: "killed",
};

export function queueOfJobs(jobs: readonly Job[]): ReadonlyMap<string, string> {
  return new Map(jobs.map((job) => [job.name, job.queue]));
}

export function takenCards(receipt: Receipt): number {
  return receipt.victims.reduce((sum, victim) => sum + victim.cards_milli, 0) / 1000;
}

/** Taker or giver is of one of the queues. Jobs that ended long ago are no longer known. */
export function concerns(
  receipt: Receipt,
  queues: ReadonlySet<string> | undefined,
  queueOf: ReadonlyMap<string, string>,
): boolean {
  if (!queues) return true;
  return [receipt.job, ...receipt.victims.map((victim) => victim.job)].some((job) =>
    queues.has(queueOf.get(job) ?? ""),
  );
}
