// Which jobs are listed: what the server is asked for, and what is left out here.
import type { JobFilter } from "../../api/client";
import type { Job, JobStatus } from "../../api/types";
import type { Route } from "../../route/route";

export interface Choice {
  word: string; // in the address
  name: string;
  filter: JobFilter;
}

const one = (status: JobStatus): Choice => ({ word: status, name: status, filter: { status } });

export const kLive: Choice = { word: "", name: "all that live", filter: { ended: false } };

export const kChoices: readonly Choice[] = [
  kLive,
  one("pending"),
  one("preparing"),
  one("running"),
  one("suspended"),
  one("repairing"),
  one("releasing"),
  one("succeeded"),
  one("failed"),
  one("cancelled"),
  { word: "any", name: "all, with ended ones", filter: {} },
];

export function filterOf(route: Route): JobFilter {
  const choice = kChoices.find((one) => one.word === (route.status ?? "")) ?? kLive;
  return route.queue ? { ...choice.filter, queue: route.queue } : choice.filter;
}

/** In any of what a person may remember of a job. */
export function matchesText(job: Job, text: string | undefined): boolean {
  if (!text) return true;
  const wanted = text.toLowerCase();
  return [job.name, job.queue, job.place ?? "", job.reason ?? ""].some((field) =>
    field.toLowerCase().includes(wanted),
  );
}

const kWaits: readonly JobStatus[] = ["pending", "suspended"];

/** Who waits first, those that wait longest on top; then the others, the youngest first. */
export function inReadingOrder(jobs: readonly Job[]): Job[] {
  const waits = jobs.filter((job) => kWaits.includes(job.status));
  const others = jobs.filter((job) => !kWaits.includes(job.status));
  return [...waits.sort((a, b) => a.id - b.id), ...others.sort((a, b) => b.id - a.id)];
}
