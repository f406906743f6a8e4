// Reading, observing and putting queries. Protocol/queries.md.

import { CacheError } from "../model/errors.js";
import { tableOf } from "../queries/table.js";
import { agesOf, NO_AGES } from "../state/ages.js";
import type { ExpiredField } from "../state/ages.js";
import { isEvicted } from "../state/entities.js";
import { upkeep } from "../state/parts.js";
import { selected } from "../state/patches.js";
import { openQuery } from "../state/queries.js";
import { readList } from "../state/read-list.js";
import type { Miss } from "../state/reads.js";
import type { Slot } from "../store/library.js";
import type { EngineContext } from "./context.js";
import { Fetches } from "./fetches.js";
import type { CacheAnswers } from "./fetches.js";
import type { Sink } from "./notifications.js";
import type { QueryAnswer, QueryRequest } from "./query-requests.js";

/** Why the cache cannot answer a query, and the reason under which the miss is counted. */
interface QueryMiss {
  reason: string;
  counted: Miss;
}

type Reply = (result: QueryAnswer | CacheError) => void;

/** Reads and observes queries, from the cache or by a fetch. */
export class Queries implements CacheAnswers {
  /** The running fetches. */
  readonly fetches: Fetches;

  /** Creates the query reader of an engine. */
  constructor(private readonly engine: EngineContext) { this.fetches = new Fetches(engine, this); }

  /**
   * Reads a query, and observes it if the request has a sink. `later` receives the outcome of the fetch that
   * `cacheAndNetwork` makes after its answer from the cache.
   */
  read(request: QueryRequest, reply: Reply, later: Reply): void {
    if (request.sink !== undefined) {
      if (request.policy === "networkOnlyNoStore") {
        throw new CacheError("invalid_params", "networkOnlyNoStore stores nothing that could be observed: observe with networkOnly");
      }
      this.engine.observers.checkRoom();
    }
    const query = this.engine.state.queries.find(request.key);
    if (request.policy === "cacheOnly" || query !== null && query.isStored && query.isLocal) {
      // A local list is evaluated over the store: no upstream has a better answer.
      const miss = this.answer(request, request.policy !== "cacheOnly" || query?.isLocal === true, "cache", reply);
      if (miss !== null) reply(this.missError(miss.reason));
      return;
    }
    const fetch = (cacheReason: string | null, isStored = true, fallsBack = false): void =>
      this.fetches.fetch({ request, isStored, cacheReason, fallsBack, reply });
    switch (request.policy) {
      case "cacheFirst": {
        const miss = this.answer(request, false, "cache", reply);
        if (miss !== null) fetch(miss.reason);
        return;
      }
      case "networkOnly": return fetch(null);
      case "networkOnlyNoStore": return fetch(null, false);
      case "networkFirst": return fetch(null, true, true);
      case "cacheAndNetwork": {
        const miss = this.answer(request, true, "cache", reply);
        if (miss !== null) fetch(miss.reason);
        else this.fetchBeside(request, later);
        return;
      }
      case "staleWhileRevalidate": {
        let wasStale = false;
        const miss = this.answer(request, true, "cache", (result) => {
          wasStale = !(result instanceof CacheError) && result.isStale;
          reply(result);
        });
        if (miss !== null) fetch(miss.reason);
        else if (wasStale) this.fetchBeside(request, () => { /* observers hear what changed */ });
      }
    }
  }

  private fetchBeside(request: QueryRequest, reply: Reply): void {
    this.fetches.fetch({ request: { ...request, sink: undefined }, isStored: true, cacheReason: null, fallsBack: false, reply });
  }

  /**
   * Answers from the cache if its list is fresh enough, or regardless of age with `isAnyAge`. Returns null after
   * calling `reply`, or why it cannot answer.
   */
  answer(request: QueryRequest, isAnyAge: boolean, source: QueryAnswer["source"], reply: Reply): QueryMiss | null {
    const miss = this.attempt(request, isAnyAge, source, reply);
    if (source === "cache") this.engine.countRead(miss === null ? null : miss.counted);
    return miss;
  }

  private attempt(request: QueryRequest, isAnyAge: boolean, source: QueryAnswer["source"], reply: Reply): QueryMiss | null {
    const { state } = this.engine;
    const now = this.engine.now();
    const query = state.queries.find(request.key);
    if (query === null || !query.isStored || query.table === null) return { reason: "absent", counted: "absent" };
    tableOf(state).touch(query);
    const since = query.staleSince(now);
    if (since !== null && !isAnyAge && !isGoodEnough(since, request, now)) {
      return { reason: query.invalidSince === null ? "expired" : "stale", counted: "expired" };
    }
    const fields = this.fields(request, query.table.name);
    let listed = readList(state, query, fields, source === "upstream", now);
    this.engine.distribute();
    // Reading removed elements that the store no longer has from a local list: read it again.
    while (listed.isShortened) {
      listed = readList(state, query, fields, source === "upstream", now);
      this.engine.distribute();
    }
    if (listed.missing !== null) return partial(listed.missing.slot, listed.missing.isReduced, isEvicted(state, listed.missing.slot));
    let isStale = query.isStale(now);
    // Data that was just fetched is never expired, whatever its limit.
    const expired = source === "cache" ? this.expired(listed.slots, fields, request, now) : null;
    if (expired !== null) {
      const { field, slot } = expired;
      if (!isAnyAge && !isGoodEnough(now - field.overdue, request, now)) {
        const reason = `expired: ${field.field} of ${slot.key} was written at ${field.writtenAt}, maxAge ${field.maxAge} s`;
        return { reason, counted: "expired" };
      }
      isStale = true;
    }
    if (source === "cache") query.hitCount += 1;
    const { sink } = request;
    const observer = sink === undefined ? null : this.engine.observers.addQuery(
      query, fields, sink, request.refreshes ? isStale : query.isStale(now), now);
    reply({
      entities: fields === null ? listed.resources : listed.resources.map((raw) => selected(raw, fields)),
      keys: listed.keys, source, isStale, asOf: query.asOf, isPending: listed.isPending,
      subscription: observer === null ? null : observer.subscription,
    });
    if (observer === null) return null;
    if (request.refreshes) {
      this.engine.takeRefreshes().begin(observer, agesOf(request.maxAges, this.engine.state.options.policy), isStale && !query.isStale(now));
    }
    this.engine.followExpiry();
    return null;
  }

  /**
   * Observes a query whose response was requested before a clear and is not stored: the observer gets the response,
   * then a patch from it to the current list.
   */
  observeRemoved(request: QueryRequest, sink: Sink, fields: ReadonlySet<string> | null, answer: QueryAnswer, reply: Reply): void {
    const { state, observers } = this.engine;
    const library = state.takeLibrary(request.key.library);
    const query = library === null ? null : openQuery(state, request.key, library);
    if (query === null) return reply(new CacheError("limit_exceeded", "every stored query is observed: cancel some subscriptions first"));
    const now = this.engine.now();
    const observer = observers.addQuery(query, fields, sink, query.isStale(now), now);
    reply({ ...answer, subscription: observer.subscription });
    const shown = query.list.shownPrefix(query.shownCountMax);
    const patch = [
      ...answer.keys.map((_, index) => ({ op: "remove", path: `/${answer.keys.length - 1 - index}` })),
      ...shown.map(({ visibleRaw }, index) => ({ op: "add", path: `/${index}`, value: selected(visibleRaw, fields) })),
    ];
    observers.tell(sink, {
      method: "query.changed",
      params: { subscription: observer.subscription, patch, stale: query.isStale(now), as_of: query.asOf, pending: query.isPending, missed: 0 },
    });
    if (request.refreshes) this.engine.takeRefreshes().begin(observer, agesOf(request.maxAges, state.options.policy), false);
  }

  /** Returns the selected field that is longest past its maximum age; null if none is. */
  private expired(
    slots: readonly Slot[], fields: ReadonlySet<string> | null, request: QueryRequest, now: number,
  ): { field: ExpiredField; slot: Slot; } | null {
    let worst: { field: ExpiredField; slot: Slot; } | null = null;
    const ages = agesOf(request.maxAges, this.engine.state.options.policy);
    if (ages === NO_AGES) return null;
    for (const slot of slots) {
      const field = upkeep.code.expiredField(slot, fields, ages, now);
      if (field !== null && (worst === null || field.overdue > worst.field.overdue)) worst = { field, slot };
    }
    return worst;
  }

  /** Returns the fields of a type that a request selects; null for all. */
  fields(request: Pick<QueryRequest, "select">, type: string): ReadonlySet<string> | null {
    if (request.select === null) return null;
    const own = request.select.get(type);
    if (own !== undefined) return own;
    for (const [name, fields] of request.select) if (this.engine.state.ownType(name) === type) return fields;
    return null;
  }

  /** Returns the `cache_miss` error for a reason. */
  missError(reason: string): CacheError {
    return new CacheError("cache_miss",
      `the cache has no answer (${reason}): read with another policy, or put one`, { cache: reason });
  }
}

function isGoodEnough(staleSince: number, request: QueryRequest, now: number): boolean {
  return request.maxStale === null ? request.allowsStale : now - staleSince <= request.maxStale;
}

function partial(slot: Slot, isReduced: boolean, wasEvicted: boolean): QueryMiss {
  if (isReduced) return { reason: `incomplete: of ${slot.key} some fields were evicted`, counted: "evicted" };
  const what = wasEvicted ? "was evicted" : "is not stored any more";
  return { reason: `incomplete: ${slot.key} ${what}`, counted: "evicted" };
}
