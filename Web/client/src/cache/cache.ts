import { systemClock } from "../engine/clock.js";
import type { Notification, Sink } from "../engine/notifications.js";
import type { TextUpstream } from "../engine/ports.js";
import type { DamagedRecord } from "../journal/damage.js";
import { parseExact, stringifyExact } from "../json/exact.js";
import type { JsonValue, NumberMode } from "../json/exact.js";
import { quoted } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import { defaultLimits } from "../model/limits.js";
import { refuseUnknown } from "../model/options.js";
import type { Sequence } from "../model/sequence.js";
import { valueOf } from "../out/value.js";
import { loadPartsSoon } from "../parts/index.js";
import type { QuarantineRecord } from "../state/records.js";
import type { LibraryPhase } from "../store/library.js";
import { cacheCalls } from "./calls.js";
import type { CacheCalls } from "./calls.js";
import { Engine } from "./engine.js";
import { optionNames } from "./options.js";
import type { CacheOptions } from "./options.js";
import { enginePort } from "./port.js";
import type { CacheHandle, CachePort, NotificationHandler } from "./port.js";
import { textUpstream } from "./upstreams.js";

/** The position of one library in its log, and the ranges that it lost. */
export interface GapReport {
  /** The name of the log that the library follows; empty when the log has none. */
  epoch: string;
  /** The cursor: the last sequence up to which no event is awaited; null before the first position is known. */
  sequence: Sequence | null;
  /**
   * The state of the library: `cold` before its first position, `live`, `gap` while events are missing, `reconciling`
   * while they are requested, or `stale` if all of its lists may be out of date.
   */
  state: LibraryPhase;
  /** The sequences that no source had, as inclusive ranges. */
  lost: readonly (readonly [Sequence, Sequence])[];
}


/**
 * A normalized cache that follows event streams, with live queries, optimistic edits and recovery of missing events.
 *
 * Values that the cache returns are shared between readers: do not change them.
 *
 * ```ts
 * const cache = new NormalizedCache({ journal: new IndexedDBJournal() });
 * await cache.ready;
 * cache.ingest({ sequence: 1, event: { ResourceChanged: { resource_type: "file", resource: { id: "f1" } } } });
 * const { entity } = await cache.calls.entity.get({ resource_type: "file", id: "f1" });
 * ```
 */
export class NormalizedCache implements CacheHandle {
  /** The engine behind this cache. Internal to the packages of this project. */
  readonly engine: Engine;
  /**
   * Resolves once the journal has been read; input and requests wait until then. Rejects if the journal cannot be used.
   */
  readonly ready: Promise<void>;
  /** The methods of Protocol/sessions.md as typed functions: `cache.calls.entity.get({…})`. */
  readonly calls: CacheCalls;
  /** The access that React components and other tabs use. */
  readonly port: CachePort;
  /** How numbers that a JavaScript number cannot hold are returned. */
  readonly mode: NumberMode;
  private readonly handlers = new Map<string, Set<NotificationHandler>>();
  private readonly sink: Sink = (notification) => this.tell(notification);

  /**
   * Creates a cache and begins to read its journal, if it has one.
   *
   * @param upstream - For the packages of this project: an upstream over JSON text, used instead of `options.upstream`.
   * @throws `CacheError` `invalid_params` when an option or a limit has an unknown name.
   */
  constructor(options: CacheOptions = {}, upstream: TextUpstream | null = null) {
    refuseUnknown(options, optionNames);
    refuseUnknown(options.limits, Object.keys(defaultLimits));
    this.mode = options.numbers ?? "text";
    this.engine = new Engine({
      library: options.library ?? "", journal: options.journal ?? null,
      upstream: upstream ?? (options.upstream == null ? null : textUpstream(options.upstream, this.mode)),
      limits: { ...defaultLimits, ...options.limits }, clock: options.clock ?? systemClock(), random: options.random ?? Math.random,
      fetchTimeout: options.fetchTimeout ?? 30_000, reorderWindow: options.reorderWindow ?? 50,
      aliases: new Map(Object.entries(options.aliases ?? {})), policy: options.policy ?? null, evictIgnore: options.evictIgnore ?? [],
    });
    this.ready = this.engine.opened;
    if (options.preload !== false) loadPartsSoon();
    this.port = enginePort(this.engine);
    this.calls = cacheCalls((method, params) => this.call(method, params));
  }

  /**
   * Applies events: one or several lines of text, bytes of a stream of lines that may be cut anywhere, or one event as
   * a value. Input that cannot be used is quarantined.
   *
   * @throws `CacheError` when the cache is closed, its journal cannot be used, or too much input is waiting.
   */
  ingest(input: string | Uint8Array | object): void {
    this.engine.checkOpen();
    if (typeof input === "string") this.engine.ingestText(input);
    else if (input instanceof Uint8Array) this.engine.ingestBytes(input);
    else this.engine.ingestText(stringifyExact(input));
  }

  /**
   * Ends the input: applies an unterminated last line, and asks for missing events at once. Resolves when every gap is
   * closed or lost.
   */
  async endOfInput(): Promise<void> {
    await this.ready;
    await this.engine.partsCame();
    this.engine.endOfBytes();
    this.engine.afterInput();
    await this.engine.endGaps();
  }

  /** Calls a method of Protocol/sessions.md by name and returns its result. Rejects with a `CacheError`. */
  call(method: string, params?: object): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      const json = params === undefined ? null : stringifyExact(params);
      this.engine.whenRoom(json === null ? 0 : json.length, () => this.engine.methods.perform(
        method, json, this.sink,
        (outcome) => outcome instanceof CacheError ? reject(outcome) : resolve(valueOf(outcome, this.mode))), reject);
    });
  }

  /**
   * Subscribes `handler` to the notifications of one name. Returns a function that unsubscribes it.
   *
   * ```ts
   * const stop = cache.on("query.changed", ({ subscription, patch }) => console.log(subscription, patch));
   * ```
   */
  on(method: Notification["method"], handler: NotificationHandler): () => void {
    if (method === "library.state" || method === "durable" || method === "outbox.changed") this.engine.addSink(this.sink);
    const handlers = this.handlers.get(method) ?? new Set();
    this.handlers.set(method, handlers.add(handler));
    return () => { handlers.delete(handler); };
  }

  /** Returns the lines of an export: every stored entity in key order, without pending edits. */
  export(): string[] {
    const lines: string[] = [];
    const libraries = [...this.engine.state.libraries.values()].sort((left, right) => compareBytes(left.name, right.name));
    for (const library of libraries) {
      const slots = [...library.types.values()].flatMap((table) => [...table.slots.values()]);
      for (const slot of slots.sort((left, right) => compareBytes(left.key, right.key))) {
        if (slot.text === null || slot.completeness !== "whole") continue;
        lines.push(`{"library_id":${quoted(library.name)},"resource_type":${quoted(slot.table.name)},"id":${quoted(slot.id)},`
          + `"resource":${slot.text},"sequence":${slot.stamp.sequence ?? "null"}}`);
      }
    }
    return lines;
  }

  /** Returns the position and the lost ranges of each library, by name. */
  gaps(): Record<string, GapReport> {
    const names = [...this.engine.state.libraries.keys()].sort(compareBytes);
    return Object.fromEntries(names.map((name): [string, GapReport] => {
      const { epoch, cursor, phase, lost } = this.engine.status(name);
      return [name, { epoch, sequence: cursor, state: phase, lost: lost.map((range) => [range.first, range.last] as const) }];
    }));
  }

  /** Returns the newest records of lines and batch members that could not be used. */
  quarantine(): readonly QuarantineRecord[] { return this.engine.state.quarantine; }

  /** Returns the records of the journal that could not be used and were left out. */
  damage(): readonly DamagedRecord[] { return this.engine.damage; }

  /** Resolves once every change made so far is durable. Rejects with `storage_failed` if writing fails. */
  async flush(): Promise<void> { await this.call("cache.flush"); }

  /** Closes the cache: gives up on missing events, fails running fetches, and writes unsaved changes. */
  close(): Promise<void> { return this.engine.close(); }

  private tell(notification: Notification): void {
    const handlers = this.handlers.get(notification.method);
    if (handlers === undefined || handlers.size === 0) return;
    const params = valueOf(notification.params, this.mode) as { readonly [name: string]: JsonValue; };
    for (const handler of [...handlers]) handler(params);
  }
}

/** Parses JSON as the cache does, without loss of large numbers. */
export const parseJson = parseExact;
