// Parts that are loaded on demand: the output of a cache is the same, in the same order, whenever each part is loaded.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { CacheError, MemoryJournal, NormalizedCache, parseExact, stringifyExact } from "../dist/index.js";
import { loadParts } from "../dist/parts/index.js";
import { edits, gaps, journal, lists, upkeep } from "../dist/parts/loaders.js";
import { textOf } from "../dist/out/value.js";
import { ManualClock } from "./support/clock.mjs";
import { Random } from "./support/random.mjs";
import { walk } from "./support/walk.mjs";

const parts = [edits, gaps, journal, lists, upkeep];
const own = new Map(parts.map((part) => [part, part.fetch]));
const seeds = process.env.SEED !== undefined ? [Number(process.env.SEED)] : Array.from({ length: Number(process.env.SEEDS ?? 150) }, (_, index) => index + 1);

/** Unloads parts until `release` is called for one of them; with `fail`, loading them rejects with that error. */
function withhold(fail = null) {
  const waiting = new Map();
  for (const part of parts) {
    Object.assign(part, { loaded: null, loading: null });
    part.fetch = () => fail !== null ? Promise.reject(new Error(fail)) : new Promise((resolve) => waiting.set(part, resolve));
  }
  return {
    get wanted() { return [...waiting.keys()]; },
    async release(part) {
      const resolve = waiting.get(part);
      waiting.delete(part);
      resolve(await own.get(part)());
      await part.loading;
    },
  };
}

/** Restores all parts. */
async function giveBack() {
  for (const part of parts) {
    part.fetch = own.get(part);
    if (!part.isLoaded) part.loading = null;
  }
  await loadParts();
}

function line(sequence, id, fields = {}) {
  return stringifyExact({ sequence, event: { ResourceChanged: { resource_type: "file", resource: { id, ...fields } } } });
}

/**
 * Calls a method through the cache's port, which replies in the step that makes the answer. Resolves with the answer.
 */
function perform(cache, name, method, params, said) {
  return new Promise((resolve) => cache.port.perform(method, stringifyExact(params), hear(said), (outcome) => {
    said.push(outcome instanceof CacheError ? `${name} ${outcome.code} ${outcome.message}` : `${name} ${textOf(outcome)}`);
    resolve();
  }));
}

function hear(said) { return ({ method, params }) => said.push(`${method} ${textOf(params)}`); }

/**
 * Records the notifications that a cache sends to every sink; those of an observation are recorded where it was
 * started.
 */
function listen(cache, said) { cache.engine.addSink((notification) => { if (notification.method !== "durable") hear(said)(notification); }); }

async function settled() { for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => { setImmediate(resolve); }); }

test("events in order, entities and their observers need no part", async (context) => {
  withhold("nothing can be loaded");
  context.after(giveBack);
  const cache = new NormalizedCache({ preload: false });
  const said = [];
  listen(cache, said);
  cache.ingest(line(1, "a", { n: 1 }));
  cache.ingest(new TextEncoder().encode(`${line(2, "b")}\n${line(3, "a", { n: 2 })}\n`));
  const observed = await cache.calls.entity.observe({ resource_type: "file", id: "a" });
  assert.deepEqual(observed.entity, { id: "a", n: 2 });
  cache.on("entity.changed", ({ entity }) => said.push(`entity.changed ${stringifyExact(entity)}`));
  cache.ingest(line(4, "a", { n: 18446744073709551616n }));
  cache.ingest(JSON.stringify({ sequence: 5, event: { ResourceDeleted: { resource_type: "file", resource_id: "b" } } }));
  cache.ingest(JSON.stringify({ sequence: 6, event: { Heartbeat: { last_sequence: 6 } } }));
  assert.equal((await cache.calls.entity.get({ resource_type: "file", id: "b" })).miss, "deleted");
  assert.equal((await cache.calls.entity.list({ resource_type: "file" })).entities.length, 1);
  assert.deepEqual(await cache.calls.cache.caught_up({ sequence: 6 }), { cursor: 6, state: "live" });
  await cache.flush();
  await cache.calls.observe.cancel({ subscription: observed.subscription });
  assert.deepEqual(cache.gaps(), { "": { epoch: "", sequence: 6, state: "live", lost: [] } });
  assert.equal(cache.export().length, 1);
  assert.deepEqual(said.filter((text) => text.startsWith("entity.changed")), ["entity.changed {\"id\":\"a\",\"n\":18446744073709551616}"]);
  assert.deepEqual(parts.filter((part) => part.loading !== null || part.isLoaded), []);
  await cache.close();
});

test("any line may be the first one: what cannot be used is set aside, and the lines behind it are taken", async (context) => {
  const folder = new URL("../../../Protocol/vectors/", import.meta.url);
  const lines = ["valid", "invalid"].flatMap((name) => readdirSync(new URL(`${name}/`, folder)).flatMap((file) =>
    JSON.parse(readFileSync(new URL(`${name}/${file}`, folder), "utf8")).runs.flatMap(({ input }) => input)));
  const texts = [...new Set([
    "null", "{\"ResourceChanged\":{}}", "1", "true", "[]", "[{}]", "\"x\"", "{", "\ufeff", ...lines.filter((text) => typeof text === "string"),
  ])];
  assert.ok(texts.length > 50);
  context.after(giveBack);
  for (const text of texts) {
    const withheld = withhold();
    const cache = new NormalizedCache({ preload: false });
    cache.ingest(text);
    for (const id of ["x", "y"]) cache.ingest(line(null, id));
    for (const part of withheld.wanted) await withheld.release(part);
    await giveBack();
    await settled();
    assert.equal((await cache.calls.entity.get({ resource_type: "file", id: "y" })).entity?.id, "y", text);
    const { lines: count, blank, control, messages, events } = await cache.calls.cache.stats();
    const { applied, duplicate, ignored, quarantined, held } = events;
    assert.equal(count, blank + control + messages + applied + duplicate + ignored + quarantined + held, text);
    await cache.close();
  }
});

test("what waits for a part keeps its order", async (context) => {
  const parts = withhold();
  context.after(giveBack);
  const cache = new NormalizedCache({ preload: false });
  const said = [];
  listen(cache, said);
  const ask = (method, params) => perform(cache, method, method, params, said);
  cache.ingest(line(1, "a", { n: 1 }));
  ask("entity.observe", { resource_type: "file", id: "a" });
  ask("optimistic.update", { pending_id: "p", changes: [{ op: "patch", resource_type: "file", id: "a", fields: { n: 5 } }] });
  cache.ingest(line(2, "a", { n: 2, m: 1 }));
  ask("entity.get", { resource_type: "file", id: "a" });
  await settled();
  assert.deepEqual(said.map((text) => text.split(" ")[0]), ["library.state", "entity.observe"]);
  assert.deepEqual(parts.wanted, [edits]);
  await parts.release(edits);
  await settled();
  assert.deepEqual(said.slice(2), [
    "entity.changed {\"subscription\":1,\"entity\":{\"id\":\"a\",\"n\":5},\"changed_fields\":[\"n\"]}",
    "optimistic.update {\"pending_id\":\"p\"}",
    "entity.changed {\"subscription\":1,\"entity\":{\"id\":\"a\",\"n\":5,\"m\":1},\"changed_fields\":[\"m\"]}",
    "entity.get {\"entity\":{\"id\":\"a\",\"n\":5,\"m\":1},\"pending\":true,\"sequence\":2,\"stale\":false,\"miss\":null}",
  ]);
  await cache.close();
});

/** Runs a walk; `turn` is called after each step. Returns the cache's output and its final state. */
async function run(seed, turn) {
  const kept = new MemoryJournal();
  const said = [];
  const clock = new ManualClock(1_000);
  const options = { preload: false, clock, random: () => 0.5 };
  const cache = new NormalizedCache({ ...options, journal: seed % 2 === 0 ? kept : undefined });
  listen(cache, said);
  const answers = [];
  const steps = walk(seed, 40);
  for (const { line, isRequest } of steps) {
    if (isRequest) {
      const { id, method, params } = parseExact(line);
      answers.push(perform(cache, id, method, params, said));
    } else {
      cache.ingest(line);
    }
    await turn(clock);
  }
  const ended = cache.endOfInput();
  // Steps that wait for a part run before time passes.
  for (let count = 0; count < parts.length + 1; count += 1) await turn(clock, true);
  for (let isDone = false; !isDone;) {
    await turn(clock, true);
    clock.advance(1);
    isDone = await Promise.race([Promise.all([...answers, ended]).then(() => true), settled().then(() => false)]);
  }
  const end = [cache.export(), cache.gaps(), cache.quarantine().map(({ receivedAt: _time, ...record }) => record)];
  const closed = cache.close();
  for (let isDone = false; !isDone;) {
    await turn(clock, true);
    clock.advance(1);
    isDone = await Promise.race([closed.then(() => true), settled().then(() => false)]);
  }
  return { said, end: stringifyExact(end) };
}

test("random walks say the same, in the same order, whenever parts come", async (context) => {
  context.after(giveBack);
  for (const seed of seeds) {
    await giveBack();
    const wanted = await run(seed, async () => undefined);
    const random = new Random(seed ^ 0x9a275);
    const held = withhold();
    const found = await run(seed, async (_clock, isEnd = false) => {
      if (!isEnd && !random.chance(0.15)) return;
      for (const part of held.wanted) if (isEnd || random.chance(0.5)) await held.release(part);
      await settled();
    });
    // With a journal, edits are answered once they are written, and waiting ones are written together.
    const isOrdered = seed % 2 === 1;
    assert.deepEqual(isOrdered ? found.said : found.said.sort(), isOrdered ? wanted.said : wanted.said.sort(), `seed ${seed}`);
    assert.equal(found.end, wanted.end, `seed ${seed}`);
  }
});

test("while a part cannot be loaded, requests are refused, lines wait, and it is tried again", async (context) => {
  withhold("no network");
  context.after(giveBack);
  const clock = new ManualClock(1_000);
  const cache = new NormalizedCache({ preload: false, clock });
  cache.ingest(line(1, "a"));
  cache.ingest("nonsense");
  cache.ingest(line(2, "b"));
  const refused = await cache.call("entity.get", { resource_type: "file", id: "b" }).catch((error) => error);
  assert.equal(refused.code, "storage_failed");
  assert.match(refused.message, /the part gaps of the client cannot be loaded \(no network\)/);
  assert.equal(cache.gaps()[""].sequence, 1);
  gaps.fetch = own.get(gaps);
  const answer = cache.call("entity.get", { resource_type: "file", id: "b" });
  clock.advance(1_000);
  assert.deepEqual((await answer).entity, { id: "b" });
  assert.deepEqual(cache.quarantine().map(({ reason, line: number }) => [reason, number]), [["not_json", 2]]);
  await cache.close();
});

test("what waits for a part has a bound", async (context) => {
  const held = withhold();
  context.after(giveBack);
  const cache = new NormalizedCache({ preload: false, limits: { aheadByteCountMax: 200 } });
  cache.ingest("nonsense");
  const big = line(1, "a", { text: "x".repeat(60) });
  cache.ingest(big);
  assert.throws(() => cache.ingest(line(2, "b", { text: "x".repeat(100) })), { code: "limit_exceeded" });
  await assert.rejects(cache.call("query.read", { method: "x".repeat(200) }), { code: "limit_exceeded" });
  await held.release(gaps);
  await settled();
  assert.equal(cache.gaps()[""].sequence, 1);
  await cache.close();
});

test("a cache with a journal, a bound on entities or a policy waits for its parts before it takes input", async (context) => {
  const held = withhold();
  context.after(giveBack);
  const cache = new NormalizedCache({ preload: false, journal: new MemoryJournal(), limits: { entityCountMax: 2 } });
  for (let sequence = 1; sequence <= 5; sequence += 1) cache.ingest(line(sequence, `k${sequence}`));
  await settled();
  assert.deepEqual(held.wanted, [upkeep]);
  await held.release(upkeep);
  await settled();
  assert.deepEqual(held.wanted, [journal]);
  await held.release(journal);
  await cache.flush();
  assert.equal(cache.export().length, 2);
  await cache.close();
});

test("a cache loads its parts soon, and a program may load them at once", async (context) => {
  const held = withhold();
  context.after(giveBack);
  const cache = new NormalizedCache();
  assert.deepEqual(held.wanted, [lists]);
  await new Promise((resolve) => { setTimeout(resolve, 0); });
  await settled();
  assert.deepEqual(new Set(held.wanted), new Set(parts));
  for (const part of held.wanted) await held.release(part);
  await cache.close();
});
