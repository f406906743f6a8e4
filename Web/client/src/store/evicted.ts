/** The keys of entities that were evicted, oldest first, by library. At most `countMax`. */
export class EvictedKeys {
  private readonly keys = new Map<string, { library: string; key: string; }>();

  constructor(private readonly countMax: number) { }

  get size(): number { return this.keys.size; }

  has(library: string, key: string): boolean { return this.keys.size > 0 && this.keys.has(`${library}\n${key}`); }

  /** Adds a key. Returns the library of the one that was forgotten for it; null when there was room. */
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

  remove(library: string, key: string): boolean { return this.keys.size > 0 && this.keys.delete(`${library}\n${key}`); }

  removeAll(library: string): void {
    for (const [name, entry] of this.keys) if (entry.library === library) this.keys.delete(name);
  }

  [Symbol.iterator](): IterableIterator<{ library: string; key: string; }> { return this.keys.values(); }
}
