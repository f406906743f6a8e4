// Marks lists stale. Changes no entity. Protocol/queries.md, staleness.

import type { ListStaleCause, Query } from "../queries/query.js";
import type { Doubt } from "../store/recent-doubts.js";
import { beginChange } from "./elements.js";
import { inUnit } from "./in-unit.js";
import { concernsStored } from "./questions.js";
import type { State } from "./state.js";

/** Marks a query stale. True if it was fresh. */
export function markStale(state: State, query: Query, cause: ListStaleCause, now: number): boolean {
  // A local list is evaluated over the store and never stale.
  if (!query.isStored || query.isLocal || query.invalidSince !== null) return false;
  beginChange(state, query);
  query.invalidSince = now;
  query.staleCause = cause;
  state.noteQuery(query);
  return true;
}

/** Marks the queries that a doubt concerns as stale, as one unit. Returns how many were fresh. */
export function markConcerned(state: State, doubt: Doubt, now: number): number {
  const concerns = concernsStored(doubt);
  // The cost must not grow with the number of queries of other types.
  const table = doubt.type == null || doubt.log == null ? undefined : doubt.log.table(doubt.type);
  const queries = table === undefined ? state.queries.all : [...table === null ? [] : state.queries.filed(table)?.queries ?? []];
  let count = 0;
  inUnit(state, now, () => { for (const query of queries) if (concerns(query) && markStale(state, query, doubt.cause, now)) count += 1; });
  return count;
}
