/**
 * A position in a library's log, from 0 to 2^63-1. A `number` wherever one is exact, else a `bigint`: two equal
 * positions are always the same value of the same kind, so `===`, `<` and `>` work on any two.
 */
export type Sequence = number | bigint;

/** The highest position that a log can have. */
export const SEQUENCE_MAX: Sequence = 9223372036854775807n;

/** The value below the first position. */
export const BEFORE_FIRST: Sequence = -1;

const DIGITS = /^(?:0|[1-9][0-9]*)$/;

/** Parses a position written with digits only; null for any other text, and past 2^63-1. */
export function parseSequence(text: string): Sequence | null {
  if (!DIGITS.test(text) || text.length > 19) return null;
  if (text.length <= 15) return Number(text);
  const big = BigInt(text);
  return big > SEQUENCE_MAX ? null : normalized(big);
}

/** Returns the next position; the highest one is returned unchanged. */
export function successor(sequence: Sequence): Sequence {
  if (typeof sequence === "number" && sequence < Number.MAX_SAFE_INTEGER) return sequence + 1;
  return sequence >= SEQUENCE_MAX ? SEQUENCE_MAX : normalized(BigInt(sequence) + 1n);
}

/** Returns the previous position; `BEFORE_FIRST` for 0. */
export function predecessor(sequence: Sequence): Sequence {
  return typeof sequence === "number" ? Math.max(sequence - 1, -1) : normalized(sequence - 1n);
}

/** Returns the number of steps from one position to a later one. */
export function distance(from: Sequence, to: Sequence): Sequence {
  return typeof from === "number" && typeof to === "number" ? to - from : normalized(BigInt(to) - BigInt(from));
}

/** Returns the higher of two positions. */
export function later(left: Sequence, right: Sequence): Sequence { return left < right ? right : left; }

/** Returns the lower of two positions. */
export function earlier(left: Sequence, right: Sequence): Sequence { return right < left ? right : left; }

/** Returns the higher of two positions, either of which may be unknown (null). */
export function laterKnown(left: Sequence | null, right: Sequence | null): Sequence | null {
  if (left === null) return right;
  return right === null ? left : later(left, right);
}

function normalized(big: bigint): Sequence {
  return big <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(big) : big;
}
