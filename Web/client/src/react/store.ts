import type { JsonObject } from "../cache/calls.js";
import type { CacheHandle } from "../cache/port.js";
import type { Notification } from "../engine/notifications.js";
import { stringifyExact } from "../json/exact.js";
import { CacheError } from "../model/errors.js";
import { valueOf } from "../out/value.js";
import type { Out } from "../out/value.js";
import { patchedRows } from "./patched-rows.js";
import type { RowStep } from "./patched-rows.js";

/** The state of an observed query or entity. A new object for each change, and the same object in between. */
export interface Snapshot<Data> {
  /** The data; undefined until the first answer. */
  readonly data: Data | undefined;
  /** True until the first answer or error. */
  readonly isLoading: boolean;
  /** True if the data may be older than the server's. */
  readonly isStale: boolean;
  /** The error of the observation or of the newest `refetch`; null if there is none. */
  readonly error: CacheError | null;
  /** True if the data shows a pending edit. */
  readonly pending: boolean;
  /** The number of notifications that were merged into this one. */
  readonly missed: number;
}

/** How long an observation is kept for the component that suspended for it, in milliseconds. */
const UNMOUNTED_TIME_MAX = 10_000;

const LOADING: Snapshot<never> = { data: undefined, isLoading: true, isStale: false, error: null, pending: false, missed: 0 };

/** The params of an observation as JSON: as given, and with the policy `networkOnly` for `refetch`. */
interface Request {
  readonly given: string;
  readonly anew: string;
}

/** How to read data from the first answer of an observation, and how each notification changes it. */
interface Reading<Data> {
  method: "query.observe" | "entity.observe" | "view.observe";
  first(answer: JsonObject): Data;
  next(data: Data, params: JsonObject): Data;
}

/** One attempt to observe. Answers and notifications of earlier attempts are ignored. */
interface Observation {
  /** The subscription number; null until the cache has answered, and after it has refused. */
  subscription: number | null;
}

/** One observation shared by several components. It begins with the first subscriber and ends soon after the last. */
export class ObservationStore<Data> {
  private snapshot: Snapshot<Data> = LOADING;
  private readonly listeners = new Set<() => void>();
  /** The current attempt; null while there are no subscribers. */
  private current: Observation | null = null;
  /** The number of the newest `refetch`; only its outcome sets the error. */
  private lastFetch = 0;
  /** Cancels the scheduled end of the observation; null while none is scheduled. */
  private keep: (() => void) | null = null;
  private waiters: (() => void)[] = [];
  private endLayers: () => void = () => undefined;

  /** Creates an observation that begins with its first subscriber. */
  constructor(
    private readonly cache: CacheHandle, private readonly request: Request, private readonly reading: Reading<Data>,
  ) { }

  /** Returns the current snapshot; the same object until something changes. */
  readonly getSnapshot = (): Snapshot<Data> => this.snapshot;

  /** Returns the snapshot for server rendering: always loading. */
  readonly getServerSnapshot = (): Snapshot<Data> => LOADING;

  /** Starts the observation and resolves when there is data or an error. For suspense. */
  ready(): Promise<void> {
    if (!this.snapshot.isLoading) return Promise.resolve();
    const done = new Promise<void>((resolve) => this.waiters.push(resolve));
    if (this.current === null) this.begin(this.request.given);
    return done;
  }

  /** Adds a subscriber; returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.endIn(null);
    if (this.listeners.size === 1) this.endLayers = this.cache.port.onEdits(this.followLayers);
    if (this.current === null) this.begin(this.request.given);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.endLayers();
      // React mounts twice in strict mode and moves components: the next subscriber may follow at once.
      this.endIn(0);
    };
  };

  /** Updates `pending`: an edit that settles with the data it showed changes no element and sends no notification. */
  private readonly followLayers = (): void => {
    const subscription = this.current?.subscription ?? null;
    const pending = subscription === null ? null : this.cache.port.isPending(subscription);
    if (pending !== null && pending !== this.snapshot.pending) this.set({ ...this.snapshot, pending });
  };

  /** Fetches the data again. Resolves when the fetch succeeds or fails; the snapshot then has the error. */
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
        // Equal data sends no notification, but still clears the error.
        if (own === this.lastFetch && error !== this.snapshot.error) this.set({ ...this.snapshot, error });
        resolve();
      });
    });
  };

  private begin(json: string): void {
    const own: Observation = { subscription: null };
    this.leave();
    this.current = own;
    // The component that started it may never be mounted and could not end it.
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
    const { data } = this.snapshot;
    if (own !== this.current || own.subscription === null) return;
    if (method === "view.ended") {
      own.subscription = null;
      return this.set({ ...this.snapshot, error: new CacheError("unknown_subscription", `the view ended: ${String(params.reason)}`) });
    }
    if (!method.endsWith(".changed")) return;
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

  /** Schedules the end of the observation unless a component subscribes before; null cancels the end. */
  private endIn(milliseconds: number | null): void {
    this.keep?.();
    this.keep = milliseconds === null ? null : this.cache.port.clock.schedule(milliseconds, () => {
      this.keep = null;
      this.leave();
      this.current = null;
      this.lastFetch += 1;
      // A component that still waits subscribes again, which starts a new attempt.
      this.set(LOADING);
    });
  }

  /** Cancels the current attempt; one without an answer yet is cancelled when the answer arrives. */
  private leave(): void {
    if (this.current !== null && this.current.subscription !== null) this.cancel(this.current.subscription);
  }

  private cancel(subscription: number): void {
    this.cache.port.perform("observe.cancel", `{"subscription":${subscription}}`, () => undefined, () => undefined);
  }

  private value(out: Out): JsonObject { return valueOf(out, this.cache.mode) as JsonObject; }
}

/** The shared observations of each cache, by method and params. */
const stores = new WeakMap<CacheHandle, Map<string, ObservationStore<unknown>>>();
/** Maximum number of remembered observations; those without subscribers take little memory. */
const STORE_COUNT_MAX = 10_000;

function storeOf<Data>(cache: CacheHandle, params: object, reading: Reading<Data>): ObservationStore<Data> {
  let own = stores.get(cache);
  if (own === undefined) stores.set(cache, own = new Map());
  const given = stringifyExact(params);
  const key = `${reading.method} ${given}`;
  let store = own.get(key) as ObservationStore<Data> | undefined;
  if (store !== undefined) return store;
  if (own.size >= STORE_COUNT_MAX) own.clear();
  // Serialized now, because the program may change its object later.
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

/** The rows of an observed view, and its numbers. */
export interface ViewData {
  /** The rows; one that did not change stays the same object. */
  readonly rows: readonly JsonObject[];
  /** The number of rows before the window is cut, if the rule asks for it. */
  readonly total: number | undefined;
  /** The number of entities that the view asked for and that the cache does not know. */
  readonly missing: number;
}

/** Returns the store of an observed view. */
export function viewStore(cache: CacheHandle, params: object): ObservationStore<ViewData> {
  const numbers = ({ total, missing }: JsonObject): Omit<ViewData, "rows"> =>
    ({ total: total === undefined ? undefined : Number(total), missing: Number(missing) });
  return storeOf(cache, params, {
    method: "view.observe", first: (answer) => ({ rows: answer.rows as readonly JsonObject[], ...numbers(answer) }),
    next: ({ rows }, change) => ({ rows: patchedRows(rows, change.patch as unknown as readonly RowStep[]), ...numbers(change) }),
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
