// The objects of the API by their names in the page. What the API's document leaves open is written
// down here by hand (receipts, answers of why).
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Cluster = Schemas["cluster"];
export type Queue = Schemas["queue_state"];
export type FleetNode = Schemas["node_state"];
export type Card = Schemas["card_state"];
export type Job = Schemas["job_state"];
export type JobStatus = Job["status"];
export type Lease = Schemas["lease"];
export type ClusterEvent = Schemas["event"];
export type Changed = Schemas["changed"];

export interface Page<T> {
  items: T[];
  next?: string;
  revision: number;
}

/** src/server/receipts_answer.cc */
export interface Victim {
  job: string;
  node: string;
  grade: string;
  ownership: string;
  cards_milli: number;
  lost_ms: number;
  latency_ms: number;
  price_micro: number;
  target?: string;
}

export interface Receipt {
  receipt: number;
  job: string;
  part_of?: number;
  right: string;
  outcome: string;
  made_at_ms: number;
  expires_at_ms: number;
  ended_at_ms?: number;
  gain_micro: number;
  price_micro: number;
  next_best_micro?: number;
  place: string;
  victims: Victim[];
}

/** src/server/why_answer.cc */
export interface Reason {
  rule: string;
  text: string;
}

export interface Fix {
  text: string;
  by: string; // owner, time, request or operator
  commands: { do: string }[];
}

export interface Why {
  job: string;
  phase: string;
  primary_reason: Reason | null;
  other_reasons: Reason[];
  stopped: { text: string } | null;
  waits_ms: number | null;
  eta: { text: string; in_ms: number | null; jobs_before: number } | null;
  fixes: Fix[];
}
