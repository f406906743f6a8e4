// Turns events and log changes into doubts about lists. Changes no entity. Protocol/queries.md, staleness.

import type { Sequence } from "../model/sequence.js";
import { keepDoubt } from "../store/doubts.js";
import type { Library } from "../store/library.js";
import type { Doubt } from "../store/recent-doubts.js";
import type { ChangeEvent } from "../wire/events.js";
import { lists } from "./parts.js";
import type { State } from "./state.js";

/** Marks every query of a library stale, because of something at a position of its log; null if the log began anew. */
export function markAllStale(state: State, log: Library, sequence: Sequence | null, now: number): void {
  cast(state, { cause: "log", library: log.name, log, sequence }, now);
}

/**
 * Marks the queries that a bulk operation, a refresh or an index operation concerns as stale. `log` is the library that
 * has the event.
 */
export function invalidateBy(state: State, event: ChangeEvent, log: Library | null, now: number): void {
  const { kind, sequence } = event;
  const type = kind === "refresh" ? null : event.type;
  const hints = kind === "bulk" ? event.detail : null;
  if (log !== null && sequence !== null) {
    keepDoubt(log, sequence, type, hints);
    state.noteLibrary(log);
  }
  const library = event.library ?? (type === null ? null : state.defaultLibrary);
  cast(state, { cause: "event", library, log, sequence, type, hints }, now);
}

/** Marks the lists that a doubt concerns as stale, and records the doubt for awaited responses. */
function cast(state: State, doubt: Doubt, now: number): void {
  if (state.fetchCount > 0) state.doubts?.append(doubt);
  if (state.queries.storedCount > 0) lists.code.markConcerned(state, doubt, now);
}
