// The methods for looking at a cache: a separate entry point, which only pages that use them load.
// Protocol/sessions.md.

import type { NormalizedCache } from "../cache/cache.js";
import type { Engine } from "../cache/engine.js";
import { kindOf, membersOf } from "../json/text.js";
import { changeOut } from "../layers/changes.js";
import { nestedFields } from "../methods/looking.js";
import type { Methods } from "../methods/methods.js";
import { putStrict } from "../methods/strict.js";
import { CacheError } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { Params } from "../params/params.js";
import { entityRequest, libraryOf, namedLibrary } from "../params/requests.js";
import type { RequestContext } from "../params/requests.js";
import { installParts } from "../parts/all.js";
import { overlayOf } from "../queries/named.js";
import type { Query } from "../queries/query.js";
import { layerState } from "../state/pending-out.js";
import { findEntities } from "./find.js";
import { addLog } from "./log.js";
import { addQuarantine } from "./quarantine.js";

const PAGE_COUNT_MAX = 1_000;
const PAGE_COUNT_DEFAULT = 100;
/** A page of queries ends early after this many bytes of inputs. */
const INPUT_BYTE_COUNT_MAX = 4 << 20;

/**
 * Adds the methods for looking at a cache: `entity.find`, `query.list`, `quarantine.list`, `quarantine.retry`,
 * `log.observe`, `log.list`, `network.disturb`, `doctor.findings` and `facets`, and `base` to `entity.get`. A second
 * call has no effect.
 *
 * ```ts
 * addInspection(cache);
 * const { queries } = (await cache.call("query.list")) as { queries: readonly object[] };
 * ```
 */
export function addInspection({ engine }: NormalizedCache): void {
  installParts();
  const { methods } = engine;
  const { context } = methods;
  if (methods.handlers.has("entity.find")) return;
  wrap(methods, "entity.get", (params) => params.flag("base") ? baseOf(engine, methods, params) : null);
  wrap(methods, "entity.observe", (params) => {
    if (params.flag("base")) throw new CacheError("invalid_params", "base is true: read the base with entity.get; observers see edits");
    return null;
  });
  methods.add("entity.find", (params) => find(engine, params, context));
  methods.add("query.list", (params) => listQueries(engine, params, context));
  methods.add("facets", (params) => facets(engine, namedLibrary(params, context)));
  methods.add("doctor.findings", () => findings(engine));
  putStrict(methods, "network.disturb", ["offline", "delay", "fail_next"], (params, reply) => reply(disturbance(params)));
  addQuarantine(engine, context);
  addLog(engine, context);
}

/** Replaces a method's result by that of `body`, unless `body` returns null. */
function wrap(methods: Methods, name: string, body: (params: Params) => Out): void {
  const inner = methods.handlers.get(name);
  methods.put(name, (params, reply, sink) => {
    const own = body(params);
    if (own === null) inner?.(params, reply, sink);
    else reply(own);
  });
}

/** Refuses network faults, as a page's cache has no network of its own; the browser's developer tools have them. */
function disturbance(params: Params): Out {
  const delay = params.milliseconds("delay");
  if (delay !== null && delay > 600_000) throw new CacheError("invalid_params", "delay is more than 600: pass seconds, from 0 to 600");
  params.flag("offline");
  params.integer("fail_next", 0, 1_000);
  if (["offline", "delay", "fail_next"].every((name) => params.value(name) === null)) return { offline: false, delay: 0, fail_next: 0, settable: false };
  throw new CacheError("invalid_params", "this cache's host has the network: a server sends requests of its own");
}

/** Returns an entity without layers, the writers of its fields, and the layers over it. */
function baseOf(engine: Engine, methods: Methods, params: Params): Out {
  const { state } = engine;
  const { library, type, id, fields } = entityRequest(params, methods.context);
  const slot = state.findSlot(library, type, id);
  const text = slot === null || slot.text === null ? null : slot.text;
  const members = text === null ? [] : membersOf(text).filter(({ name }) => fields === null || fields.has(name));
  const touches = slot === null ? [] : overlayOf(slot)?.touches ?? [];
  const layers = [...new Set(touches.map(({ layer }) => layer))];
  const isWhole = slot === null || slot.completeness === "whole" || fields !== null && [...fields].every((name) => members.some((one) => one.name === name));
  const deleted = slot !== null && state.tombstones.has(slot) ? "deleted" : state.evicted.has(library, `${type}:${id}`) ? "evicted" : "absent";
  return {
    entity: text === null || !isWhole ? null : new Raw(`{${members.map(({ spelled, value }) => `${spelled}:${value}`).join(",")}}`),
    pending: touches.length > 0, sequence: slot === null || text === null ? null : slot.stamp.sequence,
    stale: engine.status(library).phase === "stale", miss: text === null ? deleted : isWhole ? null : "evicted",
    fields: slot === null ? [] : [
      ...members.map(({ name }) => ({ name, stamp: slot.stampOf(name) })), ...nestedFields(slot).filter(({ name }) => fields === null || fields.has(name)),
    ].map(({ name, stamp: { writer, sequence, writtenAt } }) => ({ name, writer, sequence, written_at: writtenAt })),
    layers: layers.map((layer) => ({
      pending_id: layer.pendingId, state: layerState(state, layer), created_at: layer.createdAt,
      changes: touches.filter((touch) => touch.layer === layer).map(({ change }) => changeOut(change)),
    })),
  };
}

function find(engine: Engine, params: Params, context: RequestContext): Out {
  const { state } = engine;
  const library = libraryOf(params, context);
  const written = params.type(context.limits);
  const type = context.ownType(written);
  const where = params.value("where");
  const order = params.value("order");
  if (order !== null && kindOf(order) !== "array") params.wrong("order", "an array of {path, direction}");
  const matching = params.text("matching");
  const limit = params.integer("limit", 1, PAGE_COUNT_MAX) ?? PAGE_COUNT_DEFAULT;
  const after = params.text("after", context.limits.typeByteCountMax + 1 + context.limits.idByteCountMax);
  if (after !== null && !after.startsWith(`${type}:`) && !after.startsWith(`${written}:`)) {
    throw new CacheError("invalid_params", `after is '${after}': pass \`next\` of an earlier page, as ${type}:id`);
  }
  return findEntities(state.findTable(library, type), {
    type, where, order, matching, limit, after: after === null ? null : after.slice(after.indexOf(":") + 1),
  });
}

/** Returns the queries that have a response, or are observed and wait for one. */
function listQueries(engine: Engine, params: Params, context: RequestContext): Out {
  const now = engine.now();
  const written = params.optionalType(context.limits);
  const type = written === null ? null : context.ownType(written);
  const after = Number(params.sequence("after") ?? 0);
  const limit = params.integer("limit", 1, PAGE_COUNT_MAX) ?? PAGE_COUNT_DEFAULT;
  const library = namedLibrary(params, context);
  const chosen = engine.state.queries.all.filter((query) => query.number > after && (query.isStored || query.observerCount > 0)
    && (library === null || query.key.library === library) && (type === null || query.isStored && query.table?.name === type));
  const page: Query[] = [];
  let byteCount = 0;
  for (const query of chosen) {
    byteCount += query.key.input.length;
    if (page.length === limit || page.length > 0 && byteCount > INPUT_BYTE_COUNT_MAX) break;
    page.push(query);
  }
  return { queries: page.map((query) => queryOut(query, now)), next: page.length < chosen.length ? page[page.length - 1].number : null };
}

function queryOut(query: Query, now: number): Out {
  const { key, isStored } = query;
  const since = isStored ? query.staleSince(now) : null;
  const isExpired = query.invalidSince === null && since !== null;
  const isStale = query.isStale(now) || !isStored;
  const cause = query.invalidSince === null ? isExpired ? "expired" : "missing" : query.staleCause ?? "earlier";
  return {
    number: query.number, library_id: key.library, method: key.method, input: new Raw(key.input),
    resource_type: isStored && query.table !== null ? query.table.name : null, count: Math.min(query.list.shownCount, query.shownCountMax),
    local: query.isLocal, membership: query.ruleText === "" ? null : new Raw(query.ruleText), tags: query.tags === "" ? null : new Raw(query.tags),
    as_of: query.asOf, stored_at: isStored ? query.storedAt : null, ttl: query.timeToLive === null ? null : query.timeToLive / 1_000,
    stale: isStale, reason: !isStored ? "unanswered" : isStale ? cause : null, stale_since: since, pending: query.isPending,
    observers: query.observerCount, hits: query.hitCount,
  };
}

/** Returns the number of stored entities by library and type, and of events by bin. */
function facets(engine: Engine, named: string | null): Out {
  const { state } = engine;
  const { applied, duplicate, ignored, quarantined, held, reconciled } = state.counts;
  const libraries = [...state.libraries.values()].filter(({ name }) => named === null || name === named)
    .sort((left, right) => left.name < right.name ? -1 : 1);
  const types = libraries.flatMap((library) => [...library.types.values()].filter(({ entityCount }) => entityCount > 0)
    .sort((left, right) => left.name < right.name ? -1 : 1)
    .map(({ name, entityCount }) => ({ library_id: library.name, resource_type: name, entities: entityCount })));
  return {
    types, libraries: libraries.map((library) => ({
      library_id: library.name, state: library.phase,
      entities: [...library.types.values()].reduce((sum, { entityCount }) => sum + entityCount, 0),
    })),
    bins: { applied, duplicate, ignored, quarantined, held, reconciled },
  };
}

/** Returns what is wrong with the journal, the libraries and the edits. */
function findings(engine: Engine): Out {
  const found: { [name: string]: Out; level: string; }[] = [];
  const add = (level: string, code: string, what: string, where: string, advice: string): void => {
    found.push({ level, topic: "session", code, what, where, advice });
  };
  const { storage } = engine.flusher;
  if (storage !== "ok") add("problem", "storage_failing", `the journal cannot be written (${storage})`, "the journal", "make room, or reload the page");
  if (engine.damage.length > 0) {
    add("problem", "damaged", `${engine.damage.length} records of the journal could not be used`, "the journal", "what they held is read anew");
  }
  for (const { name, phase } of engine.state.libraries.values()) {
    if (phase === "gap" || phase === "reconciling") add("warning", "gap", "events are missing", name, "the upstream is asked for them");
    if (phase === "stale") add("warning", "lost", "events were lost", name, "lists are read anew");
  }
  for (const layer of engine.state.layers.all) {
    const failure = layer.sending?.failure ?? null;
    if (failure !== null) add("problem", "request_failed", `a request was refused: ${failure.message}`, layer.pendingId, "retry it, or roll the edit back");
  }
  const level = found.some((one) => one.level === "problem") ? "problem" : found.length > 0 ? "warning" : "ok";
  return { level, findings: found };
}
