// Units of several lines, and states: what the log of a scope adds. Before: sequencing, apply. Protocol/scopes.md.

import { own } from "../json/own.js";
import { predecessor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import type { EventSource, HeldEvent } from "../sequencing/held.js";
import { ScopeState } from "../sequencing/scope.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import { inUnit } from "./in-unit.js";
import { hearHeartbeat } from "./log.js";
import { edits } from "./parts.js";
import { forgetEntity } from "./removal.js";
import { takePlace } from "./sequencing.js";
import type { State } from "./state.js";
import { beginUnit, endUnit } from "./units.js";

/** Returns what a library knows of units and states, created on first use. */
export function scopeOf(library: Library): ScopeState { return library.scope ??= new ScopeState(); }

/**
 * Adds the next event to its unit, and applies the unit if this was its last line, or if it is past its bound. False if
 * an event of the unit showed that the log began anew.
 */
export function extendUnit(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): boolean {
  const scope = scopeOf(library);
  const previous = event.previous ?? predecessor(sequence);
  scope.add({ event: ownEvent(event), sequence, previous, source: { ...source, text: null }, heldAt: now }, library.gate.cursor);
  library.gate.advance(sequence);
  if (!event.hasMore || scope.isOver) return applyUnit(state, library, now);
  state.hear(event, source, "held");
  return true;
}

/** Applies the events of a library's open unit as one unit. False if one of them showed that the log began anew. */
export function applyUnit(state: State, library: Library, now: number): boolean {
  const { gate } = library;
  const scope = scopeOf(library);
  const reached = gate.cursor;
  const events = scope.take();
  // Each event moves the cursor again as it is applied.
  gate.cursor = scope.before;
  const hasReaders = state.hasReaders;
  if (hasReaders) beginUnit(state, true);
  const end = events.findIndex(({ event, sequence, source }) => !takePlace(state, event, sequence, source, library, now));
  if (hasReaders) endUnit(state, now);
  if (end >= 0) {
    countHeld(state, events.slice(end + 1));
    return false;
  }
  // Sequences after the last event that do not exist.
  if (reached !== null && (gate.cursor === null || reached > gate.cursor)) gate.advance(reached);
  return true;
}

/** Drops the open unit and the end of a state, because the log began anew. */
export function forgetScope(state: State, library: Library): void {
  const { scope } = library;
  if (scope === null) return;
  countHeld(state, scope.take());
  scope.isInState = false;
  scope.isSourceStale = false;
}

/**
 * Drops what waits for further lines, because the stream broke off and goes on from the cursor in other lines. They may
 * have the numbers of dropped ones: an answer to a request for missing events is not used any more.
 */
export function dropWaiting(state: State, library: Library): void {
  const { gate, scope, machine } = library;
  machine?.cancel();
  gate.tail = null;
  gate.holes.removeAll();
  countHeld(state, gate.held.all);
  gate.held.removeAll();
  if (scope?.isOpen !== true) return;
  gate.cursor = scope.before;
  countHeld(state, scope.take());
}

function countHeld(state: State, events: readonly HeldEvent[]): void {
  state.counts.held += events.filter(({ source }) => !source.isUpstream).length;
}

/** Copies the parts of a line that an event refers to, so that the line can be freed while the event waits. */
export function ownEvent(event: ChangeEvent): ChangeEvent {
  const ownOrNull = (text: string | null): string | null => text === null ? null : own(text);
  return {
    ...event, library: ownOrNull(event.library), epoch: ownOrNull(event.epoch), mutationId: ownOrNull(event.mutationId),
    type: own(event.type), detail: ownOrNull(event.detail), name: own(event.name),
    members: event.members.map((member) => ({ ...member, id: own(member.id), resource: own(member.resource) })),
  };
}

// Heartbeats and states

/** Handles a heartbeat of a log that has states or units, or whose source is stale. */
export function hearInScope(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): void {
  const scope = scopeOf(library);
  state.noteLibrary(library);
  if (event.sequence !== null && event.sequence === event.last) endState(state, library, now);
  if (source.isUpstream) return;
  if (!isInsideUnit(event, library)) hearHeartbeat(state, event, library, now);
  scope.isSourceStale = event.isMarked;
}

/** True for a heartbeat inside an open unit, which repeats a number that the reader has. */
function isInsideUnit({ last, epoch }: ChangeEvent, { gate, scope }: Library): boolean {
  return scope?.isOpen === true && last >= (scope.before ?? 0) && last <= (gate.cursor ?? 0) && (epoch === null || epoch === gate.epoch);
}

/**
 * Ends a state: removes the entities that were not written since it began, as one unit. Each reset begins a generation,
 * and each write has that of its log, so no set of keys is kept. A state of which a number is lost ends nothing: its
 * entity would be removed although the source has it.
 */
function endState(state: State, library: Library, now: number): void {
  const { gate } = library;
  const scope = scopeOf(library);
  if (!scope.isInState || !gate.lost.isEmpty) return;
  const old = [...library.types.values()].flatMap((table) =>
    [...table.slots.values()].filter((slot) => slot.text !== null && slot.stamp.generation !== gate.generation));
  inUnit(state, now, () => {
    for (const slot of old) {
      if (!state.layers.isEmpty) edits.code.failDeparted(state, slot);
      forgetEntity(state, slot, now);
    }
  });
  scope.isInState = false;
  gate.staleCause = null;
}
