// The methods of Protocol/sessions.md: params → steps of the engine → results.

import type { Sink } from "../engine/notifications.js";
import { CacheError, noRoomFor } from "../model/errors.js";
import type { Part } from "../model/part.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { Params } from "../params/params.js";
import { entityRequest, libraryOf } from "../params/requests.js";
import type { EntityRequest, RequestContext } from "../params/requests.js";
import { nodeOf } from "../queries/named.js";
import { agesOf, NO_AGES } from "../state/ages.js";
import type { Ages } from "../state/ages.js";
import { lists, upkeep } from "../state/parts.js";
import { knownPart, lookUp, readPage } from "../state/reads.js";
import type { MethodHost } from "./host.js";

/** Receives the outcome of a request, once. */
export type Reply = (outcome: Out | CacheError) => void;

const PAGE_COUNT_MAX = 100_000;
const PAGE_COUNT_DEFAULT = 100;
const WAITING_COUNT_MAX = 10_000;

/** Performs a method; `sink` receives the notifications of an observation that it starts. */
export type Handler = (params: Params, reply: Reply, sink: Sink) => void;

/** A family of methods, in a part of the client that the first request for one of them loads. */
export interface MethodFamily {
  /** The names of the methods. */
  readonly names: readonly string[];
  /** The part with their code: `addMethods` is called once for each cache. */
  readonly part: Part<{ addMethods(methods: Methods): void; }>;
}

/** The methods of a cache. */
export class Methods {
  /** The handlers of the methods by name; those of a part are added when it is loaded. */
  readonly handlers = new Map<string, Handler>();
  /** What is needed to parse params. */
  readonly context: RequestContext;
  private waitingCount = 0;

  /** Creates the methods of an engine: those of entities, and `families` on first use. */
  constructor(readonly engine: MethodHost, readonly families: readonly MethodFamily[]) {
    this.context = engine.state;
    this.put("entity.get", (params, reply) => reply(this.get(entityRequest(params, this.context))));
    this.put("entity.list", (params, reply) => reply(this.list(params)));
    this.put("entity.observe", (params, reply, sink) => this.observeEntity(params, reply, sink));
    this.put("observe.cancel", (params, reply) => this.cancel(params, reply));
    this.put("cache.flush", (_params, reply) => this.flush(reply));
    this.put("cache.caught_up", (params, reply) => this.caughtUp(params, reply));
  }

  /** Adds a method. */
  put(name: string, handler: Handler): void { this.handlers.set(name, handler); }

  /** Adds a method that returns its result at once. */
  add(name: string, body: (params: Params, sink: Sink) => Out): void {
    this.put(name, (params, reply, sink) => reply(body(params, sink)));
  }

  /**
   * Performs a method with params as compact JSON, or null for none. `sink` receives notifications. Returns null, or
   * the part of the client that must be loaded first; then nothing happened.
   */
  perform(method: string, json: string | null, sink: Sink, reply: Reply): Part<unknown> | null {
    const part = this.handlers.has(method) ? undefined : this.families.find(({ names }) => names.includes(method))?.part;
    if (part !== undefined) {
      if (!part.isLoaded) return part;
      part.code.addMethods(this);
    }
    const handler = this.handlers.get(method);
    if (handler === undefined) {
      const name = method.slice(0, 100);
      reply(new CacheError("method_not_found", `there is no method ${name}: the methods are listed in Protocol/sessions.md`));
      return null;
    }
    try {
      this.engine.checkOpen();
      const params = new Params(json ?? "{}");
      if (!upkeep.isLoaded && (params.value("max_ages") ?? params.value("refresh")) !== null) return upkeep;
      handler(params, reply, sink);
    } catch (error) {
      if (!(error instanceof CacheError)) throw error;
      reply(error);
    }
    this.engine.distribute();
    return null;
  }

  /** Replies after sending the notifications of what the step changed. */
  done(reply: Reply, out: Out): void {
    this.engine.distribute();
    reply(out);
    this.engine.noteChanged();
  }

  /** Counts a request as waiting until `reply` is called. Throws `limit_exceeded` if 10,000 wait. */
  waiting(reply: Reply): Reply {
    if (this.waitingCount >= WAITING_COUNT_MAX) {
      throw new CacheError("limit_exceeded", `${WAITING_COUNT_MAX} requests wait already: ask again when some are answered`);
    }
    this.waitingCount += 1;
    return (outcome) => {
      this.waitingCount -= 1;
      reply(outcome);
    };
  }

  /** Stops counting a request as waiting, because it failed at once. */
  stopWaiting(): void { this.waitingCount -= 1; }

  /** Returns the maximum ages of a read, combined with the policy. */
  ages(maxAges: ReadonlyMap<string, number>): Ages { return agesOf(maxAges, this.engine.state.options.policy); }

  // Entities

  private get(request: EntityRequest): { [name: string]: Out; } {
    const read = this.readEntity(request);
    this.engine.countRead(read.missed);
    return read.out;
  }

  private readEntity(request: EntityRequest): { out: { [name: string]: Out; }; missed: "absent" | "expired" | "evicted" | "deleted" | null; } {
    const { state } = this.engine;
    const slot = state.findSlot(request.library, request.type, request.id);
    const found = lookUp(state, slot);
    const isEvicted = slot === null && state.evicted.has(request.library, `${request.type}:${request.id}`);
    const miss = isEvicted ? "evicted" : found.miss;
    const out: { [name: string]: Out; } = {
      entity: null, pending: found.isPending, sequence: found.sequence, stale: false, miss,
    };
    if (found.text === null || slot === null) return { out, missed: miss };
    const part = knownPart(found.text, found.isWhole, request.fields);
    if (part === null) {
      out.miss = "evicted";
      return { out, missed: "evicted" };
    }
    const node = nodeOf(slot);
    out.entity = request.fields === null && node !== null ? node.visibleRaw : new Raw(part);
    out.stale = this.engine.status(request.library).phase === "stale";
    const ages = this.ages(request.maxAges);
    const expired = ages === NO_AGES ? null : upkeep.code.expiredField(slot, request.fields, ages, this.engine.now());
    if (expired === null) return { out, missed: null };
    out.expired = { field: expired.field, written_at: expired.writtenAt, max_age: expired.maxAge };
    if (request.maxStale !== null && expired.overdue <= request.maxStale) {
      out.stale = true;
      return { out, missed: null };
    }
    out.entity = null;
    out.miss = "expired";
    return { out, missed: "expired" };
  }

  private list(params: Params): Out {
    const { limits } = this.context;
    const library = libraryOf(params, this.context);
    const written = params.type(limits);
    const type = this.context.ownType(written);
    const after = params.text("after", limits.typeByteCountMax + 1 + limits.idByteCountMax);
    if (after !== null && !after.startsWith(`${type}:`) && !after.startsWith(`${written}:`)) {
      throw new CacheError("invalid_params", `after is '${after}': pass \`next\` of an earlier page, as ${type}:id`);
    }
    const limit = params.integer("limit", 1, PAGE_COUNT_MAX) ?? PAGE_COUNT_DEFAULT;
    const table = this.engine.state.findTable(library, type);
    const page = readPage(table, after === null ? null : after.slice(after.indexOf(":") + 1), limit);
    return { entities: page.entities.map((text) => new Raw(text)), next: page.next };
  }

  private observeEntity(params: Params, reply: Reply, sink: Sink): void {
    const request = entityRequest(params, this.context);
    const { state, observers } = this.engine;
    observers.checkRoom();
    const { out } = this.readEntity(request);
    const library = state.takeLibrary(request.library);
    if (library === null || !state.takeType(request.type)) {
      throw noRoomFor("resource type");
    }
    const node = state.takeNode(library.takeTable(request.type).take(request.id));
    const observer = observers.addEntity(node, request.fields, sink);
    const isTooOld = out.expired !== undefined;
    observer.shownStale = out.stale === true && isTooOld;
    reply({ ...out, subscription: observer.subscription });
    if (request.refreshes) this.engine.takeRefreshes().begin(observer, this.ages(request.maxAges), isTooOld);
  }

  // Queries

  private cancel(params: Params, reply: Reply): void {
    const subscription = params.integer("subscription", 0, Number.MAX_SAFE_INTEGER)
      ?? params.wrong("subscription", "the number that the observing answered with");
    const observer = this.engine.observers.get(subscription);
    this.engine.observers.cancel(subscription, (query) => lists.code.dropQuery(this.engine.state, query));
    if (observer !== null) this.engine.refreshes?.end(observer);
    reply({});
  }

  // Waiting

  private flush(reply: Reply): void {
    const answered = this.waiting(reply);
    const held = [...this.engine.state.watched].find((library) => !library.gate.held.isEmpty);
    const write = (): void => this.engine.flusher.wait(false, (error) => answered(error ?? {}));
    if (held === undefined) return write();
    // Held events count as earlier lines: wait until they are applied.
    const last = held.gate.held.all[held.gate.held.count - 1].sequence;
    const generation = held.gate.generation;
    this.engine.positions.wait(
      held.name, ({ cursor }) => held.gate.generation !== generation || cursor !== null && cursor >= last,
      () => { this.waitingCount -= 1; this.flush(reply); });
  }

  private caughtUp(params: Params, reply: Reply): void {
    const sequence = params.sequence("sequence") ?? params.wrong("sequence", "the sequence to wait for");
    const library = libraryOf(params, this.context);
    const answered = this.waiting(reply);
    this.engine.positions.wait(library, ({ cursor }) => cursor !== null && cursor >= sequence, ({ cursor, phase }) =>
      answered({ cursor, state: phase }));
  }
}
