import type { Sequence } from "../model/sequence.js";
import type { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import type { QueryRead } from "../params/queries.js";
import type { Sink } from "./notifications.js";

/** A request to read or observe a query. */
export interface QueryRequest extends QueryRead {
  /** Receives notifications from the answer on; absent to read once. */
  sink?: Sink;
}

/** The answer to a reader of a query. */
export interface QueryAnswer {
  /** The visible entities in order, with only the requested fields. */
  entities: readonly Raw[];
  /** The keys (`type:id`) of the entities. */
  keys: readonly string[];
  /** Where the list was read from. */
  source: "cache" | "upstream";
  /** True if the list may be older than the server's. */
  isStale: boolean;
  /** The sequence that the stored response stands for; null when unknown. */
  asOf: Sequence | null;
  /** True if the list shows a pending edit. */
  isPending: boolean;
  /** The number of the observation; null for a read. */
  subscription: number | null;
}

/** Returns an answer as the result of `query.read`. */
export function answerOut(answer: QueryAnswer): { readonly [name: string]: Out; } {
  return {
    entities: answer.entities, keys: answer.keys, source: answer.source, stale: answer.isStale, as_of: answer.asOf,
    pending: answer.isPending, subscription: answer.subscription ?? undefined,
  };
}
