import { own } from "../json/own.js";
import { byteLength } from "../json/utf8.js";
import type { Reason } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import type { EventSource } from "../sequencing/held.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent, EventMember } from "../wire/events.js";
import type { QuarantineRecord } from "./records.js";
import { markAllStale } from "./staleness.js";
import type { State } from "./state.js";
import { watch } from "./watch.js";

/** Adds a record; at the bound the oldest is evicted. */
export function add(state: State, record: Omit<QuarantineRecord, "number">): void {
  state.quarantinedCount += 1;
  state.quarantine.push({ number: state.quarantinedCount, ...record });
  if (state.quarantine.length > state.limits.quarantineRecordCountMax) state.quarantine.shift();
}

/** Returns the part of a line that is kept. */
export function excerpt(state: State, text: string): string { return own(text.slice(0, state.limits.quarantineByteCountMax)); }

/** Quarantines an event that would open one library or type too many. */
export function refuse(state: State, event: ChangeEvent, source: EventSource, reason: Reason, now: number): void {
  countRefused(state, event, source, reason);
  const library = event.library ?? state.defaultLibrary;
  add(state, {
    kind: source.isUpstream ? "upstream" : "line", reason, line: source.line, offset: source.offset, library,
    sequence: event.sequence, receivedAt: now, excerpt: excerpt(state, source.text ?? ""), byteCount: source.byteCount,
  });
  if (reason === "too_many_libraries" || event.sequence === null || source.isUpstream) return;
  noteHole(state, library, event.sequence, event.epoch, now);
}

/** Quarantines an unusable member of a batch; one from an upstream has no line and is dropped. */
export function setMemberAside(
  state: State, member: EventMember, event: ChangeEvent, source: EventSource, reason: Reason, now: number,
): void {
  if (source.isUpstream) return;
  state.counts.membersQuarantined += 1;
  const isKnown = event.library !== null || event.sequence !== null;
  add(state, {
    kind: "member", reason, line: source.line, offset: source.offset,
    library: isKnown ? event.library ?? state.defaultLibrary : null, sequence: event.sequence, receivedAt: now,
    excerpt: excerpt(state, member.resource), byteCount: byteLength(member.resource),
  });
}

/** Quarantines an event that would make its entity too large. Its sequence, if any, is passed and counts as lost. */
export function refuseOversized(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): void {
  countRefused(state, event, source, "too_large");
  add(state, oversized(state, event, source, library, now));
  if (event.sequence === null) return;
  library.gate.noteLost(event.sequence);
  state.lossCount += 1;
  state.noteLibrary(library);
  markAllStale(state, library, event.sequence, now);
}

/** Counts a quarantined event. */
export function countRefused(state: State, event: ChangeEvent, source: EventSource, reason: Reason): void {
  if (!source.isUpstream) state.counts.quarantined += 1;
  state.hear(event, source, "quarantined", reason);
}

/** Returns the record of an event whose entity would be too large. */
export function oversized(
  state: State, event: ChangeEvent, source: EventSource, library: Library, now: number,
): Omit<QuarantineRecord, "number"> {
  const text = source.text ?? event.members[0]?.resource ?? "";
  return {
    kind: source.isUpstream ? "upstream" : "line", reason: "too_large", line: source.isUpstream ? 0 : source.line,
    offset: source.offset, library: library.name, sequence: event.sequence, receivedAt: now,
    excerpt: excerpt(state, text), byteCount: Math.max(source.byteCount, text.length),
  };
}

/**
 * Records the sequence of an unusable line as a hole, so that the upstream is asked for it. Does nothing without an
 * upstream.
 */
export function noteHole(state: State, name: string, sequence: Sequence, epoch: string | null, now: number): void {
  const library = state.takeLibrary(name);
  if (library === null || !state.options.hasUpstream) return;
  if (library.gate.noteHole(sequence, epoch, now)) watch(state, library);
}
