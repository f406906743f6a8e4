/** The keys of evicted entities, oldest first. At most `countMax`. */
export class EvictedKeys {
  private readonly keys = new Map<string, { library: string; key: string; }>();

  /** Creates an empty set. */
  constructor(private readonly countMax: number) { }

  /** The number of keys. */
  get size(): number { return this.keys.size; }

  /** True if an entity was evicted. */
  has(library: string, key: string): boolean { return this.keys.size > 0 && this.keys.has(`${library}\n${key}`); }

  /** Adds a key. Returns the library of the oldest key, if it was dropped for it; null otherwise. */
  insert(library: string, key: string): string | null {
    const name = `${library}\n${key}`;
    this.keys.delete(name);
    this.keys.set(name, { library, key });
    if (this.keys.size <= this.countMax) return null;
    for (const [oldest, entry] of this.keys) {
      this.keys.delete(oldest);
      return entry.library;
    }
    return null;
  }

  /** Removes a key. Returns false if it was not in the set. */
  remove(library: string, key: string): boolean { return this.keys.size > 0 && this.keys.delete(`${library}\n${key}`); }

  /** Removes all keys of a library. */
  removeAll(library: string): void {
    for (const [name, entry] of this.keys) if (entry.library === library) this.keys.delete(name);
  }

  /** Iterates over the keys, oldest first. */
  [Symbol.iterator](): IterableIterator<{ library: string; key: string; }> { return this.keys.values(); }
}
