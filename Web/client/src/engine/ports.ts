import type { JsonValue } from "../json/exact.js";
import type { Sequence } from "../model/sequence.js";

/** What an upstream answers about missing events. */
export interface EventsAnswer {
  /** Events from the asked position on, each as a line of JSON or as a value. A part is enough. */
  readonly events: readonly unknown[];
  /** Up to here the log is whole: what did not come does not exist. */
  readonly coveredThrough?: Sequence;
}

/** One attempt to perform the mutation of a pending edit. */
export interface SentMutation {
  /** The id of the edit, the same in every attempt. */
  readonly pending_id: string;
  readonly method: string;
  readonly input: JsonValue;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly library_id: string;
  /** The changes of the edit, and of newer edits that it is sent for, in order. */
  readonly changes: readonly { readonly [name: string]: JsonValue; }[];
}

/** A source that can be asked for missing events and for queries. Failures are thrown; `isFinal` ends the attempts. */
export interface Upstream {
  /** Returns the library's events from a position on, that one included. Without it, missing events are lost. */
  eventsSince?(library: string, sequence: Sequence): Promise<EventsAnswer>;
  /**
   * Performs the mutation of a pending edit; returns the params of `optimistic.commit` without `pending_id`. The same mutation
   * may come again, and a server performs one of a `pending_id`. An `UpstreamError` with `isRefusal` is final; after any other
   * error the mutation is sent again.
   */
  send?(mutation: SentMutation): Promise<unknown>;
  /** Returns a server's answer: what `query.put` takes, without `method` and `input`. */
  fetch?(method: string, input: unknown, library: string): Promise<unknown>;
}

/** An upstream as the engine asks it: everything is JSON text. */
export interface TextUpstream {
  eventsSince: ((library: string, sequence: Sequence) => Promise<{ lines: readonly string[]; coveredThrough: Sequence | null; }>) | null;
  fetch: ((method: string, input: string, library: string) => Promise<string>) | null;
  /** Takes a mutation, and returns the confirmation. */
  send: ((mutation: string) => Promise<string>) | null;
  /** Whether it ends what is not answered in time by itself. */
  hasTimeout?: boolean;
}

/** One record of a journal: a store, a key in it, and the value; undefined removes it. */
export interface JournalWrite {
  readonly store: JournalStore;
  readonly key: string;
  readonly value: unknown;
}

/** The stores of a journal. */
export type JournalStore = "entities" | "libraries" | "queries" | "layers" | "evicted";

/** The stores of a journal, all of them. */
export const journalStores: readonly JournalStore[] = ["entities", "libraries", "queries", "layers", "evicted"];

/** Everything that one flush writes, in one transaction, in this order. */
export interface JournalBatch {
  /** Ranges of keys that go first: everything of a store whose key begins with the text. */
  readonly cleared: readonly { store: JournalStore; prefix: string; }[];
  readonly writes: readonly JournalWrite[];
}

/** What a journal holds: values by key, for each store. */
export type JournalContents = Readonly<Record<JournalStore, ReadonlyMap<string, unknown>>>;

/** The durable side of a cache. A commit that has resolved survives whatever ends the program; one that failed wrote nothing. */
export interface Journal {
  /** Reads everything. Throws when the journal cannot be used. */
  open(): Promise<JournalContents>;
  /** Writes a batch whole, or throws. */
  commit(batch: JournalBatch): Promise<void>;
  close(): Promise<void>;
}
