// Whether a server has the journal that the page's events are of, or another one, which has begun anew
// and whose numbers mean something else. Times are ms of this machine's clock.

/** The last event that the page was told. */
export interface Seen {
  revision: number;
  at: number;
}

/** How far a server is. */
export interface Standing {
  revision: number;
  askedAt: number;
  stalenessMs: number; // it has all that the journal had so long before it was asked
}

/** One that is merely behind what another server told is no other journal. */
export function isAnotherJournal(seen: Seen, server: Standing): boolean {
  const completeAt = server.askedAt - server.stalenessMs;
  return server.revision < seen.revision && seen.at < completeAt;
}
