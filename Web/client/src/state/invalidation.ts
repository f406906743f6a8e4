// What a caller makes stale, and what time does. Protocol/sessions.md, cache.invalidate.

import { lists } from "../parts/index.js";
import type { Doubt } from "../store/doubts.js";
import type { Query } from "../queries/query.js";
import { beginChange } from "./elements.js";
import type { State } from "./state.js";
import { inUnit } from "./units.js";

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

/** Marks the selected queries stale, and answers to them that are on their way. Returns the number of lists that were fresh. */
export function invalidate(state: State, chosen: Invalidation, now: number): number {
  const { resourceType, ...parts } = chosen;
  const doubt: Doubt = { ...parts, cause: "invalidated", type: resourceType === null ? null : state.ownType(resourceType) };
  if (state.fetchCount > 0) state.doubts?.append(doubt);
  return state.queries.storedCount === 0 ? 0 : lists.code.markConcerned(state, doubt, now);
}

/** Logs that the time of observed queries is over. */
export function expire(state: State, queries: readonly Query[], now: number): void {
  inUnit(state, now, () => {
    for (const query of queries) if (query.expiry !== null && query.expiry <= now) beginChange(state, query);
  });
}
