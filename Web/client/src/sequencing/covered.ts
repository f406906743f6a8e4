// What an upstream's response says about the positions of a gate.

import { BEFORE_FIRST, earlier, laterKnown } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import type { SequenceGate } from "./gate.js";

/**
 * Records that an upstream's response has an unusable line at a position, too: holes up to it become missing positions.
 */
export function proveHoles(gate: SequenceGate, through: Sequence, now: number): void {
  const proven = gate.holes.highestThrough(through);
  if (gate.cursor === null || proven === null || proven <= gate.cursor) return;
  if (gate.tail === null) gate.tailSeenAt = now;
  gate.tail = laterKnown(gate.tail, proven);
}

/** True if the first missing position is a hole. */
export function isFirstMissingHole({ missing, holes }: SequenceGate): boolean { return missing !== null && holes.contains(missing.first); }

/** Returns the highest position that the log is known to reach: the tail, or the position before a held event. */
export function witnessOf({ tail, held }: SequenceGate): Sequence { return laterKnown(tail, held.highestPrevious) ?? BEFORE_FIRST; }

/** Moves the cursor past positions that do not exist according to the upstream; stops before a held event. */
export function skip(gate: SequenceGate, through: Sequence): void {
  if (gate.cursor === null || through <= gate.cursor) return;
  const { first } = gate.held;
  const bound = first === null ? through : earlier(first.previous, through);
  if (bound > gate.cursor) gate.advance(bound);
}

/** Clears the cause `loss` if nothing is lost any more. */
export function clearLoss(gate: SequenceGate): void {
  if (gate.lost.isEmpty && gate.staleCause === "loss") gate.staleCause = null;
}
