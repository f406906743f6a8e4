import type { Sequence } from "../model/sequence.js";

interface Hole {
  sequence: Sequence;
  epoch: string | null;
  seenAt: number;
  isAsked: boolean;
}

/** The numbers of unusable lines above the cursor, ascending. At most `countMax`; further ones are forgotten. */
export class HoleList {
  private holes: Hole[] = [];

  constructor(private readonly countMax: number) { }

  get isEmpty(): boolean { return this.holes.length === 0; }

  insert(sequence: Sequence, epoch: string | null, now: number): void {
    if (this.holes.length >= this.countMax || this.contains(sequence)) return;
    const index = this.holes.findIndex((hole) => hole.sequence > sequence);
    this.holes.splice(index < 0 ? this.holes.length : index, 0, { sequence, epoch, seenAt: now, isAsked: false });
  }

  contains(sequence: Sequence): boolean { return this.holes.some((hole) => hole.sequence === sequence); }

  /** Returns the highest hole that is not above a position; null when there is none. */
  highestThrough(sequence: Sequence): Sequence | null {
    return this.holes.reduce<Sequence | null>(
      (highest, hole) => hole.sequence <= sequence ? hole.sequence : highest, null);
  }

  /** When the first hole that was not asked for was seen; null when there is none. */
  get unaskedSince(): number | null {
    return this.holes.reduce<number | null>(
      (since, hole) => hole.isAsked ? since : Math.min(since ?? hole.seenAt, hole.seenAt), null);
  }

  markAsked(): void { for (const hole of this.holes) hole.isAsked = true; }

  removeAsked(): void { this.holes = this.holes.filter((hole) => !hole.isAsked); }

  removeThrough(sequence: Sequence): void { this.holes = this.holes.filter((hole) => hole.sequence > sequence); }

  keepEpoch(epoch: string): void { this.holes = this.holes.filter((hole) => hole.epoch === epoch); }

  removeAll(): void { this.holes = []; }
}
