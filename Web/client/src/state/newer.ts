// Finds the writes that win over a response: those made while it was awaited, or after the position that it stands for.

import type { Sequence } from "../model/sequence.js";
import type { Library, Slot } from "../store/library.js";
import { RecentWrites } from "../store/recent.js";
import type { RecentWrite } from "../store/recent.js";
import type { Question } from "./question.js";
import type { State } from "./state.js";

/** The writes since a response was made. */
export interface NewerWrites {
  /** The written keys. */
  keys: ReadonlySet<Slot>;
  /** The writes. */
  writes: readonly RecentWrite[];
  /** True if some writes were dropped. */
  isPartial: boolean;
  /** Writes above this position win; null if only `keys` do. */
  asOf: Sequence | null;
  /** True if too much was written in the meantime: a value that is not known to be older stays. */
  isUnsure: boolean;
}

/** Returns the recent writes of a state, which are recorded from the first response on. */
export function recentOf(state: State): RecentWrites { return state.recent ??= new RecentWrites(); }

/** Drops all recent writes, before recording starts again. */
export function forgetRecentWrites(state: State): void {
  recentOf(state).clear();
  for (const library of state.libraries.values()) recentOf(state).forgetThrough(library.knownThrough, library);
}

/**
 * Removes the position of a response if the log began anew in the meantime: everything since its request is newer,
 * other responses included.
 */
export function comparable(
  state: State, asked: { asOf: Sequence | null; key: { library: string; }; }, start: Question | null,
): { asOf: Sequence | null; start: Question | null; } {
  const library = state.libraries.get(asked.key.library);
  if (start === null || library === undefined || start.generation === library.gate.generation) {
    return { asOf: asked.asOf, start };
  }
  return { asOf: null, start: { ...start, cursor: null, number: 0 } };
}

/** Returns what was written since an answer was made. */
export function newerWrites(
  state: State, asOf: Sequence | null, start: Question | null, library: Library,
): NewerWrites {
  const recent = recentOf(state);
  if (asOf !== null) {
    const above = recent.above(asOf, library);
    const meanwhile = start === null ? [] : recent.after(start.write);
    // A write with a position is compared by that only, one without by its time.
    const unsequenced = (meanwhile ?? []).filter((write) => write.sequence === null && write.slot.table.library === library);
    const known = library.knownThrough;
    return {
      keys: keysOf(unsequenced), writes: [...above.writes, ...unsequenced],
      isPartial: known !== null && known > asOf && !above.isWhole, asOf, isUnsure: meanwhile === null,
    };
  }
  if (start === null) return { keys: new Set(), writes: [], isPartial: false, asOf: null, isUnsure: false };
  const remembered = recent.after(start.write);
  if (remembered === null) return { keys: new Set(), writes: [], isPartial: true, asOf: start.cursor, isUnsure: true };
  const isAfter = (sequence: Sequence | null): boolean => sequence !== null && (start.cursor === null || sequence > start.cursor);
  // The response was made when the log was at the cursor, or later: it includes late events up to there.
  const writes = remembered.filter((write) => !write.isLate || write.sequence === null || isAfter(write.sequence));
  // Another response that arrived in the meantime for a higher position stays: the events after it are still to come.
  // For the same position, the one that was requested later stays.
  const isOlder = (sequence: Sequence | null): boolean => sequence !== null && start.cursor !== null && sequence < start.cursor;
  const answers = recent.answersAfter(start.write).filter((write) => write.slot.table.library === library
    && (isAfter(write.sequence) || write.asked > start.number && !isOlder(write.sequence)));
  const all = [...writes, ...answers];
  return { keys: keysOf(all), writes: all, isPartial: false, asOf: null, isUnsure: false };
}

function keysOf(writes: readonly RecentWrite[]): Set<Slot> { return new Set(writes.map((write) => write.slot)); }

/** True if a stored value or a delete wins over a response. */
export function isNewerWrite(
  newer: NewerWrites, sequence: Sequence | null, ownGeneration: number, slot: Slot, generation: number,
): boolean {
  if (newer.keys.has(slot)) return true;
  if (newer.isUnsure && (sequence === null || newer.asOf === null)) return true;
  return newer.asOf !== null && sequence !== null && ownGeneration === generation && sequence > newer.asOf;
}
