// Stage 3 of 7: events → the gate's verdicts, performed. Before: take. After: applyEffect. Laws: L4, L7, L8.

import { predecessor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { gaps } from "../parts/index.js";
import type { EventSource } from "../sequencing/held.js";
import type { Library } from "../store/library.js";
import { own } from "../store/own.js";
import type { ChangeEvent } from "../wire/events.js";
import { applyEffect, count } from "./apply.js";
import { markAllStale } from "./staleness.js";
import type { State } from "./state.js";
import { noteStatus, watch } from "./watch.js";

/** Passes an event to its library's gate, and performs the verdict. */
export function offer(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): void {
  admit(state, event, source, library, now);
  noteStatus(state, library, now);
}

function admit(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): void {
  if (event.kind === "reset") return reset(state, event, source, library, now);
  const sequence = event.sequence;
  if (sequence === null) return applyEffect(state, event, source, library, now);
  state.noteLibrary(library);
  const gate = library.gate;
  gate.adoptFirstEpoch(event.epoch);
  switch (gate.verdict(sequence, event.previous, event.epoch)) {
    case "apply": return applyInOrder(state, event, sequence, source, library, now);
    case "duplicate": return countDuplicate(state, event, source);
    case "late":
      gaps.code.applyLate(state, event, sequence, source, library, now);
      return;
    case "new_epoch":
      beginEpoch(state, library, event.epoch, null, now);
      return applyInOrder(state, event, sequence, source, library, now);
    case "hold": return hold(state, event, sequence, source, library, now);
  }
}

function applyInOrder(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): void {
  if (!takePlace(state, event, sequence, source, library, now) || !library.isWatched) return;
  drain(state, library, now);
  // The missing events arrived on the stream. For an upstream's own events this is decided at the end of its response.
  const { gate, machine } = library;
  if (!source.isUpstream && machine?.isActive === true && !machine.isHealing && gate.missing === null && gate.holes.isEmpty) {
    machine.cancel();
  }
}

/** Applies the next event, and moves the cursor. Returns false if the event revealed that the log began anew. */
function takePlace(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): boolean {
  const gate = library.gate;
  const generation = gate.generation;
  // A heartbeat is about the log after its own position, so the cursor moves first.
  const speaks = event.kind === "heartbeat";
  if (speaks) gate.advance(sequence);
  applyEffect(state, event, source, library, now);
  if (gate.generation !== generation) return false;
  if (!speaks) gate.advance(sequence);
  return true;
}

function hold(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): void {
  const held = library.gate.held;
  // The held event from the stream equals the upstream's, and was counted with its line.
  if (source.isUpstream && held.has(sequence)) return;
  const previous = event.previous ?? predecessor(sequence);
  if (!held.insert({ event: ownEvent(event), sequence, previous, source: { ...source, text: null }, heldAt: now })) {
    return countDuplicate(state, event, source);
  }
  state.hear(event, source, "held");
  watch(state, library);
  if (!held.isOver) return;
  if (state.options.hasUpstream) {
    library.isUrgent = true;
    return;
  }
  while (held.isOver && loseGap(state, library, false, now)) { /* one gap after the other */ }
}

/** Copies the parts of a line that an event refers to, so that the line can be freed while the event is held. */
function ownEvent(event: ChangeEvent): ChangeEvent {
  const ownOrNull = (text: string | null): string | null => text === null ? null : own(text);
  return {
    ...event, library: ownOrNull(event.library), epoch: ownOrNull(event.epoch), mutationId: ownOrNull(event.mutationId),
    type: own(event.type), detail: ownOrNull(event.detail), name: own(event.name),
    members: event.members.map((member) => ({ ...member, id: own(member.id), resource: own(member.resource) })),
  };
}

/** Declares the first gap lost, or only its first sequence, and applies the events held behind it. */
export function loseGap(state: State, library: Library, isFirstAlone: boolean, now: number): boolean {
  if (!library.gate.declareLost(isFirstAlone)) return false;
  state.lossCount += 1;
  state.noteLibrary(library);
  markAllStale(state, library, library.cursor, now);
  drain(state, library, now);
  return true;
}

/** Applies held events while nothing is missing before them. */
export function drain(state: State, library: Library, now: number): void {
  for (let ready = library.gate.takeReady(); ready !== null; ready = library.gate.takeReady()) {
    const { event, sequence, source } = ready.held;
    if (ready.isPassed) countDuplicate(state, event, source);
    else takePlace(state, event, sequence, source, library, now);
  }
}

function reset(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): void {
  const gate = library.gate;
  const isOfNewLog = event.epoch === null || event.epoch === event.name;
  const sequence = isOfNewLog ? event.sequence : null;
  if (sequence !== null && gate.cursor !== null && gate.epoch === event.name && sequence <= gate.cursor) {
    if (gate.lost.contains(sequence)) gaps.code.applyLate(state, event, sequence, source, library, now);
    else countDuplicate(state, event, source);
    return;
  }
  beginEpoch(state, library, event.name, sequence, now);
  count(state, event, source);
}

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

function beginEpoch(state: State, library: Library, epoch: string | null, baseline: Sequence | null, now: number): void {
  state.counts.held += library.gate.beginEpoch(epoch, baseline);
  state.noteLibrary(library);
  forgetLog(state, library, now);
}

/** Cancels requests and marks lists stale, because the log began anew and its old sequences are meaningless. */
function forgetLog(state: State, library: Library, now: number): void {
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

function countDuplicate(state: State, event: ChangeEvent, source: EventSource): void {
  if (source.isUpstream) return;
  state.counts.duplicate += 1;
  state.hear(event, source, "duplicate");
}
