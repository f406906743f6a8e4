import type { Sequence } from "../model/sequence.js";

/** The state of the cache when a request began. */
export interface Question {
  /** The number of the request; grows with each request, and with each response without one. */
  readonly number: number;
  /** The number of writes so far, as `RecentWrites` counts them. */
  readonly write: number;
  /** The cursor of the library's log, used as the position of a response that names none. */
  readonly cursor: Sequence | null;
  /** The generation of the library's log. */
  readonly generation: number;
  /** The number of doubts so far. */
  readonly doubtCount: number;
  /** The number of clears of the library so far. */
  readonly clearCount: number;
  /** The number of writes by callers so far. */
  readonly editCount: number;
}
