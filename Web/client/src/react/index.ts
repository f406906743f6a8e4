import { createContext, createElement, useCallback, useContext, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { ReactElement, ReactNode } from "react";
import type { CacheHandle } from "../engine/port.js";
import type { EntityGetParams, JsonObject, Operation, PendingEdit, QueryReadParams } from "../engine/calls.js";
import { valueOf } from "../out/value.js";
import { CacheError } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import { entityStore, queryStore } from "./store.js";
import type { ObservationStore, Snapshot } from "./store.js";

export type { Snapshot } from "./store.js";

const CacheContext = createContext<CacheHandle | null>(null);

/** Gives a cache to the components below. */
export function CacheProvider({ cache, children }: { cache: CacheHandle; children?: ReactNode; }): ReactElement {
  return createElement(CacheContext.Provider, { value: cache }, children);
}

/** Returns the cache of the nearest `CacheProvider`. */
export function useCache(): CacheHandle {
  const cache = useContext(CacheContext);
  if (cache === null) throw new Error("there is no CacheProvider above: put one around the components that read");
  return cache;
}

/** What a component reads, and how. */
export interface QueryOptions extends Omit<QueryReadParams, "method" | "input"> {
  /** Whether the list is fetched again when something in it becomes too old. */
  refresh?: boolean;
  /** Whether to suspend while nothing is there yet. */
  suspense?: boolean;
}

/** A component's view of a query: the snapshot, and a function that asks the upstream anew. */
export type Observed<Data> = Snapshot<Data> & { readonly refetch: () => Promise<void>; };

/** Observes a query. Renders again when what is selected changed, and only then. */
export function useCachedQuery<Entity = JsonObject>(
  method: string, input?: unknown, options: QueryOptions = {},
): Observed<readonly Entity[]> {
  const cache = useCache();
  const { suspense, ...params } = options;
  const store = queryStore(cache, { method, input, ...params });
  const snapshot = useStore(store, suspense === true) as Snapshot<readonly Entity[]>;
  return useMemo(() => ({ ...snapshot, refetch: store.refetch }), [snapshot, store]);
}

/** Observes one entity; its data is null where there is none. */
export function useEntity<Entity = JsonObject>(
  type: string, id: EntityGetParams["id"], options: Omit<EntityGetParams, "resource_type" | "id"> & { suspense?: boolean; } = {},
): Snapshot<Entity | null> {
  const cache = useCache();
  const { suspense, ...params } = options;
  return useStore(entityStore(cache, { resource_type: type, id, ...params }), suspense === true) as Snapshot<Entity | null>;
}

function useStore<Data>(store: ObservationStore<Data>, isSuspending: boolean): Snapshot<Data> {
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  let shown = snapshot;
  if (isSuspending && snapshot.isLoading) {
    // What the cache has is there at once: only what has to be fetched suspends.
    const ready = store.ready();
    shown = store.getSnapshot();
    if (shown.isLoading) throw ready;
  }
  return shown;
}

/** Observes the pending edits, oldest first. */
export function usePendingEdits(library?: string): readonly PendingEdit[] {
  const cache = useCache();
  const known = useRef<{ of: object; version: number; edits: readonly PendingEdit[]; } | null>(null);
  const subscribe = useCallback((listener: () => void) => cache.port.onEdits(listener), [cache]);
  // An object of its own for each cache and library: what is known of one says nothing of another.
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

/** What a server says to a mutation. */
export interface Confirmation {
  confirmed?: object | readonly object[];
  resource_type?: string;
  sequence?: Sequence;
  id_map?: Readonly<Record<string, string>>;
}

/** A mutation: what it shows at once, and what carries it out. */
export interface MutationOptions<Variables> {
  library_id?: string;
  /** Returns the optimistic changes; none for a mutation that is not shown before it is done. */
  changes?(variables: Variables): readonly Operation[];
  /** Carries the mutation out. `pendingId` is for the server to name in its event. */
  mutate(variables: Variables, pendingId: string): Promise<Confirmation | void>;
}

/** What a component does with a mutation. */
export interface Mutation<Variables> {
  readonly mutate: (variables: Variables) => Promise<void>;
  readonly isPending: boolean;
  readonly error: Error | null;
}

let lastMutation = 0;

/**
 * Returns a mutation that shows its changes at once, and takes them back when it fails. Of several at one time the newest decides
 * about `isPending` and `error`; each promise is about its own.
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

/** Waits for a commit or a rollback; an edit that its event has settled meanwhile needs neither. */
async function settled(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof CacheError) || error.code !== "unknown_pending") throw error;
  }
}
