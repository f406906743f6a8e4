import type { Library } from "./library.js";
import type { Slot } from "./slot.js";
import type { Tombstone } from "./stamp.js";

/** The tombstones of deleted entities, oldest first. Past their number or their age the oldest go. */
export class TombstoneStore {
  private readonly tombstones = new Map<Slot, Tombstone>();

  constructor(private readonly countMax: number, private readonly ageMax: number) { }

  get size(): number { return this.tombstones.size; }

  get(slot: Slot): Tombstone | null { return this.tombstones.get(slot) ?? null; }

  has(slot: Slot): boolean { return this.tombstones.has(slot); }

  [Symbol.iterator](): IterableIterator<[Slot, Tombstone]> { return this.tombstones[Symbol.iterator](); }

  /** Adds a tombstone. Returns the keys of those that went for it; usually none. */
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

  remove(slot: Slot): boolean { return this.tombstones.delete(slot); }

  /** Removes all of a library. Returns their keys. */
  removeAll(library: Library): Slot[] {
    const gone = [...this.tombstones.keys()].filter((slot) => slot.table.library === library);
    for (const slot of gone) this.tombstones.delete(slot);
    return gone;
  }
}
