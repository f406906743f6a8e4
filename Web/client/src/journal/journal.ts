/** One write to a journal. */
export interface JournalWrite {
  /** The store to write to. */
  readonly store: JournalStore;
  /** The key within the store. */
  readonly key: string;
  /** The value to store; undefined removes the key. */
  readonly value: unknown;
}

/** The name of a store in a journal. */
export type JournalStore = "entities" | "libraries" | "queries" | "layers" | "evicted" | "views";

/** All stores of a journal. */
export const journalStores: readonly JournalStore[] = ["entities", "libraries", "queries", "layers", "evicted", "views"];

/** Everything that one flush writes, in one transaction: first `cleared`, then `writes`. */
export interface JournalBatch {
  /** Key ranges to remove first: every key of the store that begins with `prefix`. */
  readonly cleared: readonly { store: JournalStore; prefix: string; }[];
  /** The writes, in order. */
  readonly writes: readonly JournalWrite[];
}

/** The contents of a journal: values by key, for each store. */
export type JournalContents = Readonly<Record<JournalStore, ReadonlyMap<string, unknown>>>;

/**
 * The durable storage of a cache. A commit that has resolved survives the end of the program; a failed one wrote
 * nothing.
 */
export interface Journal {
  /** Reads the whole journal. Rejects if it cannot be used. */
  open(): Promise<JournalContents>;
  /** Writes a whole batch in one transaction, or rejects and writes nothing. */
  commit(batch: JournalBatch): Promise<void>;
  /** Closes the journal. */
  close(): Promise<void>;
}
