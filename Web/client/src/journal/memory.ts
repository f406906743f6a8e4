import type { Journal, JournalBatch, JournalContents, JournalStore } from "./journal.js";

/** A journal in memory, for tests, and to open one cache after another on the same data within a program. */
export class MemoryJournal implements Journal {
  private readonly stores: Record<JournalStore, Map<string, unknown>> = {
    entities: new Map(), libraries: new Map(), queries: new Map(), layers: new Map(), evicted: new Map(), views: new Map(),
  };
  /** The number of commits so far. */
  commitCount = 0;
  /** Set to an error to make commits fail; null to let them succeed. */
  failure: Error | null = null;

  /** Returns the stored contents. */
  async open(): Promise<JournalContents> { return this.stores; }

  /** Writes a batch, or rejects with `failure`. */
  async commit(batch: JournalBatch): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.commitCount += 1;
    for (const { store, prefix } of batch.cleared) {
      for (const key of this.stores[store].keys()) if (key.startsWith(prefix)) this.stores[store].delete(key);
    }
    for (const { store, key, value } of batch.writes) {
      // Copies the value, as a disk would: changes to what is read back must not affect a running cache.
      if (value === undefined) this.stores[store].delete(key);
      else this.stores[store].set(key, JSON.parse(JSON.stringify(value)));
    }
  }

  /** Does nothing. */
  async close(): Promise<void> { /* nothing is open */ }
}
