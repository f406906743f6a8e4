// Invalidation by callers, and expiry. Protocol/sessions.md, cache.invalidate.

import type { Query } from "../queries/query.js";
import type { Doubt } from "../store/recent-doubts.js";
import { beginChange } from "./elements.js";
import { inUnit } from "./in-unit.js";
import { lists } from "./parts.js";
import type { State } from "./state.js";

/** Which queries of a library to mark stale: every member that is not null must match. */
export interface Invalidation {
  /** The library of the queries. */
  library: string;
  /** The method of the queries. */
  method: string | null;
  /** The canonical input of the queries. */
  input: string | null;
  /** The type of the lists. */
  resourceType: string | null;
  /** The tags to match, as JSON. */
  tags: string | null;
  /** The hints to match, as JSON. */
  hints: string | null;
}

/** Marks the selected queries stale, and awaited responses to them. Returns the number of lists that were fresh. */
export function invalidate(state: State, chosen: Invalidation, now: number): number {
  const { resourceType, ...parts } = chosen;
  const doubt: Doubt = { ...parts, cause: "invalidated", type: resourceType === null ? null : state.ownType(resourceType) };
  if (state.fetchCount > 0) state.doubts?.append(doubt);
  return state.queries.storedCount === 0 ? 0 : lists.code.markConcerned(state, doubt, now);
}

/** Logs that observed queries have expired. */
export function expire(state: State, queries: readonly Query[], now: number): void {
  inUnit(state, now, () => {
    for (const query of queries) if (query.expiry !== null && query.expiry <= now) beginChange(state, query);
  });
}
