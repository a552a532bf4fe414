// How views get at the store: a hook for each thing that the server knows. A view that needs another
// adds a line here.
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { api, kMostEvents, type JobFilter } from "../api/client";
import type {
  Cluster,
  ClusterEvent,
  FleetNode,
  Job,
  Page,
  Queue,
  Receipt,
  Why,
} from "../api/types";
import { assignColours, type Colours } from "../domain/colours";
import { keepEqual } from "../domain/keep_equal";
import { colourOrder, queueTree, type QueueNode } from "../domain/queue_tree";
import { live } from "./live";
import type { Connection } from "./store";
import type { Loader } from "./watched";

export interface Live<T> {
  data: T | undefined;
  problem: string; // the data, if any, is then of an earlier time
  fetchedAt: number;
}

/** Watches while the component is there. `key` undefined: nothing is asked for. */
function useLive<T>(key: string | undefined, loader: Loader<T>): Live<T> {
  const latest = useRef(loader);
  latest.current = loader;
  useEffect(() => {
    if (key === undefined) return undefined;
    return live.watch(key, latest.current as Loader<unknown>);
  }, [key]);
  const entry = useSyncExternalStore(live.store.subscribe, () =>
    key === undefined ? undefined : live.store.state().entries.get(key),
  );
  return {
    data: entry?.data as T | undefined,
    problem: entry?.problem ?? "",
    fetchedAt: entry?.fetchedAt ?? 0,
  };
}

const byName = (item: { name: string }) => item.name;

function keepPage(before: Page<Job> | undefined, now: Page<Job>): Page<Job> {
  return { ...now, items: [...keepEqual(before?.items ?? [], now.items, (job) => job.id)] };
}

export function useConnection(): Connection {
  return useSyncExternalStore(live.store.subscribe, () => live.store.state().connection);
}

export function useNewEvents(): readonly ClusterEvent[] {
  return useSyncExternalStore(live.store.subscribe, () => live.store.state().events);
}

// Asked for now and then even in a quiet cluster: ages are told by its clock.
const kClockMs = 5000;

export const useCluster = () =>
  useLive<Cluster>("cluster", { load: api.cluster, pollMs: kClockMs });

export const useNodes = () =>
  useLive<readonly FleetNode[]>("nodes", {
    load: api.nodes,
    merge: (before, now) => keepEqual(before ?? [], now, byName),
  });

const useQueueList = () =>
  useLive<readonly Queue[]>("queues", {
    load: api.queues,
    merge: (before, now) => keepEqual(before ?? [], now, byName),
  });

export interface QueueTree extends Live<readonly Queue[]> {
  roots: QueueNode[];
  colours: Colours;
}

let colours: Colours = new Map(); // of this page: a queue keeps its colour

export function useQueues(): QueueTree {
  const queues = useQueueList();
  const made = useMemo(() => {
    const roots = queueTree(queues.data ?? []);
    colours = assignColours(colourOrder(roots), colours);
    return { roots, colours };
  }, [queues.data]);
  return { ...queues, ...made };
}

export const useJobs = (filter: JobFilter) =>
  useLive<Page<Job>>(`jobs?${JSON.stringify(filter)}`, {
    load: () => api.jobs(filter),
    merge: keepPage,
  });

export const useJob = (name: string) => useLive<Job>(`job/${name}`, { load: () => api.job(name) });

export const useJobEvents = (name: string) =>
  useLive<ClusterEvent[]>(`events-of/${name}`, { load: () => api.eventsOf(name), gapMs: 2000 });

// The answer is worked out on a copy of the whole state: not for each event.
export const useWhy = (name: string | undefined) =>
  useLive<Why>(name === undefined ? undefined : `why/${name}`, {
    load: () => api.why(name ?? ""),
    gapMs: 5000,
  });

export const useReceipts = () =>
  useLive<Receipt[]>("receipts", { load: api.receipts, gapMs: 2000 });

/** The last events of before the page was opened. */
export const useOldEvents = (revision: number | undefined) =>
  useLive<ClusterEvent[]>(revision === undefined ? undefined : "events", {
    load: () => api.eventsAfter(Math.max(0, (revision ?? 0) - kMostEvents)),
    gapMs: 3600_000,
  });
