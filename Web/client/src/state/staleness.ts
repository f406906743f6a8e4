// What makes lists stale: it marks queries and changes no entity. Protocol/queries.md, staleness.

import { lists } from "../parts/index.js";
import type { ListStaleCause } from "../queries/query.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import type { State } from "./state.js";

/** Marks every query of a library stale; of every library when none is named. */
export function markAllStale(state: State, library: Library | null, cause: ListStaleCause, now: number): void {
  if (state.queries.storedCount > 0) lists.code.markLists(state, library, cause, now);
}

/** Marks the queries stale that a bulk operation, a refresh or an index operation concerns. */
export function invalidateBy(state: State, event: ChangeEvent, library: Library | null, now: number): void {
  if (state.queries.storedCount > 0) lists.code.invalidateLists(state, event, library, now);
}
