import type { Sequence } from "../model/sequence.js";
import type { Library, Slot } from "./library.js";

/** A write that an awaited response may not include. */
export interface RecentWrite {
  /** The written key. */
  slot: Slot;
  /** The position of the write; null if it had none, or its log has ended. */
  sequence: Sequence | null;
  /** The number of the request whose response wrote it; 0 if no response did. */
  asked: number;
  /** True if a late event wrote it: only its position counts, not its time. */
  isLate: boolean;
}

const COUNT_MAX = 8_192;

/** The most recent writes: a ring of 8,192. Its readers learn when older ones were dropped. */
export class RecentWrites {
  private ring: RecentWrite[] = [];
  private next = 0;
  /** The number of writes so far, including dropped ones. */
  ordinal = 0;
  /** The highest dropped position of each library. */
  private readonly forgotten = new Map<Library, Sequence>();

  /** Adds a write. */
  append(slot: Slot, sequence: Sequence | null, asked = 0, isLate = false): void {
    this.ordinal += 1;
    const write = { slot, sequence, asked, isLate };
    if (this.ring.length < COUNT_MAX) {
      this.ring.push(write);
      return;
    }
    this.forget(this.ring[this.next]);
    this.ring[this.next] = write;
    this.next = (this.next + 1) % COUNT_MAX;
  }

  /**
   * Returns the writes of events and transactions after an ordinal, oldest first; null if some of them were dropped.
   */
  after(start: number): RecentWrite[] | null {
    return this.ordinal - start <= this.ring.length ? this.newest(this.ordinal - start).filter((write) => write.asked === 0) : null;
  }

  /** Returns the writes of responses after an ordinal, except for dropped ones. */
  answersAfter(start: number): RecentWrite[] {
    return this.newest(Math.min(this.ordinal - start, this.ring.length)).filter((write) => write.asked > 0);
  }

  /** Returns the writes of a library above a position, and whether none was dropped. */
  above(sequence: Sequence, library: Library): { writes: RecentWrite[]; isWhole: boolean; } {
    const writes = this.newest(this.ring.length).filter(
      (write) => write.slot.table.library === library && write.sequence !== null && write.sequence > sequence);
    const forgotten = this.forgotten.get(library);
    return { writes, isWhole: forgotten === undefined || forgotten <= sequence };
  }

  /** Drops all writes, because no response is awaited. */
  clear(): void {
    for (const write of this.ring) this.forget(write);
    this.ring = [];
    this.next = 0;
  }

  /** Records that the writes of a library up to a position are not in the ring. */
  forgetThrough(sequence: Sequence | null, library: Library): void {
    if (sequence === null) this.forgotten.delete(library);
    else this.forgotten.set(library, sequence);
  }

  /** Removes the positions of a library whose log began anew. */
  forgetSequences(library: Library): void {
    for (const write of this.ring) if (write.slot.table.library === library) write.sequence = null;
    this.forgotten.delete(library);
  }

  private forget(write: RecentWrite): void {
    if (write.sequence === null) return;
    const known = this.forgotten.get(write.slot.table.library);
    if (known === undefined || known < write.sequence) this.forgotten.set(write.slot.table.library, write.sequence);
  }

  private newest(count: number): RecentWrite[] {
    const ordered = [...this.ring.slice(this.next), ...this.ring.slice(0, this.next)];
    return count === 0 ? [] : ordered.slice(-count);
  }
}
