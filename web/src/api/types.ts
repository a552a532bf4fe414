// The objects of the API by their names in the page. What the API's document leaves open is written
// down here by hand (answers of why).
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
export type Receipt = Schemas["receipt"];
export type Victim = Schemas["victim"];

export interface Page<T> {
  items: T[];
  next?: string;
  revision: number;
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
