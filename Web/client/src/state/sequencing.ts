// Stage 3 of 7: events → the gate's verdicts, performed. Before: take. After: applyEffect. Laws: L4, L7, L8.

import type { Sequence } from "../model/sequence.js";
import type { EventSource } from "../sequencing/held.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import { applyEffect, count } from "./apply.js";
import { forgetLog } from "./log.js";
import { gaps } from "./parts.js";
import type { State } from "./state.js";
import { noteStatus } from "./watch.js";

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
    case "hold": return gaps.code.hold(state, event, sequence, source, library, now);
  }
}

function applyInOrder(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): void {
  if (!takeNext(state, event, sequence, source, library, now) || !library.isWatched) return;
  drain(state, library, now);
  // The missing events arrived on the stream. For an upstream's own events this is decided at the end of its response.
  const { gate, machine } = library;
  if (!source.isUpstream && machine?.isActive === true && !machine.isHealing && gate.missing === null && gate.holes.isEmpty) {
    machine.cancel();
  }
}

/** Applies the next event. One of a unit of several lines waits for the last line. False if the log began anew. */
function takeNext(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): boolean {
  const take = event.hasMore || library.scope?.isOpen === true ? gaps.code.extendUnit : takePlace;
  return take(state, event, sequence, source, library, now);
}

/** Applies the next event, and moves the cursor. Returns false if the event revealed that the log began anew. */
export function takePlace(
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

/** Applies held events while nothing is missing before them. */
export function drain(state: State, library: Library, now: number): void {
  for (let ready = library.gate.takeReady(); ready !== null; ready = library.gate.takeReady()) {
    const { event, sequence, source } = ready.held;
    if (ready.isPassed) countDuplicate(state, event, source);
    else takeNext(state, event, sequence, source, library, now);
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
  if (event.isMarked) gaps.code.scopeOf(library).isInState = true;
  count(state, event, source);
}

function beginEpoch(state: State, library: Library, epoch: string | null, baseline: Sequence | null, now: number): void {
  state.counts.held += library.gate.beginEpoch(epoch, baseline);
  state.noteLibrary(library);
  forgetLog(state, library, now);
}

/** Counts an event that its log already had. */
export function countDuplicate(state: State, event: ChangeEvent, source: EventSource): void {
  if (source.isUpstream) return;
  state.counts.duplicate += 1;
  state.hear(event, source, "duplicate");
}
