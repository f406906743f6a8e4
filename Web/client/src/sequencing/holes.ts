import type { Sequence } from "../model/sequence.js";

interface Hole {
  sequence: Sequence;
  epoch: string | null;
  seenAt: number;
  isAsked: boolean;
}

/** The positions of unusable lines above the cursor, ascending. Stores at most `countMax`, and drops further ones. */
export class HoleList {
  private holes: Hole[] = [];

  /** Creates an empty list. */
  constructor(private readonly countMax: number) { }

  /** True if there are no holes. */
  get isEmpty(): boolean { return this.holes.length === 0; }

  /** Adds a hole, unless the list is full or has it. */
  insert(sequence: Sequence, epoch: string | null, now: number): void {
    if (this.holes.length >= this.countMax || this.contains(sequence)) return;
    const index = this.holes.findIndex((hole) => hole.sequence > sequence);
    this.holes.splice(index < 0 ? this.holes.length : index, 0, { sequence, epoch, seenAt: now, isAsked: false });
  }

  /** True if a position is a hole. */
  contains(sequence: Sequence): boolean { return this.holes.some((hole) => hole.sequence === sequence); }

  /** Returns the highest hole at or below a position; null if there is none. */
  highestThrough(sequence: Sequence): Sequence | null {
    return this.holes.reduce<Sequence | null>(
      (highest, hole) => hole.sequence <= sequence ? hole.sequence : highest, null);
  }

  /** When the first unrequested hole was noticed, in milliseconds since 1970; null if there is none. */
  get unaskedSince(): number | null {
    return this.holes.reduce<number | null>(
      (since, hole) => hole.isAsked ? since : Math.min(since ?? hole.seenAt, hole.seenAt), null);
  }

  /** Marks all holes as requested. */
  markAsked(): void { for (const hole of this.holes) hole.isAsked = true; }

  /** Removes the requested holes. */
  removeAsked(): void { this.holes = this.holes.filter((hole) => !hole.isAsked); }

  /** Removes the holes up to a position. */
  removeThrough(sequence: Sequence): void { this.holes = this.holes.filter((hole) => hole.sequence > sequence); }

  /** Removes the holes of other epochs. */
  keepEpoch(epoch: string): void { this.holes = this.holes.filter((hole) => hole.epoch === epoch); }

  /** Removes all holes. */
  removeAll(): void { this.holes = []; }
}
