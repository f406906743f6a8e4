import type { Doubt } from "./doubts.js";

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
