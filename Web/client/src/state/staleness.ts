// What makes lists stale: it marks queries and changes no entity. Protocol/queries.md, staleness.

import { areConcerned, areTagged, hintsOf } from "../queries/hints.js";
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
export function markAllStale(state: State, library: Library | null, cause: ListStaleCause, now: number): void {
  if (state.queries.storedCount === 0) return;
  markEach(state, state.queries.all.filter((query) => library === null || query.library === library), cause, now);
}

function markEach(state: State, queries: readonly Query[], cause: ListStaleCause, now: number): number {
  let count = 0;
  inUnit(state, now, () => { for (const query of queries) if (markStale(state, query, cause, now)) count += 1; });
  return count;
}

/** Marks the queries stale that a bulk operation, a refresh or an index operation concerns. */
export function invalidateBy(state: State, event: ChangeEvent, library: Library | null, now: number): void {
  if (state.queries.storedCount === 0) return;
  if (event.kind === "refresh") {
    markAllStale(state, library, "event", now);
    return;
  }
  const table = library?.table(event.type);
  if (table === undefined || table === null) return;
  const hints = event.kind === "bulk" && event.detail !== null ? hintsOf(event.detail) : null;
  markEach(state, [...table.queries].filter(
    (query) => hints === null || areConcerned(hints, query.key.input, query.tags)), "event", now);
}

/** Which queries of a library to mark stale: every part that is given must match. */
export interface Invalidation {
  library: string;
  method: string | null;
  /** Canonical. */
  input: string | null;
  resourceType: string | null;
  tags: string | null;
  hints: string | null;
}

/** Marks the selected queries stale. Returns the number of those that were fresh. */
export function invalidate(state: State, chosen: Invalidation, now: number): number {
  const hints = chosen.hints === null ? null : hintsOf(chosen.hints);
  const type = chosen.resourceType === null ? null : state.ownType(chosen.resourceType);
  return markEach(state, state.queries.all.filter((query) => query.library.name === chosen.library
    && (chosen.method === null || chosen.method === query.key.method)
    && (chosen.input === null || chosen.input === query.key.input)
    && (type === null || query.isStored && query.table?.name === type)
    && (chosen.tags === null || areTagged(chosen.tags, query.tags))
    && (hints === null || areConcerned(hints, query.key.input, query.tags))), "invalidated", now);
}

/** Logs that the time of observed queries is over. */
export function expire(state: State, queries: readonly Query[], now: number): void {
  inUnit(state, now, () => {
    for (const query of queries) if (query.expiry !== null && query.expiry <= now) beginChange(state, query);
  });
}
