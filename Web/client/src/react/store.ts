import type { CacheHandle } from "../engine/port.js";
import type { Notification } from "../engine/notifications.js";
import { CacheError } from "../model/errors.js";
import { valueOf } from "../out/value.js";
import type { Out } from "../out/value.js";
import { stringifyExact } from "../json/exact.js";
import type { JsonObject } from "../engine/calls.js";

/** What a component sees of an observed query or entity. A new object for each change, and only then. */
export interface Snapshot<Data> {
  readonly data: Data | undefined;
  readonly isLoading: boolean;
  readonly isStale: boolean;
  readonly error: CacheError | null;
  readonly pending: boolean;
  /** The number of notifications that were merged into this one. */
  readonly missed: number;
}

/** Milliseconds that an observation waits for the component that suspended for it. */
const UNMOUNTED_TIME_MAX = 10_000;

const LOADING: Snapshot<never> = { data: undefined, isLoading: true, isStale: false, error: null, pending: false, missed: 0 };

/** The parameters of an observation as JSON: as they are given, and with the policy that asks the upstream anew. */
interface Request {
  readonly given: string;
  readonly anew: string;
}

/** How an observation is read: its first answer, and what each notification makes of the data. */
interface Reading<Data> {
  method: "query.observe" | "entity.observe";
  first(answer: JsonObject): Data;
  next(data: Data, params: JsonObject): Data;
}

/** One attempt to observe: whatever comes for another one than the present is not shown. */
interface Observation {
  /** Null until the cache has answered, and after it has refused. */
  subscription: number | null;
}

/** One observation that several components share. It begins with the first of them, and ends soon after the last. */
export class ObservationStore<Data> {
  private snapshot: Snapshot<Data> = LOADING;
  private readonly listeners = new Set<() => void>();
  /** The present attempt; null while nobody wants one. */
  private current: Observation | null = null;
  /** The number of the newest `refetch`: it alone decides about the error. */
  private lastFetch = 0;
  /** Takes back the end that is near; null while none is. */
  private keep: (() => void) | null = null;
  private waiters: (() => void)[] = [];
  private endLayers: () => void = () => undefined;

  constructor(
    private readonly cache: CacheHandle, private readonly request: Request, private readonly reading: Reading<Data>,
  ) { }

  /** Returns what there is to see; the same object as long as nothing changed. */
  readonly getSnapshot = (): Snapshot<Data> => this.snapshot;

  /** What a server renders: nothing is observed there. */
  readonly getServerSnapshot = (): Snapshot<Data> => LOADING;

  /** Resolves when something is there, or failed. For suspense: it begins the observation. */
  ready(): Promise<void> {
    if (!this.snapshot.isLoading) return Promise.resolve();
    const done = new Promise<void>((resolve) => this.waiters.push(resolve));
    if (this.current === null) this.begin(this.request.given);
    return done;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.endIn(null);
    if (this.listeners.size === 1) this.endLayers = this.cache.port.onEdits(this.followLayers);
    if (this.current === null) this.begin(this.request.given);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.endLayers();
      // React mounts twice in strict mode, and moves components: the next one may come at once.
      this.endIn(0);
    };
  };

  /** An edit that settles with what it showed changes no element, so that nothing is told: it is pending no more. */
  private readonly followLayers = (): void => {
    const subscription = this.current?.subscription ?? null;
    const pending = subscription === null ? null : this.cache.port.isPending(subscription);
    if (pending !== null && pending !== this.snapshot.pending) this.set({ ...this.snapshot, pending });
  };

  /** Asks the upstream anew. Resolves when it has answered, or failed: the snapshot has the error then. */
  readonly refetch = async (): Promise<void> => {
    if (this.current === null || this.current.subscription === null) {
      if (!this.snapshot.isLoading) this.set(LOADING);
      this.begin(this.request.anew);
      return this.ready();
    }
    const own = this.lastFetch += 1;
    await new Promise<void>((resolve) => {
      this.cache.port.perform("query.read", this.request.anew, () => undefined, (outcome) => {
        const error = outcome instanceof CacheError ? outcome : null;
        // Equal data is no change that is told, and ends an error all the same.
        if (own === this.lastFetch && error !== this.snapshot.error) this.set({ ...this.snapshot, error });
        resolve();
      });
    });
  };

  private begin(json: string): void {
    const own: Observation = { subscription: null };
    this.leave();
    this.current = own;
    // The component that began it may never be mounted: then nobody ends it.
    if (this.listeners.size === 0) this.endIn(UNMOUNTED_TIME_MAX);
    this.cache.port.perform(this.reading.method, json, (notification) => this.hear(own, notification), (outcome) => {
      if (outcome instanceof CacheError) {
        if (own === this.current) this.set({ ...LOADING, isLoading: false, error: outcome });
        return;
      }
      const answer = this.value(outcome);
      own.subscription = Number(answer.subscription);
      if (own !== this.current) return this.cancel(own.subscription);
      this.set({
        data: this.reading.first(answer), isLoading: false, isStale: answer.stale === true, error: null,
        pending: answer.pending === true, missed: 0,
      });
    });
  }

  private hear(own: Observation, { method, params }: Notification): void {
    if (method !== "query.changed" && method !== "entity.changed") return;
    const { data } = this.snapshot;
    if (own !== this.current || own.subscription === null) return;
    const change = this.value(params);
    this.set({
      data: data === undefined ? data : this.reading.next(data, change), isLoading: false, error: null,
      isStale: typeof change.stale === "boolean" ? change.stale : this.snapshot.isStale,
      pending: typeof change.pending === "boolean" ? change.pending : this.snapshot.pending, missed: Number(change.missed ?? 0),
    });
  }

  private set(snapshot: Snapshot<Data>): void {
    this.snapshot = snapshot;
    for (const wake of this.waiters.splice(0)) wake();
    for (const listener of [...this.listeners]) listener();
  }

  /** Ends the observation in some milliseconds, unless a component comes before; null: not at all. */
  private endIn(milliseconds: number | null): void {
    this.keep?.();
    this.keep = milliseconds === null ? null : this.cache.port.clock.schedule(milliseconds, () => {
      this.keep = null;
      this.leave();
      this.current = null;
      this.lastFetch += 1;
      // Who still waits asks again, and begins anew.
      this.set(LOADING);
    });
  }

  /** Ends the present attempt. One that is not answered yet is ended with its answer. */
  private leave(): void {
    if (this.current !== null && this.current.subscription !== null) this.cancel(this.current.subscription);
  }

  private cancel(subscription: number): void {
    this.cache.port.perform("observe.cancel", `{"subscription":${subscription}}`, () => undefined, () => undefined);
  }

  private value(out: Out): JsonObject { return valueOf(out, this.cache.mode) as JsonObject; }
}

/** The observations of each cache, by what they observe. */
const stores = new WeakMap<CacheHandle, Map<string, ObservationStore<unknown>>>();
/** Observations that are remembered; those without components are only a few words. */
const STORE_COUNT_MAX = 10_000;

function storeOf<Data>(cache: CacheHandle, params: object, reading: Reading<Data>): ObservationStore<Data> {
  let own = stores.get(cache);
  if (own === undefined) stores.set(cache, own = new Map());
  const given = stringifyExact(params);
  const key = `${reading.method} ${given}`;
  let store = own.get(key) as ObservationStore<Data> | undefined;
  if (store !== undefined) return store;
  if (own.size >= STORE_COUNT_MAX) own.clear();
  // Made now: the program may change its object later.
  const anew = stringifyExact({ ...params, policy: "networkOnly" });
  store = new ObservationStore(cache, { given, anew }, reading);
  own.set(key, store as ObservationStore<unknown>);
  return store;
}

/** Returns the store of an observed query. */
export function queryStore(cache: CacheHandle, params: object): ObservationStore<readonly JsonObject[]> {
  return storeOf(cache, params, {
    method: "query.observe", first: (answer) => answer.entities as readonly JsonObject[],
    next: (data, change) => patched(data, change.patch as unknown as readonly PatchStep[]),
  });
}

/** Returns the store of an observed entity. */
export function entityStore(cache: CacheHandle, params: object): ObservationStore<JsonObject | null> {
  return storeOf(cache, params, {
    method: "entity.observe", first: (answer) => answer.entity as JsonObject | null,
    next: (_data, change) => change.entity as JsonObject | null,
  });
}

interface PatchStep {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: JsonObject;
}

/** Applies a patch to a list; elements that did not change stay the same objects. */
function patched(data: readonly JsonObject[], patch: readonly PatchStep[]): readonly JsonObject[] {
  if (patch.length === 0) return data;
  const list = [...data];
  for (const { op, path, from, value } of patch) {
    const at = Number(path.slice(1));
    if (op === "remove") list.splice(at, 1);
    else if (op === "move" && from !== undefined) list.splice(at, 0, ...list.splice(Number(from.slice(1)), 1));
    else if (value !== undefined) list.splice(at, op === "replace" ? 1 : 0, value);
  }
  return list;
}
