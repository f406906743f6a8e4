import type { JsonValue } from "../json/exact.js";
import type { Sequence } from "../model/sequence.js";
import type { FetchPolicy } from "../params/policies.js";
import type { Miss } from "../state/reads.js";
import type { LibraryPhase } from "../store/library.js";
import type { Writer } from "../store/stamp.js";
import type { Id, JsonObject } from "./values.js";
import type { ViewCalls } from "./view-calls.js";

export type { Id, JsonObject } from "./values.js";

interface InLibrary { library_id?: string; }

/** The params of `entity.get`. */
export interface EntityGetParams extends InLibrary {
  /** The entity's type. */
  resource_type: string;
  /** The entity's id. */
  id: Id;
  /** The top-level fields to return; all by default. */
  fields?: readonly string[];
  /** Maximum ages for this read in seconds, by `type` or `type.field`. */
  max_ages?: Readonly<Record<string, number>>;
  /** How many seconds past its maximum age a field is still accepted. */
  max_stale?: number;
}

/** The result of `entity.get`. */
export interface EntityResult {
  /** The entity with pending edits applied; null on a miss. */
  readonly entity: JsonObject | null;
  /** True if the entity shows a pending edit. */
  readonly pending: boolean;
  /** The sequence of the value; null when it has none. */
  readonly sequence: Sequence | null;
  /** True if the value may be older than the server's. */
  readonly stale: boolean;
  /** Why there is no entity; null when there is one. */
  readonly miss: Miss | null;
  /** The field that is longest past its maximum age, when it was written (ms since 1970), and its limit in seconds. */
  readonly expired?: { readonly field: string; readonly written_at: number; readonly max_age: number; };
}

/** The identity of a query: its library, method and input. */
export interface QueryIdentity extends InLibrary {
  /** The name of the query. */
  method: string;
  /** Any JSON value of at most 1 MiB; the order of members does not matter. Absent means null. */
  input?: unknown;
}

/** The params of `query.read`. */
export interface QueryReadParams extends QueryIdentity {
  /** Whether the cache, the upstream or both answer; `cacheFirst` by default. */
  policy?: FetchPolicy;
  /** True to accept a stale list, however old. */
  allow_stale?: boolean;
  /** How many seconds a list may have been stale and still be accepted. */
  max_stale?: number;
  /** The fields to return, by resource type; null, like a type that is not named, for all fields. */
  select?: Readonly<Record<string, readonly string[] | null>>;
  /** Maximum ages for this read in seconds, by `type` or `type.field`. */
  max_ages?: Readonly<Record<string, number>>;
}

/** The result of `query.read`. */
export interface QueryResult {
  /** The entities of the list in order, with pending edits applied. */
  readonly entities: readonly JsonObject[];
  /** The keys (`type:id`) of the entities, in the same order. */
  readonly keys: readonly string[];
  /** Where the list was read from. */
  readonly source: "cache" | "upstream";
  /** True if the list may be older than the server's. */
  readonly stale: boolean;
  /** The sequence that the stored response stands for; null when the server named none. */
  readonly as_of: Sequence | null;
  /** True if the list shows a pending edit. */
  readonly pending: boolean;
}

/** A server's response to a query, as `query.put` takes it and an upstream's `fetch` returns it. */
export interface QueryAnswerParams {
  /** The type of `resources`. */
  resource_type: string;
  /** The list in the server's order, at most 100,000 resources; optional with `local`. */
  resources?: readonly object[];
  /** Other resources in the same response; they are stored and are not elements of the list. */
  included?: readonly { resource_type: string; resources: readonly object[]; }[];
  /** Seconds until the list expires; never when absent. */
  ttl?: number;
  /** The sequence that the response stands for. */
  as_of?: Sequence;
  /** The rule by which events keep the list up to date. */
  membership?: object;
  /** Tags that `cache.invalidate` can match. */
  tags?: readonly string[] | object;
  /** True to evaluate `membership` over the cached entities instead of storing a server's list. */
  local?: boolean;
}

/** One operation of a transaction or an optimistic edit. */
export type Operation =
  | { op: "put"; resource_type: string; id?: Id; resource: object; expected_sequence?: Sequence | null; }
  | { op: "patch"; resource_type: string; id: Id; fields: object; unset?: readonly string[]; expected_sequence?: Sequence | null; }
  | { op: "merge"; resource_type: string; id: Id; fields: object; expected_sequence?: Sequence | null; }
  | { op: "remove_field"; resource_type: string; id: Id; field: string; expected_sequence?: Sequence | null; }
  | { op: "delete"; resource_type: string; id: Id; expected_sequence?: Sequence | null; };

/** Removes matching entities from the cache without a tombstone. For transactions only, not for optimistic edits. */
export interface RemoveOperation { op: "remove"; resource_type?: string; ids?: readonly Id[]; matching?: string; }

/** A pending edit, as `optimistic.list` returns it. */
export interface PendingEdit {
  /** The id that the caller gave the edit. */
  readonly pending_id: string;
  /** How far the edit is: it awaits confirmation, is confirmed, or depends on an edit that no longer exists. */
  readonly state: "pending" | "confirmed" | "orphaned";
  /** The operations of the edit. */
  readonly changes: readonly JsonObject[];
  /** The library that the edit changes. */
  readonly library_id: string;
  /** The ids of the edits that this one depends on. */
  readonly depends_on: readonly string[];
}

/** A request that the cache sends to the server for an edit, and repeats until the server responds. */
export interface MutationRequestParams {
  /** The name of the mutation, passed to the upstream's `send`. */
  method: string;
  /** The input of the mutation; any JSON value. */
  input?: unknown;
  /** The queue of the request within its library: requests with the same key are sent one after another. */
  key?: string;
  /** The maximum number of attempts, and the seconds since the first attempt after which a failure is final. */
  retry?: { attempts?: number; for?: number; };
  /** JSON Pointers into `input` whose values are temporary ids. */
  ids?: readonly string[];
  /** `"replace"` to let a newer request of the same key replace this one while it has not been sent. */
  coalesce?: "replace";
  /** Whether later requests of the same key stop or continue after this one fails. */
  on_failure?: "stop" | "continue";
  /** True to roll the edit back when its request fails. */
  discard?: boolean;
}

/**
 * The progress of an edit's request. `outbox.changed` adds the state `discarded`: the request failed and the edit was
 * rolled back.
 */
export interface OutboxEntry {
  /** The id of the edit. */
  readonly pending_id: string;
  /** Waiting for its turn, being sent, waiting for the next attempt, or failed for good. */
  readonly state: "queued" | "sending" | "waiting" | "failed";
  /** The number of attempts so far. */
  readonly attempt: number;
  /** The time of the next attempt in milliseconds since 1970; null when none is scheduled. */
  readonly next_attempt_at: number | null;
  /** The error of the last attempt; null when there is none. */
  readonly error: { readonly message: string; readonly code?: string; } | null;
}

/** Where an entity's value and its age come from: the result of `cache.explain`. */
export interface Explanation {
  /** Why a read would find no entity; null when it would find one. */
  readonly miss: Miss | null;
  /** Who deleted the entity, and when (ms since 1970); null when it was not deleted. */
  readonly deletion: { readonly writer: Writer; readonly sequence: Sequence | null; readonly written_at: number; } | null;
  /** The writer, time (ms since 1970), age (ms) and limit (s) of each field; `rule` names the origin of the limit. */
  readonly fields: readonly {
    readonly name: string; readonly writer: Writer; readonly sequence: Sequence | null; readonly written_at: number;
    readonly age: number; readonly max_age: number | null; readonly rule: string | null; readonly stale: boolean;
  }[];
  /** The ids of pending edits that change the entity, oldest first. */
  readonly layers: readonly string[];
  /** The queries that list the entity, and its index in each. */
  readonly queries: readonly {
    readonly library_id: string; readonly method: string; readonly input: JsonValue; readonly index: number; readonly stale: boolean;
  }[];
  /** The number of observers of the entity. */
  readonly observers: number;
}

interface Subscribed { readonly subscription: number; }
type Nothing = Readonly<Record<string, never>>;

/**
 * The methods of Protocol/sessions.md as typed functions. Each rejects with a `CacheError`.
 *
 * ```ts
 * const { entities } = await cache.calls.query.read({ method: "search.files", input: { q: "a" } });
 * ```
 */
export interface CacheCalls {
  /** Reads, lists and observes entities. */
  readonly entity: {
    get(params: EntityGetParams): Promise<EntityResult>;
    list(params: InLibrary & { resource_type: string; after?: string; limit?: number; }): Promise<{ entities: readonly JsonObject[]; next: string | null; }>;
    observe(params: EntityGetParams & { refresh?: boolean; }): Promise<EntityResult & Subscribed>;
  };
  /** Stores, reads and observes the lists of queries. */
  readonly query: {
    put(params: QueryIdentity & QueryAnswerParams): Promise<Nothing>;
    read(params: QueryReadParams): Promise<QueryResult>;
    observe(params: QueryReadParams & { refresh?: boolean; }): Promise<QueryResult & Subscribed>;
  };
  /** Ends the observations of entities and queries. */
  readonly observe: { cancel(params: { subscription: number; }): Promise<Nothing>; };
  /** Changes the cache at once, and reports its state. */
  readonly cache: {
    transaction(params: InLibrary & { operations: readonly (Operation | RemoveOperation)[]; }): Promise<Nothing>;
    remove(params: InLibrary & { resource_type?: string; ids?: readonly Id[]; matching?: string; cascade?: boolean; }): Promise<{ removed: number; }>;
    clear(params?: InLibrary): Promise<Nothing>;
    invalidate(params: InLibrary & {
      method?: string; input?: unknown; resource_type?: string; tags?: readonly string[] | object; hints?: object; all?: boolean;
    }): Promise<{ stale: number; }>;
    stats(): Promise<JsonObject>;
    explain(params: InLibrary & { resource_type: string; id: Id; max_ages?: Readonly<Record<string, number>>; }): Promise<Explanation>;
    flush(): Promise<Nothing>;
    caught_up(params: InLibrary & { sequence: Sequence; }): Promise<{ cursor: Sequence | null; state: LibraryPhase; }>;
  };
  /** Makes, confirms and rolls back optimistic edits. */
  readonly optimistic: {
    update(params: InLibrary & {
      pending_id: string; changes: readonly Operation[]; depends_on?: string | readonly string[];
      send?: MutationRequestParams;
    }): Promise<{ pending_id: string; }>;
    commit(params: InLibrary & {
      pending_id: string; confirmed?: object | readonly object[]; resource_type?: string; sequence?: Sequence;
      id_map?: Readonly<Record<string, Id>>;
    }): Promise<Nothing>;
    rollback(params: InLibrary & { pending_id: string; }): Promise<Nothing>;
    list(params?: InLibrary): Promise<{ pending: readonly PendingEdit[]; }>;
    retry(params: InLibrary & { pending_id: string; }): Promise<Nothing>;
  };
  /** Lists, pauses and resumes the requests of edits. */
  readonly outbox: {
    list(params?: InLibrary): Promise<{ outbox: readonly OutboxEntry[]; }>;
    pause(): Promise<Nothing>;
    resume(): Promise<Nothing>;
  };
  /** Reads, observes, defines and explains live views. */
  readonly view: ViewCalls;
}

/** The methods of each object of `CacheCalls`. */
const methodNames = {
  entity: "get list observe", query: "put read observe", observe: "cancel",
  cache: "transaction remove clear invalidate stats explain flush caught_up", optimistic: "update commit rollback list retry",
  outbox: "list pause resume", view: "read observe move define drop list explain",
};

/** Returns a typed function for each method, over `call`. Results are cast to the types that the protocol promises. */
export function cacheCalls(call: (method: string, params?: object) => Promise<JsonValue>): CacheCalls {
  return Object.fromEntries(Object.entries(methodNames).map(([of, names]) => [
    of, Object.fromEntries(names.split(" ").map((name) => [name, (params?: object) => call(`${of}.${name}`, params)])),
  ])) as unknown as CacheCalls;
}
