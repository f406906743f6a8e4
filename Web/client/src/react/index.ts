import type { EntityGetParams, JsonObject, Operation, PendingEdit, QueryReadParams } from "../cache/calls.js";
import type { CacheHandle } from "../cache/port.js";
import { CacheError } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import { valueOf } from "../out/value.js";
import type { ViewReadParams, ViewRule } from "../cache/view-calls.js";
import { entityStore, queryStore, viewStore } from "./store.js";
import type { ObservationStore, Snapshot } from "./store.js";
import { createContext, createElement, useCallback, useContext, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { ReactElement, ReactNode } from "react";

export type { CacheHandle } from "../cache/port.js";
export type { Snapshot } from "./store.js";

const CacheContext = createContext<CacheHandle | null>(null);

/**
 * Provides a cache to the components below it.
 *
 * ```tsx
 * createRoot(element).render(<CacheProvider cache={cache}><App /></CacheProvider>);
 * ```
 */
export function CacheProvider({ cache, children }: { cache: CacheHandle; children?: ReactNode; }): ReactElement {
  return createElement(CacheContext.Provider, { value: cache }, children);
}

/** Returns the cache of the nearest `CacheProvider`. Throws if there is none. */
export function useCache(): CacheHandle {
  const cache = useContext(CacheContext);
  if (cache === null) throw new Error("there is no CacheProvider above: put one around the components that read");
  return cache;
}

/** How a component reads a query. */
export interface QueryOptions extends Omit<QueryReadParams, "method" | "input"> {
  /** True to fetch the list again when something in it becomes too old. */
  refresh?: boolean;
  /** True to suspend the component until there is data. */
  suspense?: boolean;
}

/** What `useCachedQuery` returns: a snapshot of the list, and a function that fetches it again. */
export type Observed<Data> = Snapshot<Data> & { readonly refetch: () => Promise<void>; };

/**
 * Observes a query; the component renders again only when selected data changes.
 *
 * ```tsx
 * function Files() {
 *   const { data, isLoading } = useCachedQuery<File>("search.files", { q: "a" });
 *   return isLoading ? <p>Loading</p> : <ul>{data?.map((file) => <li key={file.id}>{file.name}</li>)}</ul>;
 * }
 * ```
 */
export function useCachedQuery<Entity = JsonObject>(
  method: string, input?: unknown, options: QueryOptions = {},
): Observed<readonly Entity[]> {
  const cache = useCache();
  const { suspense, ...params } = options;
  const store = queryStore(cache, { method, input, ...params });
  const snapshot = useStore(store, suspense === true) as Snapshot<readonly Entity[]>;
  return useMemo(() => ({ ...snapshot, refetch: store.refetch }), [snapshot, store]);
}

/** Observes one entity; `data` is null if it does not exist. */
export function useEntity<Entity = JsonObject>(
  type: string, id: EntityGetParams["id"], options: Omit<EntityGetParams, "resource_type" | "id"> & { suspense?: boolean; } = {},
): Snapshot<Entity | null> {
  const cache = useCache();
  const { suspense, ...params } = options;
  return useStore(entityStore(cache, { resource_type: type, id, ...params }), suspense === true) as Snapshot<Entity | null>;
}

/** A rule with the type of its rows, as the builder of `@tidemark/client/views` makes it. */
export interface TypedView<Row> {
  /** The rule. */
  readonly rule: ViewRule;
  /** The type of the rows; there is no value. */
  readonly row?: Row;
}

/** What `useView` returns: a snapshot of the rows, with the numbers of the result. */
export type ObservedView<Row> = Snapshot<readonly Row[]> & {
  /** The number of rows before the window is cut, if the rule asks for it. */
  readonly total: number | undefined;
  /** The number of entities that the view asked for and that the cache does not know; the rows may be incomplete then. */
  readonly missing: number;
};

/**
 * Observes a view: a rule, one of the builder, or the name of a defined view. The component renders again only when its
 * result changes, and a row that did not change stays the same object.
 *
 * ```tsx
 * function Issues({ team }: { team: string }) {
 *   const { data = [] } = useView(openIssues, { params: { team }, limit: 50 });
 *   return <ul>{data.map((issue) => <li key={issue.id}>{issue.title}</li>)}</ul>;
 * }
 * ```
 */
export function useView<Row = JsonObject>(
  view: ViewRule | string | TypedView<Row>, options: Omit<ViewReadParams, "view" | "keys"> & { suspense?: boolean; } = {},
): ObservedView<Row> {
  const cache = useCache();
  const { suspense, ...params } = options;
  const rule = typeof view === "object" && "rule" in view ? view.rule : view;
  const snapshot = useStore(viewStore(cache, { view: rule, ...params }), suspense === true);
  return useMemo(() => {
    const { data, ...rest } = snapshot;
    return { ...rest, data: data?.rows as readonly Row[] | undefined, total: data?.total, missing: data?.missing ?? 0 };
  }, [snapshot]);
}

function useStore<Data>(store: ObservationStore<Data>, isSuspending: boolean): Snapshot<Data> {
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  let shown = snapshot;
  if (isSuspending && snapshot.isLoading) {
    // Cached data is available at once: only a fetch suspends.
    const ready = store.ready();
    shown = store.getSnapshot();
    if (shown.isLoading) throw ready;
  }
  return shown;
}

/** Observes the pending edits of a library, or of all libraries, oldest first. */
export function usePendingEdits(library?: string): readonly PendingEdit[] {
  const cache = useCache();
  const known = useRef<{ of: object; version: number; edits: readonly PendingEdit[]; } | null>(null);
  const subscribe = useCallback((listener: () => void) => cache.port.onEdits(listener), [cache]);
  // One object for each cache and library, so that a remembered result is not used for another.
  const of = useMemo(() => ({ cache, library }), [cache, library]);
  const snapshot = useCallback((): readonly PendingEdit[] => {
    const version = of.cache.port.editVersion;
    if (known.current === null || known.current.of !== of || known.current.version !== version) {
      const { pending } = valueOf(of.cache.port.edits(of.library ?? null), of.cache.mode) as unknown as { pending: readonly PendingEdit[]; };
      known.current = { of, version, edits: pending };
    }
    return known.current.edits;
  }, [of]);
  return useSyncExternalStore(subscribe, snapshot, () => NO_EDITS);
}

const NO_EDITS: readonly PendingEdit[] = [];

/** A server's response to a mutation: the params of `optimistic.commit`. */
export interface Confirmation {
  /** The resources as the server stored them; an empty array if there are none. */
  confirmed?: object | readonly object[];
  /** The type of the confirmed resources. */
  resource_type?: string;
  /** The sequence of the event that reports the mutation. */
  sequence?: Sequence;
  /** Real ids by temporary ones. */
  id_map?: Readonly<Record<string, string>>;
}

/** A mutation: the changes it shows at once, and the request that performs it. */
export interface MutationOptions<Variables> {
  /** The library that the mutation changes; the cache's default library if absent. */
  library_id?: string;
  /** Returns the changes to show until the server responds; absent or empty to show nothing before that. */
  changes?(variables: Variables): readonly Operation[];
  /** Performs the mutation. The server names `pendingId` as the mutation id of its event. */
  mutate(variables: Variables, pendingId: string): Promise<Confirmation | void>;
}

/** What `useMutation` returns. */
export interface Mutation<Variables> {
  /** Performs the mutation. Rejects if it fails, after rolling its changes back. */
  readonly mutate: (variables: Variables) => Promise<void>;
  /** True while the newest mutation is running. */
  readonly isPending: boolean;
  /** The error of the newest mutation; null if it succeeded or is running. */
  readonly error: Error | null;
}

let lastMutation = 0;

/**
 * Returns a mutation that shows its changes at once and rolls them back if it fails. When several run at once,
 * `isPending` and `error` are those of the newest; each promise reports its own outcome.
 *
 * ```tsx
 * const rename = useMutation<{ id: string; name: string }>({
 *   changes: ({ id, name }) => [{ op: "patch", resource_type: "file", id, fields: { name } }],
 *   mutate: async ({ id, name }, pendingId) => { await api.rename(id, name, pendingId); },
 * });
 * ```
 */
export function useMutation<Variables>(options: MutationOptions<Variables>): Mutation<Variables> {
  const cache = useCache();
  const current = useRef(options);
  current.current = options;
  const newest = useRef(0);
  const [state, setState] = useState<{ isPending: boolean; error: Error | null; }>({ isPending: false, error: null });
  const mutate = useCallback(async (variables: Variables): Promise<void> => {
    const { changes, library_id, mutate: carryOut } = current.current;
    const own = lastMutation += 1;
    newest.current = own;
    const show = (isPending: boolean, error: Error | null): void => { if (newest.current === own) setState({ isPending, error }); };
    const pending_id = `${cache.port.clock.now()}-${Math.floor(cache.port.random() * 1e9)}-${own}`;
    const operations = changes?.(variables) ?? [];
    show(true, null);
    try {
      if (operations.length > 0) await cache.calls.optimistic.update({ library_id, pending_id, changes: operations });
      const confirmation = await carryOut(variables, pending_id);
      if (operations.length > 0) await settled(cache.calls.optimistic.commit({ library_id, pending_id, ...confirmation }));
      show(false, null);
    } catch (error) {
      if (operations.length > 0) await settled(cache.calls.optimistic.rollback({ library_id, pending_id }));
      show(false, error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }, [cache]);
  return useMemo(() => ({ mutate, ...state }), [mutate, state]);
}

/**
 * Waits for a commit or a rollback. Ignores `unknown_pending`: the event of the mutation has already settled the edit.
 */
async function settled(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof CacheError) || error.code !== "unknown_pending") throw error;
  }
}
