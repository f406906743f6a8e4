import type { JsonValue } from "../json/exact.js";
import type { Sequence } from "../model/sequence.js";

/** An upstream's response to a request for missing events. */
export interface EventsAnswer {
  /**
   * Events from the requested sequence on, each as a line of JSON or as a value. May be a part; the cache asks for the
   * rest.
   */
  readonly events: readonly unknown[];
  /** The response is complete up to this sequence: events that are not in it do not exist. */
  readonly coveredThrough?: Sequence;
}

/** One attempt to perform the mutation of a pending edit, as an upstream's `send` receives it. */
export interface SentMutation {
  /** The id of the edit, the same in every attempt. */
  readonly pending_id: string;
  /** The name of the mutation. */
  readonly method: string;
  /** The input of the mutation, with real ids in place of temporary ones that are known. */
  readonly input: JsonValue;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The library of the edit. */
  readonly library_id: string;
  /** The operations of the edit, and of newer edits that this request covers, in order. */
  readonly changes: readonly { readonly [name: string]: JsonValue; }[];
}

/**
 * A source of missing events and query results, and the destination of mutations. Methods reject on failure; an
 * `UpstreamError` with `isFinal` ends the attempts.
 *
 * ```ts
 * const upstream: Upstream = {
 *   eventsSince: async (library, sequence) => (await fetch(`/events?library=${library}&from=${sequence}`)).json(),
 *   send: async (mutation) => (await fetch("/mutations", { method: "POST", body: JSON.stringify(mutation) })).json(),
 * };
 * ```
 */
export interface Upstream {
  /** Returns the library's events from a sequence on, inclusive. Without this method, missing events are lost. */
  eventsSince?(library: string, sequence: Sequence): Promise<EventsAnswer>;
  /**
   * Performs the mutation of a pending edit, and returns the params of `optimistic.commit` without `pending_id`. The
   * same mutation may arrive more than once; the server performs one per `pending_id`. An `UpstreamError` with
   * `isRefusal` is final; after any other error the mutation is sent again.
   */
  send?(mutation: SentMutation): Promise<unknown>;
  /** Returns the server's response to a query: the params of `query.put` without `method` and `input`. */
  fetch?(method: string, input: unknown, library: string): Promise<unknown>;
}

/** An upstream over JSON text, as the engine uses it. */
export interface TextUpstream {
  /** Requests events from a sequence on, inclusive; null if the upstream has none. */
  eventsSince: ((library: string, sequence: Sequence) => Promise<{ lines: readonly string[]; coveredThrough: Sequence | null; }>) | null;
  /**
   * Requests a query's result; null if it answers no queries.
   */
  fetch: ((library: string, method: string, input: string) => Promise<string>) | null;
  /** Performs a mutation and returns the confirmation; null if the upstream takes no mutations. */
  send: ((mutation: string) => Promise<string>) | null;
  /** True if the upstream has timeouts of its own, so that the engine sets none. */
  hasTimeout?: boolean;
}
