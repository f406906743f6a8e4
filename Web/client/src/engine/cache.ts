import { parseExact, stringifyExact } from "../json/exact.js";
import type { JsonValue, NumberMode } from "../json/exact.js";
import { quoted } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import { defaultLimits } from "../model/limits.js";
import type { DamagedRecord } from "../journal/damage.js";
import type { Limits } from "../model/limits.js";
import type { Sequence } from "../model/sequence.js";
import { valueOf } from "../out/value.js";
import { loadPartsSoon } from "../parts/index.js";
import type { Policy } from "../state/ages.js";
import type { QuarantineRecord } from "../state/records.js";
import type { LibraryPhase } from "../store/library.js";
import { systemClock } from "./clock.js";
import type { CacheClock } from "./clock.js";
import { Engine } from "./engine.js";
import type { Notification, Sink } from "./notifications.js";
import type { Journal, TextUpstream, Upstream } from "./ports.js";
import { optionNames, refuseUnknown } from "./options.js";
import { textUpstream } from "./upstreams.js";
import { cacheCalls } from "./calls.js";
import type { CacheCalls } from "./calls.js";
import { enginePort } from "./port.js";
import type { CacheHandle, CachePort } from "./port.js";

/** How a cache is made. Everything may be left out. */
export interface CacheOptions {
  /** The library of events and requests that name none; `""` by default. */
  library?: string;
  /** Who is asked for missing events and for queries; null for nobody. */
  upstream?: Upstream | null;
  /** Where the cache is kept over a reload; null for nowhere. */
  journal?: Journal | null;
  /** Bounds that differ from `defaultLimits`. */
  limits?: Partial<Limits>;
  clock?: CacheClock;
  /** Returns a number in 0 … 1, for pauses between attempts. */
  random?: () => number;
  /** Milliseconds that a fetch may take; 30,000 by default. */
  fetchTimeout?: number;
  /** Milliseconds that a gap waits for events that come late; 50 by default. */
  reorderWindow?: number;
  /** Own names of types, by names under which they may come. */
  aliases?: Readonly<Record<string, string>>;
  /** How old data may be, and what a delete takes along: `policyOf` or `policyOfRules` of `@tidemark/client/policy`. */
  policy?: Policy;
  /** `type` or `type.field`: what stays when an entity is evicted. */
  evictIgnore?: readonly string[];
  /** How numbers past 2^53 are given out; as `ExactNumber` by default. */
  numbers?: NumberMode;
  /** Whether the parts of the client that are not needed at once are loaded as soon as the page has time; true by default. */
  preload?: boolean;
}

/** Where one library stands. */
export interface GapReport {
  epoch: string;
  sequence: Sequence | null;
  state: LibraryPhase;
  lost: readonly (readonly [Sequence, Sequence])[];
}

/** A handler of notifications: their params, as Protocol/sessions.md has them. */
export type NotificationHandler = (params: { readonly [name: string]: JsonValue; }) => void;

/**
 * A normalized cache that follows event streams: entities, live queries, optimistic edits, gaps that heal.
 *
 * What it gives out is shared between readers and must not be changed.
 */
export class NormalizedCache implements CacheHandle {
  /** The moving parts. For the packages of this project. */
  readonly engine: Engine;
  /** Resolves when the journal was read; until then input and requests wait. Rejects when it cannot be used. */
  readonly ready: Promise<void>;
  /** The methods of Protocol/sessions.md by their names: `cache.calls.entity.get({…})`. */
  readonly calls: CacheCalls;
  /** The cache as components reach it. */
  readonly port: CachePort;
  /** How numbers that JavaScript cannot hold are given out. */
  readonly mode: NumberMode;
  private readonly handlers = new Map<string, Set<NotificationHandler>>();
  private readonly sink: Sink = (notification) => this.tell(notification);

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

  /** Takes events: a line or several, bytes of a stream of lines that may be cut anywhere, or an event as a value. */
  ingest(input: string | Uint8Array | object): void {
    this.engine.checkOpen();
    if (typeof input === "string") this.engine.ingestText(input);
    else if (input instanceof Uint8Array) this.engine.ingestBytes(input);
    else this.engine.ingestText(stringifyExact(input));
  }

  /** Ends a stream: what came after its last LF is a line, and gaps wait no longer. Resolves when none is left. */
  async endOfInput(): Promise<void> {
    await this.ready;
    await this.engine.partsCame();
    this.engine.endOfBytes();
    this.engine.afterInput();
    await this.engine.endGaps();
  }

  /** Calls a method of Protocol/sessions.md. Rejects with a `CacheError`. */
  call(method: string, params?: object): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      const json = params === undefined ? null : stringifyExact(params);
      this.engine.whenRoom(json === null ? 0 : json.length, () => this.engine.methods.perform(
        method, json, this.sink,
        (outcome) => outcome instanceof CacheError ? reject(outcome) : resolve(valueOf(outcome, this.mode))), reject);
    });
  }

  /** Calls `handler` with each notification of a name. Returns a function that ends it. */
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

  /** Returns where each library stands, and what was lost of it. */
  gaps(): Record<string, GapReport> {
    const names = [...this.engine.state.libraries.keys()].sort(compareBytes);
    return Object.fromEntries(names.map((name): [string, GapReport] => {
      const { epoch, cursor, phase, lost } = this.engine.status(name);
      return [name, { epoch, sequence: cursor, state: phase, lost: lost.map((range) => [range.first, range.last] as const) }];
    }));
  }

  /** Returns the newest records of lines and members that could not be used. */
  quarantine(): readonly QuarantineRecord[] { return this.engine.state.quarantine; }

  /** Returns the records of the journal that could not be used and were left out. */
  damage(): readonly DamagedRecord[] { return this.engine.damage; }

  /** Resolves when everything that came before is durable. */
  async flush(): Promise<void> { await this.call("cache.flush"); }

  /** Ends the cache: gaps are lost, fetches fail, what changed is written. */
  close(): Promise<void> { return this.engine.close(); }

  private tell(notification: Notification): void {
    const handlers = this.handlers.get(notification.method);
    if (handlers === undefined || handlers.size === 0) return;
    const params = valueOf(notification.params, this.mode) as { readonly [name: string]: JsonValue; };
    for (const handler of [...handlers]) handler(params);
  }
}

/** Reads JSON as the cache does. */
export const parseJson = parseExact;
