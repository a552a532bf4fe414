// The one store of what the server has said. Views read it through hooks (use_live.ts); only Live
// (live.ts) writes it. Each change makes a new object, so that identity tells what has changed.
import type { ClusterEvent } from "../api/types";

export type ConnectionState = "connecting" | "live" | "broken" | "refused";

export interface Connection {
  state: ConnectionState;
  since: number; // ms, of this machine's clock
  problem: string;
  retryAt: number; // ms; 0: none is planned
}

/** An answer that is watched, by its key: "jobs?status=pending". */
export interface Entry {
  data?: unknown;
  problem?: string; // why the last try failed; the data is then that of an earlier one
  fetchedAt: number; // ms; 0: never
}

export interface State {
  connection: Connection;
  entries: ReadonlyMap<string, Entry>;
  events: readonly ClusterEvent[]; // those that came while the page was open, the last first
}

export class Store {
  #state: State = {
    connection: { state: "connecting", since: Date.now(), problem: "", retryAt: 0 },
    entries: new Map(),
    events: [],
  };
  #calls = new Set<() => void>();

  state = (): State => this.#state;

  subscribe = (call: () => void): (() => void) => {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  };

  set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const call of [...this.#calls]) call();
  }

  setEntry(key: string, change: Partial<Entry>): void {
    const entries = new Map(this.#state.entries);
    entries.set(key, { ...(entries.get(key) ?? { fetchedAt: 0 }), ...change });
    this.set({ entries });
  }

  setConnection(change: Partial<Connection>): void {
    const now = this.#state.connection;
    const since = change.state && change.state !== now.state ? Date.now() : now.since;
    this.set({ connection: { ...now, since, ...change } });
  }

  clear(): void {
    this.set({ entries: new Map(), events: [] });
  }
}
