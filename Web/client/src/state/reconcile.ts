// Requests for missing events, and their responses. Protocol/sequencing.md.

import { BEFORE_FIRST, earlier, later, laterKnown, predecessor, successor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { isFirstMissingHole, proveHoles, skip, witnessOf } from "../sequencing/covered.js";
import type { EventSource } from "../sequencing/held.js";
import { machineOf } from "../sequencing/reconcile.js";
import type { ReconcileAction } from "../sequencing/reconcile.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent, DecodedLine } from "../wire/events.js";
import { recover } from "./late.js";
import type { ReconcileRequest } from "./records.js";
import { loseGap } from "./hold.js";
import { drain } from "./sequencing.js";
import type { State } from "./state.js";
import { take } from "./take.js";
import { noteStatus } from "./watch.js";

/** How long a gap may wait for events out of order: not at all, for the reorder window, or while input is unread. */
export type GapPatience = "none" | "window" | "endless";

/** A decoded line in an upstream's response. */
export interface AnsweredLine {
  /** The meaning of the line. */
  decoded: DecodedLine;
  /** Where the line came from. */
  source: EventSource;
}

/**
 * Checks every library with missing events: requests them or, without an upstream, declares lost what has waited too
 * long.
 */
export function expireGaps(state: State, patience: GapPatience, now: number): ReconcileRequest[] {
  if (state.watched.length === 0) return [];
  const requests: ReconcileRequest[] = [];
  for (const library of [...state.watched]) {
    while (isDue(state, library, patience, now)) {
      library.isUrgent = false;
      if (state.options.hasUpstream) requests.push(...follow(state, machineOf(library).start("gap", now), library, now));
      else loseGap(state, library, false, now);
    }
    noteStatus(state, library, now);
  }
  state.watched = state.watched.filter((library) => {
    if (library.gate.missing !== null || !library.gate.holes.isEmpty || machineOf(library).isActive) return true;
    library.isWatched = false;
    library.isUrgent = false;
    return false;
  });
  return requests;
}

function isDue(state: State, library: Library, patience: GapPatience, now: number): boolean {
  const since = library.openSince;
  if (machineOf(library).isActive || since === null) return false;
  if (patience === "none" || library.isUrgent) return true;
  return patience === "window" && now - since >= state.options.reorderWindow;
}

/** Returns when gaps must be checked next, in milliseconds since 1970; null if nothing is missing. */
export function nextGapDeadline(state: State): number | null {
  let deadline: number | null = null;
  for (const library of state.watched) {
    const since = library.openSince;
    if (machineOf(library).isActive || since === null) continue;
    const own = library.isUrgent ? since : since + state.options.reorderWindow;
    deadline = Math.min(deadline ?? own, own);
  }
  return deadline;
}

/** The sequences in a response's lines. */
class AnswerScan {
  readonly bad = new Set<Sequence>();
  /** The sequences in `bad` that certainly belong to the current log. */
  readonly proving = new Set<Sequence>();
  last: Sequence | null = null;
  isForeign = false;

  /**
   * Returns the sequence up to which the response proves that absent events do not exist; null if it proves nothing.
   */
  covered(through: Sequence | null, cursor: Sequence | null, witness: Sequence): Sequence | null {
    if (through === null || this.isForeign) return null;
    let covered = earlier(through, witness);
    for (const sequence of this.bad) if (sequence > (cursor ?? BEFORE_FIRST)) covered = earlier(covered, predecessor(sequence));
    return covered;
  }
}

function forEachEvent(
  state: State, lines: readonly AnsweredLine[], library: Library, scan: AnswerScan,
  body: (event: ChangeEvent, source: EventSource) => void,
): void {
  for (const { decoded, source } of lines) {
    const gate = library.gate;
    const isOwn = (name: string | null): boolean => (name ?? state.defaultLibrary) === library.name;
    if (decoded.is === "event") {
      const { event } = decoded;
      if (event.kind === "reset" || event.sequence === null || !isOwn(event.library)) continue;
      // A log may also contain events from before it began anew.
      if (event.epoch !== null && gate.epoch !== null && event.epoch !== gate.epoch) {
        scan.isForeign = true;
        continue;
      }
      scan.last = laterKnown(scan.last, event.sequence);
      body(event, source);
    } else if (decoded.is === "unusable") {
      const { line } = decoded;
      if (line.sequence === null || !isOwn(line.library ?? null)) continue;
      if (line.epoch !== null && gate.epoch !== null && line.epoch !== gate.epoch) {
        scan.isForeign = true;
        continue;
      }
      scan.bad.add(line.sequence);
      if (line.epoch !== null || gate.epoch === null) scan.proving.add(line.sequence);
    }
  }
}

/** Applies an upstream's response. `random` is from 0 to 1. */
export function applyAnswer(
  state: State, lines: readonly AnsweredLine[], coveredThrough: Sequence | null, library: Library, attempt: number,
  random: number, now: number,
): ReconcileRequest[] {
  if (!machineOf(library).isAsking(attempt)) return [];
  state.noteLibrary(library);
  const requests = machineOf(library).isHealing
    ? heal(state, lines, coveredThrough, library, attempt, now)
    : fillGap(state, lines, coveredThrough, library, attempt, random, now);
  noteStatus(state, library, now);
  return requests;
}

function fillGap(
  state: State, lines: readonly AnsweredLine[], coveredThrough: Sequence | null, library: Library, attempt: number,
  random: number, now: number,
): ReconcileRequest[] {
  const gate = library.gate;
  const { cursor, generation } = gate;
  const scan = new AnswerScan();
  forEachEvent(state, lines, library, scan, (event, source) => take(state, event, source, now));
  let witness = later(library.askedWitness, scan.last ?? BEFORE_FIRST);
  const proving = [...scan.proving].reduce<Sequence | null>(laterKnown, null);
  if (proving !== null) {
    const tail = gate.tail;
    proveHoles(gate, proving, now);
    if (gate.tail !== null && gate.tail !== tail) witness = later(witness, gate.tail);
  }
  const covered = scan.covered(coveredThrough, gate.cursor, witness);
  // Skipping stops at each held event; applying it leads to the next gap, which is covered as well.
  let skippedTo = cursor;
  while (covered !== null && gate.generation === generation) {
    skip(gate, covered);
    drain(state, library, now);
    if (gate.cursor === skippedTo) break;
    skippedTo = gate.cursor;
  }
  // The upstream has the same unusable event, so no source has a usable one.
  for (let missing = gate.missing; missing !== null; missing = gate.missing) {
    if (!scan.proving.has(missing.first) || !isFirstMissingHole(gate)) break;
    loseGap(state, library, true, now);
  }
  const hasProgress = gate.cursor !== cursor || gate.generation !== generation;
  return follow(state, machineOf(library).answered(attempt, hasProgress, gate.missing !== null, random, now), library, now);
}

/** Handles a failure of the upstream. */
export function failReconcile(
  state: State, library: Library, attempt: number, isFinal: boolean, random: number, now: number,
): ReconcileRequest[] {
  const machine = machineOf(library);
  // An unproven hole is requested once.
  const action = machine.isHealing
    ? machine.healed(attempt) : machine.failed(attempt, isFinal || library.gate.missing === null, random);
  if (machine.isHealing === false && action.is !== "ignore") library.healingFrom = null;
  const requests = follow(state, action, library, now);
  noteStatus(state, library, now);
  return requests;
}

/** Continues after a pause. */
export function resumeReconcile(state: State, library: Library, attempt: number, now: number): ReconcileRequest[] {
  const isMissing = library.gate.missing !== null || !library.gate.holes.isEmpty;
  const requests = follow(state, machineOf(library).resumed(attempt, isMissing, now), library, now);
  noteStatus(state, library, now);
  return requests;
}

function follow(state: State, action: ReconcileAction, library: Library, now: number): ReconcileRequest[] {
  const gate = library.gate;
  switch (action.is) {
    case "ask": {
      if (machineOf(library).isHealing) {
        return [{ is: "ask", library, from: library.healingFrom ?? 0, attempt: action.attempt }];
      }
      gate.holes.markAsked();
      library.askedWitness = witnessOf(gate);
      return [{ is: "ask", library, from: successor(gate.cursor ?? BEFORE_FIRST), attempt: action.attempt }];
    }
    case "wait": return [{ is: "wait", library, attempt: action.attempt, milliseconds: action.milliseconds }];
    case "give_up": {
      // Gaps that opened after the request get one of their own.
      const askedAt = machineOf(library).askedAt;
      for (let since = gate.missingSince; since !== null && since <= askedAt; since = gate.missingSince) {
        loseGap(state, library, false, now);
      }
      gate.holes.removeAsked();
      return [];
    }
    case "settled":
      gate.holes.removeAsked();
      return [];
    case "ignore": return [];
  }
}

// Healing

/** True if a library has lost events that can be requested now. */
export function canHeal(state: State, library: Library): boolean {
  return state.options.hasUpstream && !library.gate.lost.isEmpty && !machineOf(library).isActive
    && library.gate.missing === null && library.gate.holes.isEmpty && library.scope?.isOpen !== true;
}

/** Starts one request for the lost events of a library. */
export function beginHealing(state: State, library: Library, now: number): ReconcileRequest[] {
  return canHeal(state, library) ? askForLost(0, library, now) : [];
}

function askForLost(from: Sequence, library: Library, now: number): ReconcileRequest[] {
  const first = library.gate.lost.firstFrom(from);
  if (first === null) return [];
  const action = machineOf(library).start("healing", now);
  if (action.is !== "ask") return [];
  library.healingFrom = first;
  return [{ is: "ask", library, from: first, attempt: action.attempt }];
}

/** Applies a response with lost events: these are late events; others in it are ignored. */
function heal(
  state: State, lines: readonly AnsweredLine[], coveredThrough: Sequence | null, library: Library, attempt: number,
  now: number,
): ReconcileRequest[] {
  const first = library.healingFrom ?? 0;
  const scan = new AnswerScan();
  const heldOff = new Set<Sequence>();
  forEachEvent(state, lines, library, scan, (event, source) => {
    if (event.sequence === null || !library.gate.lost.contains(event.sequence)) return;
    take(state, event, source, now);
    if (library.gate.lost.contains(event.sequence)) heldOff.add(event.sequence);
  });
  const covered = scan.covered(coveredThrough, predecessor(first), scan.last ?? BEFORE_FIRST);
  if (covered !== null) recoverBut(state, first, covered, heldOff, library);
  if (machineOf(library).healed(attempt).is !== "ignore") library.healingFrom = null;
  library.gate.holes.removeAsked();
  if (scan.last === null || scan.last < first || !canHeal(state, library)) return [];
  return askForLost(successor(scan.last), library, now);
}

/** Removes sequences that do not exist from the lost ones; those that arrived but could not be written stay. */
function recoverBut(state: State, from: Sequence, last: Sequence, heldOff: ReadonlySet<Sequence>, library: Library): void {
  let next = from;
  const stops = [...heldOff].filter((sequence) => sequence >= from && sequence <= last);
  for (const sequence of stops.sort((left, right) => left < right ? -1 : 1)) {
    if (next < sequence) recover(state, { first: next, last: predecessor(sequence) }, library);
    next = successor(sequence);
  }
  if (next <= last) recover(state, { first: next, last }, library);
}
