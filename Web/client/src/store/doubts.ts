// What makes lists stale, kept for answers that do not know it yet. Protocol/queries.md, while an answer is on its way. Law: L12.

import { later } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import type { Library } from "./library.js";

/** Why lists became doubtful: an event said so, a caller did, or the log has a gap or began anew. */
export type DoubtCause = "event" | "invalidated" | "log";

/** Which lists are older than the server's, and since which place in a log. Parts that are absent or null exclude no list. */
export interface Doubt {
  readonly cause: DoubtCause;
  readonly library?: string | null;
  readonly method?: string | null;
  /** Canonical. */
  readonly input?: string | null;
  readonly type?: string | null;
  readonly tags?: string | null;
  readonly hints?: string | null;
  /** The library whose log has the place; absent where there is no place. */
  readonly log?: Library | null;
  readonly sequence?: Sequence | null;
}

/** What an event of a library's own log made stale, as it is kept over a restart. */
export interface LogDoubt {
  readonly sequence: Sequence;
  readonly type: string | null;
  readonly hints: string | null;
}

/** The doubts of one log that are told apart; past it they become one that concerns every list up to the highest place. */
const COUNT_MAX = 256;

/** Keeps what an event of a log made stale for answers that name an earlier place, whenever they come. */
export function keepDoubt(log: Library, sequence: Sequence, type: string | null, hints: string | null): void {
  // One that excludes no list, or none of the type, stands for all before it.
  const all = log.doubts.filter((own) => own.sequence > sequence || type !== null && own.type !== type || hints !== null);
  all.push({ sequence, type, hints });
  log.doubts = all.length > COUNT_MAX
    ? [{ sequence: all.map((own) => own.sequence).reduce(later), type: null, hints: null }] : all;
}
