// Keeps the store true: holds the event stream open, and has what is on the screen asked for again
// when something happened.
import { api, ApiError, kMostEvents } from "../api/client";
import { readEvents } from "../api/event_stream";
import { setToken } from "../api/token";
import type { ClusterEvent } from "../api/types";
import { waitMs } from "./backoff";
import { isAnotherJournal, type Seen } from "./journal";
import { Store } from "./store";
import { Watched, type Loader } from "./watched";

export class Live {
  readonly store = new Store();
  #watched = new Map<string, Watched>();
  #seen: Seen | undefined; // none: nothing since the page last began anew
  #failures = 0;
  #stream = new AbortController();
  #retry = 0;
  #fresh: ClusterEvent[] = [];
  #flush = 0;

  start(): void {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) for (const one of this.#watched.values()) if (one.isDirty) one.touch();
    });
    window.addEventListener("online", () => this.reconnect());
    void this.#connect();
  }

  /** Until the returned function is called. The same key always has the same loader. */
  watch(key: string, loader: Loader<unknown>): () => void {
    let one = this.#watched.get(key);
    if (!one) {
      one = new Watched(key, loader, this.store, () => this.#refused());
      this.#watched.set(key, one);
      one.start();
    }
    const watched = one;
    ++watched.watchers;
    return () => {
      if (--watched.watchers > 0) return;
      watched.stop();
      this.#watched.delete(key);
    };
  }

  touchAll(): void {
    for (const one of this.#watched.values()) one.touch();
  }

  /** At once, instead of when the next try is due. */
  reconnect(): void {
    this.#failures = 0;
    window.clearTimeout(this.#retry);
    this.#stream.abort();
    void this.#connect();
  }

  useToken(value: string): void {
    setToken(value);
    this.#seen = undefined;
    this.store.clear();
    this.store.setConnection({ state: "connecting", problem: "", retryAt: 0 });
    this.reconnect();
    this.touchAll();
  }

  async #connect(): Promise<void> {
    const stream = new AbortController();
    this.#stream = stream;
    try {
      await this.#forgetIfAnother();
      await readEvents(
        this.#seen?.revision,
        { onOpen: () => this.#opened(), onEvent: (event) => this.#happened(event) },
        stream.signal,
      );
      if (!stream.signal.aborted) this.#broken("the server closed the connection");
    } catch (problem) {
      if (stream.signal.aborted) return; // replaced by another
      if (problem instanceof ApiError && problem.status === 401) return this.#refused();
      // The server no longer has what came after: go on from now, the lists are asked for anyway.
      if (problem instanceof ApiError && problem.status === 404) this.#seen = undefined;
      this.#broken(problem instanceof ApiError ? problem.message : "the server cannot be reached");
    }
  }

  async #forgetIfAnother(): Promise<void> {
    if (this.#seen === undefined) return;
    if (isAnotherJournal(this.#seen, await api.standing())) {
      this.#seen = undefined;
      this.store.set({ events: [] });
    }
  }

  #opened(): void {
    this.#failures = 0;
    this.store.setConnection({ state: "live", problem: "", retryAt: 0 });
    this.touchAll();
  }

  #broken(problem: string): void {
    ++this.#failures;
    const wait = waitMs(this.#failures, Math.random());
    this.store.setConnection({ state: "broken", problem, retryAt: Date.now() + wait });
    this.#retry = window.setTimeout(() => void this.#connect(), wait);
  }

  #refused(): void {
    if (this.store.state().connection.state === "refused") return;
    window.clearTimeout(this.#retry);
    this.#stream.abort();
    this.store.setConnection({ state: "refused", problem: "a token is needed", retryAt: 0 });
  }

  // Events come in bursts; the screen is drawn once for each.
  #happened(event: ClusterEvent): void {
    this.#seen = { revision: event.revision, at: performance.now() };
    this.#fresh.push(event);
    this.#flush ||= window.setTimeout(() => {
      this.#flush = 0;
      const events = [...this.#fresh.reverse(), ...this.store.state().events];
      this.#fresh = [];
      this.store.set({ events: events.slice(0, kMostEvents) });
      this.touchAll();
    }, 100);
  }
}

export const live = new Live();
