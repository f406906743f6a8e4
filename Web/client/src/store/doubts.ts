// Doubts: what makes lists stale, kept for responses that do not include it yet. Protocol/queries.md, while an answer
// is on its way. Law: L12.

import { later } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import type { Library } from "./library.js";

/** Why lists became stale: by an event, by a caller, or because the log has lost events or began anew. */
export type DoubtCause = "event" | "invalidated" | "log";

/** Which lists became stale, and at which position of a log. Members that are absent or null exclude no list. */
export interface Doubt {
  /** Why the lists became stale. */
  readonly cause: DoubtCause;
  /** The library of the lists. */
  readonly library?: string | null;
  /** The method of the lists. */
  readonly method?: string | null;
  /** The canonical input of the lists. */
  readonly input?: string | null;
  /** The type of the lists. */
  readonly type?: string | null;
  /** The tags of the lists, as JSON. */
  readonly tags?: string | null;
  /** The hints that the lists must match, as JSON. */
  readonly hints?: string | null;
  /** The library whose log `sequence` refers to; absent if there is no position. */
  readonly log?: Library | null;
  /** The position in the log; null if the log began anew, or the event had none. */
  readonly sequence?: Sequence | null;
}

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
export function keepDoubt(log: Library, sequence: Sequence, type: string | null, hints: string | null): void {
  // A doubt without hints replaces earlier ones of its type; one without a type replaces all earlier ones.
  const all = log.doubts.filter((own) => own.sequence > sequence || type !== null && own.type !== type || hints !== null);
  all.push({ sequence, type, hints });
  log.doubts = all.length > COUNT_MAX
    ? [{ sequence: all.map((own) => own.sequence).reduce(later), type: null, hints: null }] : all;
}
