import type { Sequence } from "../model/sequence.js";
import type { DoubtCause } from "./doubts.js";
import type { Library } from "./library.js";

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

const COUNT_MAX = 1_024;

/** The doubts that arose while requests are open: the newest 1,024. `after` reports when older ones were dropped. */
export class RecentDoubts {
  private own: Doubt[] = [];
  /** The number of doubts so far, including dropped ones. */
  count = 0;

  /** Adds a doubt. */
  append(doubt: Doubt): void {
    this.count += 1;
    this.own.push(doubt);
    if (this.own.length > COUNT_MAX) this.own.shift();
  }

  /** Returns the doubts after the first `count`; null if some of them were dropped. */
  after(count: number): readonly Doubt[] | null {
    const since = this.count - count;
    return since > this.own.length ? null : this.own.slice(this.own.length - since);
  }

  /** Drops all doubts, because no response is awaited. */
  clear(): void { this.own = []; }
}
