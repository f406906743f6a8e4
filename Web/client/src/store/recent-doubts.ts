import type { Doubt } from "./doubts.js";

const COUNT_MAX = 1_024;

/** The doubts of the time in which questions are under way: the newest 1,024; older ones are forgotten, and it says so. */
export class RecentDoubts {
  private own: Doubt[] = [];
  /** The number of doubts so far. */
  count = 0;

  append(doubt: Doubt): void {
    this.count += 1;
    this.own.push(doubt);
    if (this.own.length > COUNT_MAX) this.own.shift();
  }

  /** Returns the doubts after a number of them; null when some were forgotten. */
  after(count: number): readonly Doubt[] | null {
    const since = this.count - count;
    return since > this.own.length ? null : this.own.slice(this.own.length - since);
  }

  /** Forgets all doubts, because no answer is awaited. */
  clear(): void { this.own = []; }
}
