// Quarantines unusable lines, and late events that are too large. Protocol/errors.md, quarantine.

import type { EventSource } from "../sequencing/held.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent, Line, UnusableLine } from "../wire/events.js";
import { add, countRefused, excerpt, noteHole, oversized } from "./quarantine.js";
import type { State } from "./state.js";

/** Quarantines a line, and records a hole if its sequence could be read. */
export function setLineAside(state: State, line: Line, unusable: UnusableLine, now: number): void {
  state.counts.quarantined += 1;
  const library = unusable.library === null ? state.defaultLibrary : unusable.library;
  state.tap?.hear({
    event: null, library: library ?? null, sequence: unusable.sequence, type: unusable.type, bin: "quarantined", line: line.number,
    reason: unusable.reason, isLate: false,
  });
  add(state, {
    kind: "line", reason: unusable.reason, line: line.number, offset: line.offset, library: library ?? null,
    sequence: unusable.sequence, receivedAt: now, excerpt: line.text === null ? line.bytes : excerpt(state, line.text),
    byteCount: line.byteCount,
  });
  if (library !== undefined && unusable.sequence !== null) noteHole(state, library, unusable.sequence, unusable.epoch, now);
}

/** Quarantines a late event that would make its entity too large; its sequence stays lost. A copy is only counted. */
export function refuseLateOversized(
  state: State, event: ChangeEvent, source: EventSource, isCopy: boolean, library: Library, now: number,
): void {
  if (source.isUpstream) return;
  countRefused(state, event, source, "too_large");
  if (!isCopy) add(state, oversized(state, event, source, library, now));
}
