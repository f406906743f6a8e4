// Makes a cache follow `tidemark serve`: first the server's export, then each change in its log. Protocol/serving.md.

import type { NormalizedCache } from "../cache/cache.js";
import type { Operation } from "../cache/calls.js";
import { parseExact, stringifyExact } from "../json/exact.js";
import type { JsonValue } from "../json/exact.js";
import { compact } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import { refuseUnknown } from "../model/options.js";
import type { Sequence } from "../model/sequence.js";
import { connectServe, isFinal, refusalOf, ServeError } from "./serve.js";
import type { ServeConnection, ServeOptions } from "./serve.js";

/** The progress of a cache that follows a server. */
export interface Following {
  /**
   * Resolves once the cache has the state that the server had at the request. Rejects with a `ServeError` if the server
   * refuses.
   */
  readonly ready: Promise<void>;
  /** Resolves once closed. Rejects with a `ServeError`, which has the `status`, if the server refuses at any time. */
  readonly ended: Promise<void>;
  /** The connection to the server, for calling its methods. */
  readonly connection: ServeConnection;
  /** Stops following and closes the connection. */
  close(): void;
}

/** An event of the server's log, as `log.event` reports it. */
interface LogEvent {
  readonly library_id: string | null;
  readonly sequence: Sequence | null;
  readonly kind: string;
  readonly resource_type: string | null;
  readonly keys: readonly string[];
  /** The number of resources that the event names; `keys` has the first of them. */
  readonly resources: number;
  readonly mutation_id: string | null;
}

interface ExportedEntity {
  readonly library_id: string;
  readonly resource_type: string;
  readonly id: string;
  readonly resource: object;
}

interface Place { readonly epoch: string; readonly sequence: Sequence | null; }

/** Maximum number of unprocessed events; past it the whole state is read again. */
const WAITING_COUNT_MAX = 10_000;
/** Maximum number of entities in one transaction. */
const CHUNK_COUNT_MAX = 1_000;
/** Maximum number of events whose entities are requested at a time; each names at most ten. */
const FOLLOWED_COUNT_MAX = 16;
const DELAY_BASE = 250;
const DELAY_MAX = 30_000;

/**
 * Makes a cache follow `tidemark serve`: it copies every entity of the server's export, then applies each change in the
 * server's log. It reconnects after an interruption; when changes may have been missed, it reads the export again and
 * lists without a rule become stale. Entities of the server's libraries that the server does not have are deleted.
 *
 * ```ts
 * const following = followServe("http://127.0.0.1:7432", token, cache);
 * await following.ready;
 * ```
 */
export function followServe(url: string, token: string, cache: NormalizedCache, options: ServeOptions = {}): Following {
  refuseUnknown(options, ["fetch", "random"]);
  return new Follower(url.replace(/\/$/, ""), token, cache, options);
}

class Follower implements Following {
  readonly connection: ServeConnection;
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  private waiting: LogEvent[] = [];
  /** True if the whole state must be read: at the start, and when changes may have been missed. */
  private mustRead = true;
  private isObserving = false;
  private isClosed = false;
  private refusal: ServeError | null = null;
  private readonly epochs = new Map<string, string>();
  private readonly fetch: typeof fetch;
  private wake: () => void = () => undefined;
  private becomeReady: () => void = () => undefined;
  private failReady: (error: unknown) => void = () => undefined;

  constructor(private readonly url: string, private readonly token: string, private readonly cache: NormalizedCache, options: ServeOptions) {
    this.fetch = options.fetch ?? ((...args) => fetch(...args));
    this.connection = connectServe(url, token, options);
    this.ready = new Promise((resolve, reject) => {
      this.becomeReady = resolve;
      this.failReady = reject;
    });
    this.connection.on("log.event", (params) => this.hear(params as unknown as { events: readonly LogEvent[]; missed?: number; }));
    this.connection.on("durable", (params) => this.hearPlace(params as unknown as { library_id: string; epoch: string; }));
    this.connection.onGone(() => {
      this.isObserving = false;
      this.readAgain();
    });
    this.connection.onRefused((error) => {
      this.refusal = error;
      this.wake();
    });
    this.ended = this.run(options.random ?? Math.random);
    this.ended.catch((error: unknown) => this.failReady(error));
    // Callers may ignore `ready`: its rejection is not an unhandled one.
    this.ready.catch(() => undefined);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.connection.close();
    this.failReady(new CacheError("upstream_failed", "following was ended: follow the server again"));
    this.wake();
  }

  // Notifications of the server

  private hear({ events, missed }: { events: readonly LogEvent[]; missed?: number; }): void {
    if ((missed ?? 0) > 0 || this.waiting.length + events.length > WAITING_COUNT_MAX) return this.readAgain();
    this.waiting.push(...events);
    this.wake();
  }

  /** Another epoch means another log: the state must be read again. */
  private hearPlace({ library_id, epoch }: { library_id: string; epoch: string; }): void {
    const known = this.epochs.get(library_id);
    this.epochs.set(library_id, epoch);
    if (known !== undefined && known !== epoch) this.readAgain();
  }

  private readAgain(): void {
    this.waiting = [];
    this.mustRead = true;
    this.wake();
  }

  // Processing, one step at a time

  private async run(random: () => number): Promise<void> {
    let failureCount = 0;
    await this.cache.ready;
    while (!this.isClosed) {
      try {
        if (this.refusal !== null) throw this.refusal;
        if (this.mustRead) await this.read();
        else if (this.waiting.length > 0) await this.follow(this.waiting.splice(0, FOLLOWED_COUNT_MAX));
        else await new Promise<void>((resolve) => { this.wake = resolve; });
        if (!this.mustRead) this.becomeReady();
        failureCount = 0;
      } catch (error) {
        if (this.isClosed) return;
        if (!isPassing(error)) {
          this.isClosed = true;
          this.connection.close();
          throw error;
        }
        this.readAgain();
        const delay = Math.min(DELAY_BASE * 2 ** failureCount, DELAY_MAX) * random();
        failureCount += 1;
        await new Promise((resolve) => { setTimeout(resolve, delay); });
      }
    }
  }

  /** Reads the whole state. Observes the log first, so that changes made during the read are not missed. */
  private async read(): Promise<void> {
    this.mustRead = false;
    if (!this.isObserving) {
      await this.connection.call("log.observe", { bins: ["applied", "reconciled"] });
      this.isObserving = true;
    }
    const { libraries } = await this.connection.call("cache.stats") as unknown as { libraries: Record<string, Place>; };
    await this.readEntities("", null, Object.keys(libraries));
    const own = this.cache.gaps();
    for (const [library, { epoch, sequence }] of Object.entries(libraries)) {
      this.epochs.set(library, epoch);
      if (sequence !== null) this.takePlace(library, { epoch, sequence }, own[library] ?? { epoch: "", sequence: null });
    }
  }

  /**
   * Moves the cache to the server's position in a log. From an earlier position, lists become stale, since events
   * between are unknown.
   */
  private takePlace(library_id: string, { epoch, sequence }: Place, own: Place): void {
    const named = { library_id, epoch: epoch === "" ? undefined : epoch };
    const heartbeat = { Heartbeat: { last_sequence: sequence } };
    const isOther = epoch !== "" && own.epoch !== "" && epoch !== own.epoch;
    if (own.sequence === null || isOther) return this.cache.ingest({ ...named, event: heartbeat });
    if (sequence === null || sequence === own.sequence) return;
    this.cache.ingest(sequence < own.sequence ? { ...named, event: heartbeat } : { ...named, sequence, prev: own.sequence, event: "Refresh" });
  }

  /**
   * Writes the entities of an export, and deletes entities of the same libraries (or the one type) that are not in it.
   */
  private async readEntities(query: string, type: string | null, libraries: readonly string[]): Promise<void> {
    const response = await this.fetch(`${this.url}/export${query}`, { headers: { Authorization: `Bearer ${this.token}` } });
    if (!response.ok || response.body === null) throw await refusalOf(response);
    const there = new Set<string>();
    const chunks = new Map<string, Operation[]>();
    for await (const line of linesOf(response.body)) {
      const { library_id, resource_type, id, resource } = parseExact(compact(line)) as unknown as ExportedEntity;
      there.add(keyOf(library_id, resource_type, id));
      const chunk = chunks.get(library_id) ?? [];
      chunks.set(library_id, chunk);
      chunk.push({ op: "put", resource_type, id, resource });
      if (chunk.length >= CHUNK_COUNT_MAX) await this.write(library_id, chunk.splice(0));
    }
    for (const line of this.cache.export()) {
      const { library_id, resource_type, id } = JSON.parse(line) as ExportedEntity;
      if (!libraries.includes(library_id) || type !== null && resource_type !== type || there.has(keyOf(library_id, resource_type, id))) continue;
      const chunk = chunks.get(library_id) ?? [];
      chunks.set(library_id, chunk);
      chunk.push({ op: "delete", resource_type, id });
    }
    for (const [library_id, chunk] of chunks) if (chunk.length > 0) await this.write(library_id, chunk);
  }

  private async write(library_id: string, operations: readonly Operation[]): Promise<void> {
    await this.cache.calls.cache.transaction({ library_id, operations });
  }

  /** Applies events in order: requests the current state of the entities that they name, and writes it. */
  private async follow(events: readonly LogEvent[]): Promise<void> {
    const now = await Promise.all(events.map((event) => this.operationsOf(event)));
    for (const [index, event] of events.entries()) {
      // If changes were missed in the meantime, everything is read again.
      if (this.mustRead) return;
      await this.take(event, now[index]);
    }
  }

  /** Returns the current state of an event's entities as operations; null if the event names too many. */
  private async operationsOf({ library_id, resource_type, keys, resources }: LogEvent): Promise<Operation[] | null> {
    if (library_id === null || resource_type === null) return [];
    if (resources > keys.length) return null;
    return Promise.all(keys.map(async (key): Promise<Operation> => {
      const id = key.slice(resource_type.length + 1);
      const { entity } = await this.connection.call(
        "entity.get", { library_id, resource_type, id, base: true }) as unknown as { entity: { [name: string]: JsonValue; } | null; };
      return entity === null ? { op: "delete", resource_type, id } : { op: "put", resource_type, id, resource: entity };
    }));
  }

  private async take(event: LogEvent, operations: Operation[] | null): Promise<void> {
    const { library_id, sequence, kind, resource_type } = event;
    if (kind === "reset") return this.readAgain();
    if (library_id === null) return;
    if (operations === null && resource_type !== null) {
      const query = `?type=${encodeURIComponent(resource_type)}&library_id=${encodeURIComponent(library_id)}`;
      await this.readEntities(query, resource_type, [library_id]);
    } else if (operations !== null && operations.length > 0) {
      await this.write(library_id, operations);
    }
    const cursor = this.cache.gaps()[library_id]?.sequence ?? null;
    // The sequence of a late event is below the cursor; its effect is written.
    const place = sequence === null || cursor !== null && sequence <= cursor ? {} : { sequence, prev: cursor ?? undefined };
    const isPlaced = sequence !== null && "sequence" in place;
    const effect = kind === "refresh" ? "Refresh"
      : kind === "bulk" || operations === null ? { BulkOperation: { resource_type } } : isPlaced ? { Heartbeat: { last_sequence: sequence } } : null;
    if (effect === null && event.mutation_id === null) return;
    this.cache.ingest({
      library_id, ...place, epoch: this.epochs.get(library_id) || undefined, mutation_id: event.mutation_id ?? undefined,
      event: effect ?? { Followed: {} },
    });
  }
}

/** True if a retry may succeed: the server cannot be reached, or is busy. */
function isPassing(error: unknown): boolean {
  if (error instanceof ServeError) return !isFinal(error.status);
  return !(error instanceof CacheError) || error.code === "upstream_failed" || error.code === "limit_exceeded";
}

function keyOf(library: string, type: string, id: string): string { return stringifyExact([library, type, id]); }

/** Splits a body into its lines. Throws if it ends inside a line, because then it was cut off. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + decoder.decode(piece.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
  }
  if (rest !== "") throw new CacheError("upstream_failed", "the export broke off inside a line: it is read again");
}
