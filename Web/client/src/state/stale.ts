// What makes lists stale: it marks queries and changes no entity. Protocol/queries.md, staleness.

import { areConcerned, hintsOf } from "../queries/hints.js";
import type { ListStaleCause, Query } from "../queries/query.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import { beginChange } from "./elements.js";
import type { State } from "./state.js";
import { inUnit } from "./units.js";

/** Marks a query stale. Returns whether it was fresh. */
export function markStale(state: State, query: Query, cause: ListStaleCause, now: number): boolean {
  // What is evaluated over the store is as true as the store.
  if (!query.isStored || query.isLocal || query.invalidSince !== null) return false;
  beginChange(state, query);
  query.invalidSince = now;
  query.staleCause = cause;
  state.noteQuery(query);
  return true;
}

/** Marks every query of a library stale; of every library when none is named. */
export function markLists(state: State, library: Library | null, cause: ListStaleCause, now: number): void {
  markEach(state, state.queries.all.filter((query) => library === null || query.library === library), cause, now);
}

/** Marks queries stale, as one unit. Returns the number of those that were fresh. */
export function markEach(state: State, queries: readonly Query[], cause: ListStaleCause, now: number): number {
  let count = 0;
  inUnit(state, now, () => { for (const query of queries) if (markStale(state, query, cause, now)) count += 1; });
  return count;
}

/** Marks the queries stale that a bulk operation, a refresh or an index operation concerns. */
export function invalidateLists(state: State, event: ChangeEvent, library: Library | null, now: number): void {
  if (event.kind === "refresh") {
    markLists(state, library, "event", now);
    return;
  }
  const table = library?.table(event.type);
  if (table === undefined || table === null) return;
  const hints = event.kind === "bulk" && event.detail !== null ? hintsOf(event.detail) : null;
  markEach(state, [...table.queries].filter(
    (query) => hints === null || areConcerned(hints, query.key.input, query.tags)), "event", now);
}
