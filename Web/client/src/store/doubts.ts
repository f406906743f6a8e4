// What makes lists stale, kept for answers that do not know it yet. Protocol/queries.md, while an answer is on its way. Law: L12.

import { later } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import type { Library } from "./library.js";

/** Why lists became doubtful: an event said so, a caller did, or the log has a gap or began anew. */
export type DoubtCause = "event" | "invalidated" | "log";

/** Which lists are older than the server's, and since which place in a log. Parts that are null exclude no list. */
export interface Doubt {
  cause: DoubtCause;
  library: string | null;
  method: string | null;
  /** Canonical. */
  input: string | null;
  type: string | null;
  tags: string | null;
  hints: string | null;
  /** The library whose log has the place; null where there is no place. */
  log: Library | null;
  sequence: Sequence | null;
}

/** What an event of a library's own log made stale, as it is kept over a restart. */
export interface LogDoubt {
  readonly sequence: Sequence;
  readonly type: string | null;
  readonly hints: string | null;
}

/** The doubts of one log that are told apart; past it they become one that concerns every list up to the highest place. */
const COUNT_MAX = 256;

/** The doubt that concerns every list, but for the parts that are named. */
export function doubtOf(cause: DoubtCause, parts: Partial<Doubt>): Doubt {
  return { cause, library: null, method: null, input: null, type: null, tags: null, hints: null, log: null, sequence: null, ...parts };
}

/** Keeps what an event made stale for answers that name an earlier place, whenever they come. */
export function keepDoubt({ log, sequence, cause, type, hints }: Doubt): void {
  if (log === null || sequence === null || cause !== "event") return;
  // One that excludes no list, or none of the type, stands for all before it.
  const rest = log.doubts.filter((own) => own.sequence > sequence || type !== null && own.type !== type || hints !== null);
  const all = [...rest, { sequence, type, hints }];
  log.doubts = all.length > COUNT_MAX
    ? [{ sequence: all.map((own) => own.sequence).reduce(later), type: null, hints: null }] : all;
}
