// The methods of Protocol/sessions.md: params → steps of the engine → answers.

import { greeting } from "./greeting.js";
import { CacheError } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import type { QueryKey } from "../queries/query.js";
import { agesOf, expiredField } from "../state/ages.js";
import type { Ages } from "../state/ages.js";
import type { Answer } from "../state/answers.js";
import { cascade, storedText } from "../state/cascade.js";
import { confirm, isOrphaned, lay, rollBack } from "../state/layers.js";
import type { Confirmation } from "../state/layers.js";
import { isAlong } from "../layers/layer.js";
import type { Layer } from "../layers/layer.js";
import { dropQuery } from "../state/queries.js";
import { knownPart, lookUp, readPage } from "../state/reads.js";
import { clear, removeSlots, selectedSlots } from "../state/removal.js";
import { invalidate } from "../state/staleness.js";
import { transact } from "../state/transactions.js";
import type { Engine } from "../engine/engine.js";
import { answerOut } from "../engine/queries.js";
import type { QueryAnswer } from "../engine/queries.js";
import type { Sink } from "../engine/notifications.js";
import { changesOut } from "./changes.js";
import { explain, statisticsOf } from "./looking.js";
import { Params } from "./params.js";
import {
  answerOf, confirmationOf, entityKey, entityRequest, expectationsOf, invalidationOf, libraryOf, maxAges, namedLibrary,
  queryKey, queryRequest, removalOf, stepsOf, updateOf,
} from "./requests.js";
import type { EntityRequest, RequestContext } from "./requests.js";

/** Hears the outcome of a request, once. */
export type Reply = (outcome: Out | CacheError) => void;

const PAGE_COUNT_MAX = 100_000;
const PAGE_COUNT_DEFAULT = 100;
const WAITING_COUNT_MAX = 10_000;

/** The params of methods that change something: others are refused, since one that is misspelt would widen what is done. */
const strictParams: ReadonlyMap<string, readonly string[]> = new Map([
  ["cache.transaction", ["operations"]], ["cache.remove", ["resource_type", "ids", "matching", "cascade"]],
  ["cache.clear", []], ["cache.invalidate", ["method", "input", "resource_type", "tags", "hints", "all"]],
  ["query.put", ["method", "input", "resource_type", "resources", "included", "ttl", "as_of", "membership", "tags", "local"]],
  ["optimistic.update", ["pending_id", "changes", "depends_on", "send"]],
  ["optimistic.commit", ["pending_id", "confirmed", "resource_type", "sequence", "id_map"]],
  ["optimistic.rollback", ["pending_id"]], ["optimistic.list", []],
  ["optimistic.retry", ["pending_id"]], ["outbox.list", []], ["outbox.pause", []], ["outbox.resume", []],
]);

type Handler = (params: Params, reply: Reply, sink: Sink) => void;

/** The methods of a cache. */
export class Methods {
  private readonly handlers: Map<string, Handler>;
  private readonly strict = new Map(strictParams);
  readonly context: RequestContext;
  private waitingCount = 0;

  constructor(private readonly engine: Engine) {
    const { state } = engine;
    this.context = { limits: state.limits, defaultLibrary: state.options.defaultLibrary, ownType: (name) => state.ownType(name) };
    this.handlers = new Map<string, Handler>([
      ["entity.get", (params, reply) => reply(this.get(entityRequest(params, this.context)))],
      ["entity.list", (params, reply) => reply(this.list(params))],
      ["entity.observe", (params, reply, sink) => this.observeEntity(params, reply, sink)],
      ["query.put", (params, reply) => this.put(params, reply)],
      ["query.read", (params, reply, sink) => this.read(params, reply, sink, false)],
      ["query.observe", (params, reply, sink) => this.read(params, reply, sink, true)],
      ["observe.cancel", (params, reply) => this.cancel(params, reply)],
      ["cache.transaction", (params, reply) => this.transact(params, reply)],
      ["cache.remove", (params, reply) => this.remove(params, reply)],
      ["cache.clear", (params, reply) => this.clear(params, reply)],
      ["cache.invalidate", (params, reply) => this.invalidate(params, reply)],
      ["cache.stats", (_params, reply) => reply(statisticsOf(this.engine))],
      ["cache.explain", (params, reply) => reply(explain(this.engine, entityKey(params, this.context), this.ages(maxAges(params))))],
      ["cache.flush", (_params, reply) => this.flush(reply)],
      ["cache.caught_up", (params, reply) => this.caughtUp(params, reply)],
      ["optimistic.update", (params, reply) => this.update(params, reply)],
      ["optimistic.commit", (params, reply) => this.commit(params, reply)],
      ["optimistic.rollback", (params, reply) => this.rollBack(params, reply)],
      ["optimistic.list", (params, reply) => reply(this.pending(namedLibrary(params, this.context)))],
      ["optimistic.retry", (params, reply) => this.retry(params, reply)],
      ["outbox.list", (params, reply) => reply(this.engine.outbox.list(namedLibrary(params, this.context)))],
      ["outbox.pause", (_params, reply) => { this.engine.outbox.pause(); reply({}); }],
      ["outbox.resume", (_params, reply) => { this.engine.outbox.resume(); reply({}); }],
      ["initialize", (params, reply) => reply(greeting(params, this.names))],
    ]);
  }

  /** The names of the methods, sorted. */
  get names(): string[] { return [...this.handlers.keys()].sort(); }

  /** Adds a method; `known` are its params where others are refused. */
  add(name: string, body: (params: Params, sink: Sink) => Out, known?: readonly string[]): void {
    this.handlers.set(name, (params, reply, sink) => reply(body(params, sink)));
    if (known !== undefined) this.strict.set(name, known);
  }

  /** Lets `body` answer instead of a method, where it does not return null. */
  wrap(name: string, body: (params: Params) => Out): void {
    const inner = this.handlers.get(name);
    this.handlers.set(name, (params, reply, sink) => {
      const own = body(params);
      if (own === null) inner?.(params, reply, sink);
      else reply(own);
    });
  }

  /** Performs a method; `json`: its params as compact JSON, null for none. `sink` hears what observers are told. */
  perform(method: string, json: string | null, sink: Sink, reply: Reply): void {
    const handler = this.handlers.get(method);
    if (handler === undefined) {
      const name = method.slice(0, 100);
      reply(new CacheError("method_not_found", `there is no method ${name}: the methods are listed in Protocol/sessions.md`));
      return;
    }
    try {
      this.engine.checkOpen();
      const params = new Params(json ?? "{}");
      const known = this.strict.get(method);
      if (known !== undefined) params.refuseUnknown([...known, "library_id"], method);
      handler(params, reply, sink);
    } catch (error) {
      if (!(error instanceof CacheError)) throw error;
      reply(error);
    }
    this.engine.distribute();
  }

  /** Reads what `query.put` takes and `query.fetch` answers. */
  answer(json: string, key: QueryKey, path = ""): Answer { return answerOf(new Params(json, path), key, this.context); }

  /** Reads what `mutation.send` answers. */
  confirmation(json: string, pendingId: string): Confirmation { return confirmationOf(new Params(json, "result"), this.context, pendingId); }

  /** Notifications of what a step changed come before its answer. */
  private done(reply: Reply, out: Out): void {
    this.engine.distribute();
    reply(out);
    this.engine.noteChanged();
  }

  /** Counts a request as waiting until it is answered. */
  private waiting(reply: Reply): Reply {
    if (this.waitingCount >= WAITING_COUNT_MAX) {
      throw new CacheError("limit_exceeded", `${WAITING_COUNT_MAX} requests wait already: ask again when some are answered`);
    }
    this.waitingCount += 1;
    return (outcome) => {
      this.waitingCount -= 1;
      reply(outcome);
    };
  }

  private ages(maxAges: ReadonlyMap<string, number>): Ages { return agesOf(maxAges, this.engine.state.options.policy); }

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
    out.entity = request.fields === null && slot.node !== null ? slot.node.visibleRaw : new Raw(part);
    out.stale = this.engine.status(request.library).phase === "stale";
    const expired = expiredField(slot, request.fields, this.ages(request.maxAges), this.engine.now());
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
      throw new CacheError("limit_exceeded", "there is no room for another resource type: use one that is known");
    }
    const node = state.takeNode(library.takeTable(request.type).take(request.id));
    const observer = observers.addEntity(node, request.fields, sink);
    const isTooOld = out.expired !== undefined;
    observer.shownStale = out.stale === true && isTooOld;
    reply({ ...out, subscription: observer.subscription });
    if (request.refreshes) this.engine.refreshes.begin(observer, this.ages(request.maxAges), isTooOld);
  }

  // Queries

  private put(params: Params, reply: Reply): void {
    (params.elements("included", this.context.limits.batchMemberCountMax) ?? []).forEach((element, index) =>
      new Params(element, `included[${index}]`).refuseUnknown(["resource_type", "resources", "library_id"], "query.put"));
    const answer = answerOf(params, queryKey(params, this.context), this.context);
    this.engine.queries.store(answer, null);
    this.done(reply, {});
  }

  private read(params: Params, reply: Reply, sink: Sink, isObserving: boolean): void {
    const request = queryRequest(params, this.context);
    if (isObserving) request.sink = sink;
    const answered = this.waiting(reply);
    const { key } = request;
    this.engine.queries.read(
      request, (result) => answered(result instanceof CacheError ? result : answerOut(result)),
      (result) => this.engine.observers.tell(sink, {
        method: "query.result",
        params: { method: key.method, input: new Raw(key.input), library_id: key.library, ...laterOut(result) },
      }));
  }

  private cancel(params: Params, reply: Reply): void {
    const subscription = params.integer("subscription", 0, Number.MAX_SAFE_INTEGER)
      ?? params.wrong("subscription", "the number that the observing answered with");
    const observer = this.engine.observers.get(subscription);
    this.engine.observers.cancel(subscription, (query) => dropQuery(this.engine.state, query));
    if (observer !== null) this.engine.refreshes.end(observer);
    reply({});
  }

  private invalidate(params: Params, reply: Reply): void {
    const stale = invalidate(this.engine.state, invalidationOf(params, this.context), this.engine.now());
    this.done(reply, { stale });
  }

  // Changes

  private transact(params: Params, reply: Reply): void {
    const steps = stepsOf(params, "operations", this.context);
    const library = libraryOf(params, this.context);
    transact(this.engine.state, steps, library, expectationsOf(params, this.context), this.engine.now());
    this.done(reply, {});
  }

  private remove(params: Params, reply: Reply): void {
    const library = libraryOf(params, this.context);
    const { type, ids, matching } = removalOf(params, this.context);
    if (type === null && matching === null) {
      throw new CacheError("invalid_params",
        "nothing says what to remove: pass resource_type, ids or matching; cache.clear removes all of a library");
    }
    const { state } = this.engine;
    const isCascading = params.flag("cascade");
    const selected = selectedSlots(state, library, type === null ? null : state.ownType(type), ids, matching);
    const slots = isCascading ? [...selected, ...cascade(state, selected, storedText)] : selected;
    this.done(reply, { removed: removeSlots(state, slots, this.engine.now()) });
  }

  private clear(params: Params, reply: Reply): void {
    clear(this.engine.state, namedLibrary(params, this.context), this.engine.now());
    this.done(reply, {});
  }

  // Layers

  private update(params: Params, reply: Reply): void {
    const update = updateOf(params, this.context);
    const answered = this.waiting(reply);
    try {
      lay(this.engine.state, update, this.engine.now());
    } catch (error) {
      this.waitingCount -= 1;
      throw error;
    }
    this.durable(answered, { pending_id: update.pendingId }, () => rollBack(this.engine.state, update.pendingId, null, this.engine.now()));
  }

  private commit(params: Params, reply: Reply): void {
    confirm(this.engine.state, confirmationOf(params, this.context, params.requiredText("pending_id")), this.engine.now());
    this.durable(reply, {}, null);
  }

  private rollBack(params: Params, reply: Reply): void {
    rollBack(this.engine.state, params.requiredText("pending_id"), namedLibrary(params, this.context), this.engine.now());
    this.durable(reply, {}, null);
  }

  private retry(params: Params, reply: Reply): void {
    this.engine.outbox.retry(params.requiredText("pending_id"), namedLibrary(params, this.context));
    this.durable(reply, {}, null);
  }

  /** Answers when what was done is durable; `undo` takes it back when that fails. */
  private durable(reply: Reply, out: Out, undo: (() => void) | null): void {
    this.engine.distribute();
    this.engine.flusher.wait(true, (error) => {
      if (error === null) return reply(out);
      try {
        undo?.();
      } catch (failure) {
        // The layer has settled meanwhile.
        if (!(failure instanceof CacheError)) throw failure;
      }
      this.engine.distribute();
      reply(error);
    });
    this.engine.noteChanged();
  }

  /** Returns what `optimistic.list` answers. */
  pending(library: string | null): Out {
    const { state } = this.engine;
    const layers = state.layers.all.filter((layer) => library === null || layer.library.name === library);
    return { pending: layers.map((layer) => this.layerOut(layer)) };
  }

  /** Returns what an edit is, in one word. */
  layerState(layer: Layer): string {
    return isOrphaned(this.engine.state, layer) ? "orphaned" : layer.isConfirmed ? "confirmed" : "pending";
  }

  private layerOut(layer: Layer): Out {
    const along = layer.changes.filter(isAlong).map(({ slot }) => ({ resource_type: slot.table.name, id: slot.id }));
    return {
      pending_id: layer.pendingId, state: this.layerState(layer), changes: changesOut(layer.changes), library_id: layer.library.name,
      depends_on: layer.dependsOn, along: along.length === 0 ? undefined : along,
    };
  }

  // Waiting

  private flush(reply: Reply): void {
    const answered = this.waiting(reply);
    const held = [...this.engine.state.watched].find((library) => !library.gate.held.isEmpty);
    const write = (): void => this.engine.flusher.wait(false, (error) => answered(error ?? {}));
    if (held === undefined) return write();
    // What is held for a missing event is waited for.
    const last = held.gate.held.all[held.gate.held.count - 1].sequence;
    const generation = held.gate.generation;
    this.engine.waitFor(
      held.name, ({ cursor }) => held.gate.generation !== generation || cursor !== null && cursor >= last,
      () => { this.waitingCount -= 1; this.flush(reply); });
  }

  private caughtUp(params: Params, reply: Reply): void {
    const sequence = params.sequence("sequence") ?? params.wrong("sequence", "the sequence to wait for");
    const library = libraryOf(params, this.context);
    const answered = this.waiting(reply);
    this.engine.waitFor(library, ({ cursor }) => cursor !== null && cursor >= sequence, ({ cursor, phase }) =>
      answered({ cursor, state: phase }));
  }
}

function laterOut(result: QueryAnswer | CacheError): { readonly [name: string]: Out; } {
  return result instanceof CacheError ? { error: errorOut(result) } : answerOut(result);
}

/** Returns an error as the protocol writes it. */
export function errorOut(error: CacheError): { readonly [name: string]: Out; } {
  const { cache, upstream } = error.reasons;
  const reasons = cache === undefined && upstream === undefined ? undefined : { cache, upstream };
  const data = error.code === "method_not_found" ? undefined : { code: error.code, reasons };
  return { code: error.number, message: error.message, data };
}
