// What a caller makes stale, and what time does. Protocol/sessions.md, cache.invalidate.

import { lists } from "../parts/index.js";
import type { Query } from "../queries/query.js";
import { beginChange } from "./elements.js";
import { markEach } from "./stale.js";
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

/** Marks the selected queries stale. Returns the number of those that were fresh. */
export function invalidate(state: State, chosen: Invalidation, now: number): number {
  if (state.queries.storedCount === 0) return 0;
  const { areConcerned, areTagged, hintsOf } = lists.code;
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
