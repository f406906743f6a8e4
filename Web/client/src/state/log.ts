// What heartbeats and new logs do to a library. Before: apply, sequencing. Law: L8.

import type { Library } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import { gaps } from "./parts.js";
import { markAllStale } from "./staleness.js";
import type { State } from "./state.js";
import { watch } from "./watch.js";

/** Handles a heartbeat. */
export function hearHeartbeat(state: State, event: ChangeEvent, library: Library, now: number): void {
  state.noteLibrary(library);
  const verdict = library.gate.heartbeat(event.last, event.epoch, now);
  if (verdict === "ahead") {
    if (state.options.hasUpstream) library.isUrgent = true;
    watch(state, library);
  } else if (typeof verdict === "object") {
    state.counts.held += verdict.forgotten;
    forgetLog(state, library, now);
  }
}

/** Cancels requests and marks lists stale, because the log began anew and its old sequences are meaningless. */
export function forgetLog(state: State, library: Library, now: number): void {
  if (library.scope !== null) gaps.code.forgetScope(state, library);
  if (library.machine === null) library.logCount += 1;
  else library.machine.cancel();
  state.recent?.forgetSequences(library);
  library.answeredThrough = null;
  library.forgottenThrough = null;
  library.heldOff.clear();
  library.doubts = [];
  for (const query of state.queries.all) if (query.library === library) query.listedThrough = null;
  markAllStale(state, library, null, now);
}
