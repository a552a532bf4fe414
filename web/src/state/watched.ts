// One answer that is on the screen: loaded when somebody watches it, and again when it may have
// changed, never more often than its gap allows and never twice at once.
import { ApiError } from "../api/client";
import type { Store } from "./store";

export interface Loader<T> {
  load: () => Promise<T>;
  merge?: (before: T | undefined, now: T) => T; // keeps what is equal
  gapMs?: number; // from one start to the next; default kGapMs
  pollMs?: number; // asked for again even where nothing happens
}

const kGapMs = 1000;
// A server or a network that is slow is asked more rarely: this many times what an answer takes.
const kRest = 3;

export class Watched {
  watchers = 0;
  #startedAt = 0;
  #tookMs = 0;
  #isLoading = false;
  #isDirty = false;
  #timer = 0;
  #poll = 0;

  constructor(
    readonly key: string,
    readonly loader: Loader<unknown>,
    private readonly store: Store,
    private readonly onRefused: () => void,
  ) {}

  start(): void {
    void this.#load();
    if (this.loader.pollMs) this.#poll = window.setInterval(() => this.touch(), this.loader.pollMs);
  }

  stop(): void {
    window.clearTimeout(this.#timer);
    window.clearInterval(this.#poll);
    this.#timer = 0;
  }

  /** Something happened: it may have changed. */
  touch(): void {
    this.#isDirty = true;
    if (this.#isLoading || this.#timer !== 0 || document.hidden) return;
    const gap = Math.max(this.loader.gapMs ?? kGapMs, kRest * this.#tookMs);
    const wait = Math.max(0, this.#startedAt + gap - Date.now());
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      void this.#load();
    }, wait);
  }

  get isDirty(): boolean {
    return this.#isDirty;
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    this.#isDirty = false;
    this.#startedAt = Date.now();
    try {
      const now = await this.loader.load();
      const before = this.store.state().entries.get(this.key)?.data;
      const data = this.loader.merge ? this.loader.merge(before, now) : now;
      this.store.setEntry(this.key, { data, problem: "", fetchedAt: Date.now() });
    } catch (problem) {
      const text = problem instanceof Error ? problem.message : String(problem);
      const isGone = problem instanceof ApiError && problem.status === 404;
      this.store.setEntry(
        this.key,
        isGone ? { data: undefined, problem: text } : { problem: text },
      );
      if (problem instanceof ApiError && problem.status === 401) this.onRefused();
    } finally {
      this.#tookMs = Date.now() - this.#startedAt;
      this.#isLoading = false;
      if (this.#isDirty && this.watchers > 0) this.touch();
    }
  }
}
