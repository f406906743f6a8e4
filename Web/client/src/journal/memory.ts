import type { Journal, JournalBatch, JournalContents, JournalStore } from "../engine/ports.js";

/** A journal in memory: for tests, and for caches that are handed on within one program. */
export class MemoryJournal implements Journal {
  private readonly stores: Record<JournalStore, Map<string, unknown>> = {
    entities: new Map(), libraries: new Map(), queries: new Map(), layers: new Map(), evicted: new Map(),
  };
  /** The number of commits so far. */
  commitCount = 0;
  /** The error with which commits fail; null while they succeed. */
  failure: Error | null = null;

  async open(): Promise<JournalContents> { return this.stores; }

  async commit(batch: JournalBatch): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.commitCount += 1;
    for (const { store, prefix } of batch.cleared) {
      for (const key of this.stores[store].keys()) if (key.startsWith(prefix)) this.stores[store].delete(key);
    }
    for (const { store, key, value } of batch.writes) {
      // A copy, as a disk has one: what is read back must not change what is running.
      if (value === undefined) this.stores[store].delete(key);
      else this.stores[store].set(key, JSON.parse(JSON.stringify(value)));
    }
  }

  async close(): Promise<void> { /* nothing is open */ }
}
