import type { Library, Slot } from "./library.js";
import type { Tombstone } from "./stamp.js";

/** The tombstones of deleted entities, oldest first. Past `countMax` or `ageMax` the oldest are dropped. */
export class TombstoneStore {
  private readonly tombstones = new Map<Slot, Tombstone>();

  /** Creates an empty store; `ageMax` is in milliseconds. */
  constructor(private readonly countMax: number, private readonly ageMax: number) { }

  /** The number of tombstones. */
  get size(): number { return this.tombstones.size; }

  /** Returns the tombstone of a key; null if there is none. */
  get(slot: Slot): Tombstone | null { return this.tombstones.get(slot) ?? null; }

  /** True if a key has a tombstone. */
  has(slot: Slot): boolean { return this.tombstones.has(slot); }

  /** Iterates over the tombstones, oldest first. */
  [Symbol.iterator](): IterableIterator<[Slot, Tombstone]> { return this.tombstones[Symbol.iterator](); }

  /** Adds a tombstone. Returns the keys whose tombstones were dropped for it; usually none. */
  insert(tombstone: Tombstone, slot: Slot): Slot[] {
    this.tombstones.delete(slot);
    this.tombstones.set(slot, tombstone);
    const gone: Slot[] = [];
    for (const [oldest, own] of this.tombstones) {
      if (this.tombstones.size <= this.countMax && tombstone.deletedAt - own.deletedAt <= this.ageMax) break;
      this.tombstones.delete(oldest);
      gone.push(oldest);
    }
    return gone;
  }

  /** Removes a tombstone. Returns false if there was none. */
  remove(slot: Slot): boolean { return this.tombstones.delete(slot); }

  /** Removes all tombstones of a library. Returns their keys. */
  removeAll(library: Library): Slot[] {
    const gone = [...this.tombstones.keys()].filter((slot) => slot.table.library === library);
    for (const slot of gone) this.tombstones.delete(slot);
    return gone;
  }
}
