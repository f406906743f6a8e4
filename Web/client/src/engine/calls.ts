import type { JsonValue } from "../json/exact.js";
import type { Sequence } from "../model/sequence.js";
import type { Miss } from "../state/reads.js";
import type { LibraryPhase } from "../store/library.js";
import type { Writer } from "../store/stamp.js";
import type { FetchPolicy } from "./policies.js";

/** A JSON object. */
export interface JsonObject { readonly [name: string]: JsonValue; }

/** An id as it may be given. */
export type Id = string | number | bigint;

interface InLibrary { library_id?: string; }

/** The params of `entity.get`. */
export interface EntityGetParams extends InLibrary {
  resource_type: string;
  id: Id;
  fields?: readonly string[];
  max_ages?: Readonly<Record<string, number>>;
  max_stale?: number;
}

/** What `entity.get` answers. */
export interface EntityResult {
  readonly entity: JsonObject | null;
  readonly pending: boolean;
  readonly sequence: Sequence | null;
  readonly stale: boolean;
  readonly miss: Miss | null;
  readonly expired?: { readonly field: string; readonly written_at: number; readonly max_age: number; };
}

/** The identity of a query. */
export interface QueryIdentity extends InLibrary {
  method: string;
  input?: unknown;
}

/** The params of `query.read`. */
export interface QueryReadParams extends QueryIdentity {
  policy?: FetchPolicy;
  allow_stale?: boolean;
  max_stale?: number;
  select?: Readonly<Record<string, readonly string[] | null>>;
  max_ages?: Readonly<Record<string, number>>;
}

/** What `query.read` answers. */
export interface QueryResult {
  readonly entities: readonly JsonObject[];
  readonly keys: readonly string[];
  readonly source: "cache" | "upstream";
  readonly stale: boolean;
  readonly as_of: Sequence | null;
  readonly pending: boolean;
}

/** A server's answer, as `query.put` takes it and an upstream's `fetch` returns it. */
export interface QueryAnswerParams {
  resource_type: string;
  resources?: readonly object[];
  included?: readonly { resource_type: string; resources: readonly object[]; }[];
  ttl?: number;
  as_of?: Sequence;
  membership?: object;
  tags?: readonly string[] | object;
  local?: boolean;
}

/** One operation of a transaction or an optimistic edit. */
export type Operation =
  | { op: "put"; resource_type: string; id?: Id; resource: object; expected_sequence?: Sequence | null; }
  | { op: "patch"; resource_type: string; id: Id; fields: object; unset?: readonly string[]; expected_sequence?: Sequence | null; }
  | { op: "merge"; resource_type: string; id: Id; fields: object; expected_sequence?: Sequence | null; }
  | { op: "remove_field"; resource_type: string; id: Id; field: string; expected_sequence?: Sequence | null; }
  | { op: "delete"; resource_type: string; id: Id; expected_sequence?: Sequence | null; };

/** One operation of a transaction alone: forgets what it matches. */
export interface RemoveOperation { op: "remove"; resource_type?: string; ids?: readonly Id[]; matching?: string; }

/** A pending edit. */
export interface PendingEdit {
  readonly pending_id: string;
  readonly state: "pending" | "confirmed" | "orphaned";
  readonly changes: readonly JsonObject[];
  readonly library_id: string;
  readonly depends_on: readonly string[];
}

/** The request that the cache sends for an edit, until the server has answered. */
export interface MutationRequestParams {
  method: string;
  input?: unknown;
  /** The queue in the library: requests of one key are sent one after another. */
  key?: string;
  /** The most attempts, and the seconds since the first one after which a failure is final. */
  retry?: { attempts?: number; for?: number; };
  /** JSON Pointers into `input` whose values are temporary ids. */
  ids?: readonly string[];
  /** Until it is sent, a newer input may take its place. */
  coalesce?: "replace";
  /** What the requests behind it do when it has failed. */
  on_failure?: "stop" | "continue";
  /** Whether the edit is rolled back when its request has failed. */
  discard?: boolean;
}

/** The progress of an edit's request. `outbox.changed` has one more state, `discarded`: the request failed, and the edit is gone. */
export interface OutboxEntry {
  readonly pending_id: string;
  readonly state: "queued" | "sending" | "waiting" | "failed";
  readonly attempt: number;
  readonly next_attempt_at: number | null;
  readonly error: { readonly message: string; readonly code?: string; } | null;
}

/** Where an entity's value comes from. */
export interface Explanation {
  readonly miss: Miss | null;
  readonly deletion: { readonly writer: Writer; readonly sequence: Sequence | null; readonly written_at: number; } | null;
  readonly fields: readonly {
    readonly name: string; readonly writer: Writer; readonly sequence: Sequence | null; readonly written_at: number;
    readonly age: number; readonly max_age: number | null; readonly rule: string | null; readonly stale: boolean;
  }[];
  readonly layers: readonly string[];
  readonly queries: readonly {
    readonly library_id: string; readonly method: string; readonly input: JsonValue; readonly index: number; readonly stale: boolean;
  }[];
  readonly observers: number;
}

interface Subscribed { readonly subscription: number; }
type Nothing = Readonly<Record<string, never>>;

/** The methods of Protocol/sessions.md, by their names and with their params. */
export interface CacheCalls {
  readonly entity: {
    get(params: EntityGetParams): Promise<EntityResult>;
    list(params: InLibrary & { resource_type: string; after?: string; limit?: number; }): Promise<{ entities: readonly JsonObject[]; next: string | null; }>;
    observe(params: EntityGetParams & { refresh?: boolean; }): Promise<EntityResult & Subscribed>;
  };
  readonly query: {
    put(params: QueryIdentity & QueryAnswerParams): Promise<Nothing>;
    read(params: QueryReadParams): Promise<QueryResult>;
    observe(params: QueryReadParams & { refresh?: boolean; }): Promise<QueryResult & Subscribed>;
  };
  readonly observe: { cancel(params: { subscription: number; }): Promise<Nothing>; };
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
  readonly outbox: {
    list(params?: InLibrary): Promise<{ outbox: readonly OutboxEntry[]; }>;
    pause(): Promise<Nothing>;
    resume(): Promise<Nothing>;
  };
}

/** Gives each method its own function. The answers have the shapes that the protocol promises. */
export function cacheCalls(call: (method: string, params?: object) => Promise<JsonValue>): CacheCalls {
  const typed = <Result>(method: string) => async (params?: object): Promise<Result> =>
    await call(method, params) as unknown as Result;
  return {
    entity: { get: typed("entity.get"), list: typed("entity.list"), observe: typed("entity.observe") },
    query: { put: typed("query.put"), read: typed("query.read"), observe: typed("query.observe") },
    observe: { cancel: typed("observe.cancel") },
    cache: {
      transaction: typed("cache.transaction"), remove: typed("cache.remove"), clear: typed("cache.clear"),
      invalidate: typed("cache.invalidate"), stats: typed("cache.stats"), explain: typed("cache.explain"),
      flush: typed("cache.flush"), caught_up: typed("cache.caught_up"),
    },
    optimistic: {
      update: typed("optimistic.update"), commit: typed("optimistic.commit"), rollback: typed("optimistic.rollback"),
      list: typed("optimistic.list"), retry: typed("optimistic.retry"),
    },
    outbox: { list: typed("outbox.list"), pause: typed("outbox.pause"), resume: typed("outbox.resume") },
  };
}
