import { BEFORE_FIRST, SEQUENCE_MAX, distance, earlier, later, predecessor, successor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";

/** A range of positions, with both ends included. */
export interface LostRange {
  /** The first position. */
  first: Sequence;
  /** The last position. */
  last: Sequence;
}

/**
 * The lost positions of one library, as ascending ranges that do not touch.
 *
 * At most `countMax` ranges. Past it the two closest are merged: a position that is wrongly called lost is requested
 * again; one that is wrongly left out never is.
 */
export class LostRanges {
  private own: readonly LostRange[];

  /** Creates a set of ranges. */
  constructor(private readonly countMax: number, ranges: readonly LostRange[] = []) { this.own = ranges; }

  /** The ranges, ascending. */
  get ranges(): readonly LostRange[] { return this.own; }

  /** True if nothing is lost. */
  get isEmpty(): boolean { return this.own.length === 0; }

  /** Adds a range. O(ranges). */
  insert(range: LostRange): void {
    let { first, last } = range;
    const before = this.own.filter((own) => successor(own.last) < first);
    const after: LostRange[] = [];
    for (const own of this.own) {
      if (successor(own.last) < first) continue;
      if (predecessor(own.first) > last) {
        after.push(own);
      } else {
        first = earlier(first, own.first);
        last = later(last, own.last);
      }
    }
    const all = [...before, { first, last }, ...after];
    this.own = all.length > this.countMax ? withClosestJoined(all) : all;
  }

  /** True if a position is lost. O(log ranges). */
  contains(sequence: Sequence): boolean {
    const range = this.own[this.endingFrom(sequence)];
    return range !== undefined && range.first <= sequence;
  }

  /** Returns the lowest lost position at or above a position; null if there is none. */
  firstFrom(sequence: Sequence): Sequence | null {
    const range = this.own[this.endingFrom(sequence)];
    return range === undefined ? null : later(range.first, sequence);
  }

  /** Removes a range. Returns false, and removes nothing, if more than `countMax` ranges would remain. */
  remove(range: LostRange): boolean {
    const rest: LostRange[] = [];
    for (const own of this.own) {
      if (own.first > range.last || range.first > own.last) {
        rest.push(own);
        continue;
      }
      if (own.first < range.first) rest.push({ first: own.first, last: predecessor(range.first) });
      if (range.last < own.last) rest.push({ first: successor(range.last), last: own.last });
    }
    if (rest.length > Math.max(this.countMax, this.own.length)) return false;
    this.own = rest;
    return true;
  }

  private endingFrom(sequence: Sequence): number {
    let low = 0;
    let high = this.own.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.own[middle].last < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function withClosestJoined(ranges: readonly LostRange[]): LostRange[] {
  let closest = 1;
  let least: Sequence = SEQUENCE_MAX;
  for (let index = 1; index < ranges.length; index += 1) {
    const own = distance(ranges[index - 1].last, ranges[index].first);
    if (own < least || least === BEFORE_FIRST) [closest, least] = [index, own];
  }
  const joined = { first: ranges[closest - 1].first, last: ranges[closest].last };
  return [...ranges.slice(0, closest - 1), joined, ...ranges.slice(closest + 1)];
}
