// Units of several lines and states, as the log of a scope has them. Protocol/scopes.md, what is new in events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, NormalizedCache } from "./support/client.mjs";
import { ManualClock } from "./support/clock.mjs";
import { Random } from "./support/random.mjs";
import { cached, ScopeLog } from "./support/scope-log.mjs";

const SEED_COUNT = Number(process.env.SCOPE_SEEDS ?? 200);
const LIBRARY = "server-library";

const change = (sequence, resource, more = {}) =>
  ({ library_id: "a", sequence, ...more, event: { ResourceChanged: { resource_type: "file", resource } } });
const departure = { library_id: "a", event: { ResourceDeleted: { resource_type: "file", resource_id: "b", reason: "scope" } } };

function cacheOf(journal = undefined) { return new NormalizedCache({ journal, clock: new ManualClock(1_000), random: () => 0 }); }

test("the lines of a unit are shown together, as one change of a view and of an entity", async () => {
  const cache = cacheOf();
  cache.ingest(change(1, { id: "a", n: 1 }));
  const told = [];
  cache.on("view.changed", ({ patch, as_of }) => told.push([patch.length, as_of]));
  cache.on("entity.changed", ({ entity }) => told.push(entity));
  await cache.calls.view.observe({ library_id: "a", view: { from: "file" } });
  await cache.calls.entity.observe({ library_id: "a", resource_type: "file", id: "b" });
  cache.ingest(change(2, { id: "b", n: 1 }, { more: true }));
  cache.ingest(change(3, { id: "a", n: 2 }, { more: true }));
  assert.deepEqual(told, []);
  assert.equal(cache.gaps().a.sequence, 1);
  cache.ingest(change(4, { id: "b", n: 2 }));
  assert.deepEqual(told.sort((left, right) => JSON.stringify(left) < JSON.stringify(right) ? -1 : 1), [[2, 4], { id: "b", n: 2 }]);
  assert.equal(cache.gaps().a.sequence, 4);
});

test("while a unit is open, another library is not held up", () => {
  const cache = cacheOf();
  cache.ingest(change(1, { id: "a" }, { more: true }));
  cache.ingest({ library_id: "b", sequence: 1, event: { ResourceChanged: { resource_type: "file", resource: { id: "x" } } } });
  assert.deepEqual(cache.export().length, 1);
  assert.equal(cache.gaps().a.sequence, null);
});

test("a unit past its bound is applied in pieces", () => {
  const cache = cacheOf();
  const text = "x".repeat(900_000);
  for (let sequence = 1; sequence <= 80; sequence += 1) cache.ingest(change(sequence, { id: `f${sequence}`, text }, { more: true }));
  assert.ok(cache.export().length > 70 && cache.export().length < 80, String(cache.export().length));
  cache.ingest(change(81, { id: "last" }));
  assert.equal(cache.export().length, 81);
});

test("a state removes what was not written since it began, at its end, and the library is stale until then", async () => {
  const cache = cacheOf();
  const lines = [
    change(1, { id: "a" }), change(2, { id: "b" }),
    { library_id: "a", epoch: "e2", sequence: 0, event: { Reset: { state: true } } },
    { ...change(1, { id: "b", n: 2 }), epoch: "e2" },
  ];
  for (const line of lines) cache.ingest(line);
  assert.deepEqual([cache.export().length, cache.gaps().a.state], [2, "stale"]);
  const stale = [];
  cache.on("view.changed", (told) => stale.push([told.stale, told.patch]));
  assert.equal((await cache.calls.view.observe({ library_id: "a", view: { from: "file" } })).stale, true);
  cache.ingest({ library_id: "a", epoch: "e2", event: { Heartbeat: { last_sequence: 1 } } });
  assert.equal(cache.gaps().a.state, "stale", "another heartbeat ends nothing");
  cache.ingest({ library_id: "a", epoch: "e2", sequence: 9, prev: 1, event: { Heartbeat: { last_sequence: 9 } } });
  assert.deepEqual([cache.export().length, cache.gaps().a.state, cache.gaps().a.sequence], [1, "live", 9]);
  assert.deepEqual(stale, [[false, [{ op: "remove", path: "/0" }]]]);
  assert.equal((await cache.calls.entity.get({ library_id: "a", resource_type: "file", id: "a" })).miss, "absent", "no tombstone");
});

test("a pending edit of what left is kept as failed, and can be tried again once it is back", async () => {
  const sent = [];
  const upstream = { send: async ({ pending_id }) => { sent.push(pending_id); return {}; } };
  const cache = new NormalizedCache({ clock: new ManualClock(1_000), random: () => 0, upstream });
  await cache.calls.outbox.pause();
  for (const id of ["a", "b"]) cache.ingest(change(id === "a" ? 1 : 2, { id, n: 1 }));
  for (const id of ["a", "b"]) {
    await cache.calls.optimistic.update({ library_id: "a", pending_id: id, changes: [{ op: "patch", resource_type: "file", id, fields: { n: 2 } }],
      send: { method: "set", key: id, discard: true } });
  }
  cache.ingest({ ...departure, sequence: 3 });
  const states = async () => (await cache.calls.outbox.list()).outbox.map(({ pending_id, state, error }) => [pending_id, state, error?.code ?? null]);
  assert.deepEqual(await states(), [["a", "queued", null], ["b", "failed", "scope"]]);
  assert.equal((await cache.calls.optimistic.list()).pending.length, 2);
  await cache.calls.outbox.resume();
  await cache.flush();
  assert.deepEqual(sent, ["a"]);
  cache.ingest(change(4, { id: "b", n: 1 }));
  await cache.calls.optimistic.retry({ library_id: "a", pending_id: "b" });
  await cache.flush();
  assert.deepEqual(sent, ["a", "b"]);
});

test("a source that is stale makes the library stale, until it says otherwise", () => {
  const cache = cacheOf();
  const beat = (more) => cache.ingest({ library_id: "a", event: { Heartbeat: { last_sequence: 1, ...more } } });
  cache.ingest(change(1, { id: "a" }));
  beat({ stale: true });
  assert.equal(cache.gaps().a.state, "stale");
  beat({});
  assert.equal(cache.gaps().a.state, "live");
});

test("after a restart the cursor is before a unit that was open, and a state goes on", async () => {
  const journal = new MemoryJournal();
  const first = cacheOf(journal);
  await first.ready;
  first.ingest(change(1, { id: "a" }));
  first.ingest(change(2, { id: "b" }, { more: true }));
  await first.flush();
  const second = cacheOf(journal);
  await second.ready;
  assert.equal(second.gaps().a.sequence, 1);
  second.ingest({ library_id: "a", epoch: "e2", sequence: 0, event: { Reset: { state: true } } });
  await second.flush();
  const third = cacheOf(journal);
  await third.ready;
  assert.deepEqual([third.gaps().a.state, third.export().length], ["stale", 1]);
  third.ingest({ library_id: "a", epoch: "e2", sequence: 9, prev: 0, event: { Heartbeat: { last_sequence: 9 } } });
  assert.deepEqual([third.gaps().a.state, third.export().length], ["live", 0]);
});

test("after a cut an answer about missing lines of the former stream is not used", async () => {
  let answer;
  const eventsSince = () => new Promise((resolve) => { answer = resolve; });
  const cache = new NormalizedCache({ upstream: { eventsSince }, reorderWindow: 0 });
  cache.ingest(change(1, { id: "a", n: 1 }));
  cache.ingest(change(3, { id: "a", n: 3 }));
  for (const end = Date.now() + 5_000; answer === undefined && Date.now() < end;) await new Promise((resolve) => { setImmediate(resolve); });
  const { gaps } = await import("../dist/parts/loaders.js");
  const [library] = cache.engine.state.libraries.values();
  gaps.code.dropWaiting(cache.engine.state, library);
  assert.deepEqual([cache.gaps().a.sequence, cache.gaps().a.state], [1, "live"]);
  answer({ events: [change(2, { id: "a", n: 2 }), change(3, { id: "a", n: 3 })], coveredThrough: 3 });
  await new Promise((resolve) => { setImmediate(resolve); });
  cache.ingest(change(2, { id: "b", n: 1 }, { more: true }));
  cache.ingest(change(3, { id: "c", n: 1 }));
  assert.deepEqual(cached(cache, "a").map((text) => JSON.parse(text)[3]), [{ id: "a", n: 1 }, { id: "b", n: 1 }, { id: "c", n: 1 }]);
  await cache.close();
});

/** Kills the program at any line, with or without a flush before, and begins again from what the journal has. */
async function history(seed) {
  const random = new Random(seed);
  const log = new ScopeLog(LIBRARY);
  const journal = new MemoryJournal();
  let cache = cacheOf(journal);
  await cache.ready;
  const step = () => {
    const id = String(random.below(8));
    const type = random.pick(["album", "photo"]);
    return random.chance(0.6) ? { type, put: { id, n: random.below(100) } } : { [random.pick(["leave", "delete"])]: `${type}:${id}` };
  };
  for (let round = 0; round < 30; round += 1) {
    for (let count = random.below(3); count > 0; count -= 1) log.change(Array.from({ length: 1 + random.below(5) }, step));
    const { scope } = cache.engine.state.libraries.get(LIBRARY) ?? {};
    const { epoch, sequence } = cache.gaps()[LIBRARY] ?? { sequence: null };
    const lines = (sequence === null || scope?.isInState === true || random.chance(0.05) ? null : log.resume(epoch, sequence)) ?? log.state();
    const kill = random.chance(0.4) ? random.below(lines.length + 1) : null;
    for (const [index, line] of lines.entries()) {
      if (index === kill) break;
      const before = line.more === true ? JSON.stringify([cached(cache, LIBRARY), cache.gaps()[LIBRARY]?.sequence]) : null;
      cache.ingest(line);
      if (before !== null) assert.equal(JSON.stringify([cached(cache, LIBRARY), cache.gaps()[LIBRARY]?.sequence]), before, "a unit is not whole");
      if (random.chance(0.2)) await cache.flush();
    }
    if (kill === null) {
      assert.deepEqual(cached(cache, LIBRARY), log.held(LIBRARY), `seed ${seed}, round ${round}`);
      assert.equal(cache.gaps()[LIBRARY].state, "live");
    } else {
      cache = cacheOf(journal);
      await cache.ready;
    }
  }
}

test("after any kills a reader has what the scope shows, and never half of a unit", async () => {
  for (let seed = 1; seed <= SEED_COUNT; seed += 1) await history(seed);
});
