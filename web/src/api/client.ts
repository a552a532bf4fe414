// What the page asks of the server, typed by the API's own document (schema.d.ts is made from it).
import createClient from "openapi-fetch";
import type { paths } from "./schema";
import { authorization } from "./token";
import type { FleetNode, JobStatus, Why } from "./types";

/** A refusal in the server's words, or that it could not be asked (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

// A list that goes on is asked for in pages of this size; the server's own most is 10,000.
const kPage = 2000;
// Of jobs and of events: as many as a person can look through. A filter narrows what is asked for.
export const kMostJobs = 2000;
export const kMostEvents = 300;

const client = createClient<paths>({ baseUrl: window.location.origin });
client.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
    return request;
  },
});

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

function messageOf(error: unknown, response: Response): string {
  const told = (error as { error?: { message?: string; field?: string } } | undefined)?.error;
  if (!told?.message) return `the server answered ${response.status} ${response.statusText}`;
  return told.field ? `${told.field} ${told.message}` : told.message;
}

/** The answer, or an ApiError. */
async function told<T>(asked: Promise<Answered<T>>): Promise<T> {
  let answered: Answered<T>;
  try {
    answered = await asked;
  } catch {
    throw new ApiError(0, "the server cannot be reached");
  }
  if (answered.data === undefined || !answered.response.ok) {
    throw new ApiError(answered.response.status, messageOf(answered.error, answered.response));
  }
  return answered.data;
}

/** Of an answer that the document leaves open; types.ts says what it is. */
async function toldAs<T>(asked: Promise<Answered<unknown>>): Promise<T> {
  return (await told(asked)) as T;
}

// Works without a secure context too, where crypto.randomUUID is missing.
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function allNodes(): Promise<FleetNode[]> {
  const nodes: FleetNode[] = [];
  let after: string | undefined;
  do {
    const query = after === undefined ? { limit: kPage } : { limit: kPage, after };
    const page = await told(client.GET("/v1/nodes", { params: { query } }));
    nodes.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return nodes;
}

export interface JobFilter {
  queue?: string;
  status?: JobStatus;
  ended?: boolean;
}

const named = (name: string) => ({ params: { path: { name } } });
const change = (name: string) => ({
  params: { path: { name }, header: { "Idempotency-Key": newKey() } },
});
const events = (query: { job?: string; after?: string }) =>
  told(client.GET("/v1/events", { params: { query: { ...query, limit: kPage } } }));

export const api = {
  cluster: () => told(client.GET("/v1/cluster")),
  /** How far the server is, and how old that is at most (state/journal.ts). */
  standing: async () => {
    const askedAt = performance.now();
    const asked = client.GET("/v1/cluster");
    const { revision } = await told(asked);
    const staleness = (await asked).response.headers.get("Berth-Staleness-Ms");
    return { revision, askedAt, stalenessMs: staleness === null ? Infinity : Number(staleness) };
  },
  queues: async () => (await told(client.GET("/v1/queues"))).items,
  nodes: allNodes,
  jobs: (filter: JobFilter) =>
    told(client.GET("/v1/jobs", { params: { query: { ...filter, limit: kMostJobs } } })),
  job: (name: string) => told(client.GET("/v1/jobs/{name}", named(name))),
  why: async (name: string) =>
    (await toldAs<{ answer: Why }>(client.GET("/v1/jobs/{name}/why", named(name)))).answer,
  receipts: async () => (await told(client.GET("/v1/plans"))).items,
  eventsOf: async (job: string) => (await events({ job })).items,
  eventsAfter: async (revision: number) => (await events({ after: String(revision) })).items,
  hold: (name: string) => told(client.POST("/v1/jobs/{name}/hold", change(name))),
  release: (name: string) => told(client.POST("/v1/jobs/{name}/release", change(name))),
  cancel: (name: string) => told(client.DELETE("/v1/jobs/{name}", change(name))),
};
