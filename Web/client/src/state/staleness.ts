// What makes lists stale: it marks queries and changes no entity. Protocol/queries.md, staleness.

import type { Sequence } from "../model/sequence.js";
import { lists } from "../parts/index.js";
import { doubtOf, keepDoubt } from "../store/doubts.js";
import type { Doubt } from "../store/doubts.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import type { State } from "./state.js";

/** Marks every query of a library stale, because of something at a place of its log; null: the log began anew. */
export function markAllStale(state: State, library: Library, sequence: Sequence | null, now: number): void {
  cast(state, doubtOf("log", { library: library.name, log: library, sequence }), now);
}

/** Marks the queries stale that a bulk operation, a refresh or an index operation concerns; `library`: whose log has the event. */
export function invalidateBy(state: State, event: ChangeEvent, library: Library | null, now: number): void {
  const isRefresh = event.kind === "refresh";
  cast(state, doubtOf("event", {
    library: event.library ?? (isRefresh ? null : state.options.defaultLibrary), log: library, sequence: event.sequence,
    type: isRefresh ? null : event.type, hints: event.kind === "bulk" ? event.detail : null,
  }), now);
}

/** Makes stale what a doubt concerns, and notes it for answers that are on their way or name an earlier place. */
function cast(state: State, doubt: Doubt, now: number): void {
  keepDoubt(doubt);
  if (doubt.log !== null) state.noteLibrary(doubt.log);
  if (state.fetchCount > 0) state.doubts?.append(doubt);
  if (state.queries.storedCount > 0) lists.code.markConcerned(state, doubt, now);
}
