// Doubts: what makes lists stale, kept for responses that do not include it yet. Protocol/queries.md, while an answer
// is on its way. Law: L12.

import { later } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";

/** Why lists became stale: by an event, by a caller, or because the log has lost events or began anew. */
export type DoubtCause = "event" | "invalidated" | "log";

/** A doubt from an event of a library's own log, as a journal stores it. */
export interface LogDoubt {
  /** The position of the event. */
  readonly sequence: Sequence;
  /** The type of the lists; null for every type. */
  readonly type: string | null;
  /** The hints that the lists must match, as JSON; null for none. */
  readonly hints: string | null;
}

/**
 * Maximum number of doubts kept for one log. Past it they become one that concerns every list up to the highest
 * position.
 */
const COUNT_MAX = 256;

/** Keeps a doubt from an event of a log, for later responses that stand for an earlier position. */
export function keepDoubt(log: { doubts: readonly LogDoubt[]; }, sequence: Sequence, type: string | null, hints: string | null): void {
  // A doubt without hints replaces earlier ones of its type; one without a type replaces all earlier ones.
  const all = log.doubts.filter((own) => own.sequence > sequence || type !== null && own.type !== type || hints !== null);
  all.push({ sequence, type, hints });
  log.doubts = all.length > COUNT_MAX
    ? [{ sequence: all.map((own) => own.sequence).reduce(later), type: null, hints: null }] : all;
}
