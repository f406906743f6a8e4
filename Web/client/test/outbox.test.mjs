// The outbox in a program: an upstream that performs mutations, its failures, and a restart. The transcripts test the
// rest.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, NormalizedCache, UpstreamError } from "../dist/index.js";
import { policyOfRules } from "../dist/policy/index.js";
import { ManualClock } from "./support/clock.mjs";

const edit = (id, n, send) => ({
  pending_id: id, changes: [{ op: "put", resource_type: "photo", resource: { id: "a", n } }], send: { method: "photos.set", input: n, ...send },
});

/** Waits for a notification. */
const heard = (cache, name, isIt) => new Promise((resolve) => {
  const end = cache.on(name, (params) => {
    if (!isIt(params)) return;
    end();
    resolve(params);
  });
});

test("an edit is sent again until the server has answered, and its answer becomes the entity", async () => {
  const seen = [];
  const cache = new NormalizedCache({
    random: () => 0,
    upstream: {
      async send(mutation) {
        seen.push(mutation);
        if (seen.length === 1) throw new TypeError("failed to fetch");
        if (seen.length === 2) throw new UpstreamError("busy", { isRefusal: true, retries: true, code: "busy" });
        return { confirmed: { id: "a", n: 7 }, sequence: 3 };
      },
    },
  });
  const settled = heard(cache, "outbox.changed", ({ attempt }) => attempt === 3);
  await cache.calls.optimistic.update(edit("p1", 1));
  await settled;
  while ((await cache.calls.outbox.list()).outbox.length > 0) await new Promise((resolve) => { setImmediate(resolve); });
  assert.deepEqual(seen.map(({ attempt }) => attempt), [1, 2, 3]);
  assert.deepEqual(seen[2], {
    pending_id: "p1", method: "photos.set", input: 1, attempt: 3, library_id: "",
    changes: [{ op: "put", resource_type: "photo", resource: { id: "a", n: 1 } }],
  });
  assert.deepEqual((await cache.calls.entity.get({ resource_type: "photo", id: "a" })).entity, { id: "a", n: 7 });
  await cache.close();
});

test("an edit that was made offline is sent by the next cache, under the next number", async () => {
  const journal = new MemoryJournal();
  const offline = new NormalizedCache({ journal, upstream: { send: () => new Promise(() => undefined) } });
  await offline.ready;
  const sending = heard(offline, "outbox.changed", ({ state }) => state === "sending");
  await offline.calls.optimistic.update(edit("p1", 5));
  await sending;
  await offline.close();
  const sent = [];
  const online = new NormalizedCache({ journal, upstream: { send: async (mutation) => { sent.push(mutation); return { confirmed: [] }; } } });
  await online.ready;
  while (sent.length === 0) await new Promise((resolve) => { setImmediate(resolve); });
  assert.equal(sent[0].attempt, 2);
  assert.equal(sent[0].pending_id, "p1");
  await online.close();
});

test("a refusal without a reason to retry fails the edit, and retry sends it again", async () => {
  let isRefusing = true;
  const cache = new NormalizedCache({
    upstream: {
      async send() {
        if (isRefusing) throw new UpstreamError("no such photo", { isRefusal: true, code: "not_found" });
        return {};
      },
    },
  });
  const failed = heard(cache, "outbox.changed", ({ state }) => state === "failed");
  await cache.calls.optimistic.update(edit("p1", 1));
  assert.deepEqual((await failed).error, { message: "no such photo", code: "not_found" });
  assert.equal((await cache.calls.optimistic.list()).pending.length, 1);
  isRefusing = false;
  await cache.calls.optimistic.retry({ pending_id: "p1" });
  while ((await cache.calls.outbox.list()).outbox.length > 0) await new Promise((resolve) => { setImmediate(resolve); });
  assert.equal((await cache.calls.optimistic.list()).pending[0].state, "confirmed");
  await cache.close();
});

/** A server that responds when the test says so. */
class SlowServer {
  sent = [];

  send(mutation) { return new Promise((resolve, reject) => { this.sent.push({ ...mutation, resolve, reject }); }); }

  get pendingIds() { return this.sent.map(({ pending_id }) => pending_id); }

  of(pendingId) { return this.sent.find(({ pending_id }) => pending_id === pendingId); }
}

/** A journal whose commits wait while it is held. */
class HeldJournal extends MemoryJournal {
  isHeld = false;
  waiting = [];

  async commit(batch) {
    if (this.isHeld) await new Promise((resolve) => { this.waiting.push(resolve); });
    return super.commit(batch);
  }

  release() {
    this.isHeld = false;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const turns = async () => { for (let left = 10; left > 0; left -= 1) await new Promise((resolve) => { setImmediate(resolve); }); };
const put = (pending_id, id, send, rest) => ({
  pending_id, changes: [{ op: "put", resource_type: "photo", resource: { id, n: 1 } }], send: { method: "photos.set", input: id, ...send }, ...rest,
});
const photo = async (cache, id) => (await cache.calls.entity.get({ resource_type: "photo", id })).entity;

test("after a pause the requests of different keys leave in the order of their edits", async () => {
  const server = new SlowServer();
  const cache = new NormalizedCache({ upstream: server, journal: new MemoryJournal() });
  await cache.calls.outbox.pause();
  for (let number = 0; number < 24; number += 1) await cache.calls.optimistic.update(put(`p${number}`, `k${number}`, { key: `k${number}` }));
  await cache.calls.outbox.resume();
  for (let number = 0; number < 24; number += 1) {
    await turns();
    server.sent[number].resolve({ confirmed: [] });
  }
  await turns();
  assert.deepEqual(server.pendingIds, Array.from({ length: 24 }, (_, number) => `p${number}`));
  await cache.close();
});

test("a discarded edit says why, and so does each that depended on it, oldest first", async () => {
  const server = new SlowServer();
  const cache = new NormalizedCache({ upstream: server });
  const said = [];
  cache.on("outbox.changed", ({ pending_id, state, attempt, error }) => { if (state === "discarded") said.push([pending_id, attempt, error]); });
  await cache.calls.optimistic.update(put("p1", "a", { discard: true }));
  await cache.calls.optimistic.update({ ...put("p2", "b", {}), depends_on: "p1", send: undefined });
  await cache.calls.optimistic.update(put("p3", "c", {}, { depends_on: "p2" }));
  await turns();
  server.of("p1").reject(new UpstreamError("no album", { isRefusal: true, code: "gone" }));
  await turns();
  const error = { message: "no album", code: "gone" };
  assert.deepEqual(said, [["p1", 1, error], ["p2", 0, error], ["p3", 0, error]]);
  assert.deepEqual((await cache.calls.optimistic.list()).pending, []);
  await cache.close();
});

test("one request has as many edits as a line of 16 MiB holds", async () => {
  const server = new SlowServer();
  const cache = new NormalizedCache({ upstream: server });
  await cache.calls.outbox.pause();
  const text = "é".repeat(1 << 20);
  for (let number = 0; number < 9; number += 1) {
    await cache.calls.optimistic.update({
      pending_id: `p${number}`, send: { method: "photos.set", input: number, coalesce: "replace" },
      changes: [{ op: "put", resource_type: "photo", resource: { id: "a", text } }],
    });
  }
  await cache.calls.outbox.resume();
  await turns();
  assert.deepEqual(server.sent.map(({ changes, input }) => [changes.length, input]), [[7, 6]]);
  server.sent[0].resolve({ confirmed: [] });
  await turns();
  assert.deepEqual(server.sent.map(({ pending_id, changes, input }) => [pending_id, changes.length, input]), [["p0", 7, 6], ["p7", 2, 8]]);
  await cache.close();
});

test("the next request of a key waits for an attempt whose edit was rolled back, until its time is over", async () => {
  const server = new SlowServer();
  const clock = new ManualClock(1_000);
  const cache = new NormalizedCache({ upstream: server, clock, fetchTimeout: 5_000 });
  await cache.calls.optimistic.update(put("p1", "a"));
  await cache.calls.optimistic.update(put("p2", "b"));
  await turns();
  await cache.calls.optimistic.rollback({ pending_id: "p1" });
  clock.advance(4_999);
  await turns();
  assert.deepEqual(server.pendingIds, ["p1"]);
  clock.advance(1);
  await turns();
  assert.deepEqual(server.pendingIds, ["p1", "p2"]);
  // A response after the end of its attempt has no effect, and neither do its real ids.
  await cache.calls.optimistic.update({ ...put("p3", "a"), send: undefined });
  server.of("p1").resolve({ confirmed: { id: "R", n: 9 }, id_map: { a: "R" } });
  await turns();
  assert.deepEqual([await photo(cache, "a"), await photo(cache, "R")], [{ id: "a", n: 1 }, null]);
  await cache.close();
});

test("an edit that is rolled back before its request left lets the next one of its key go", async () => {
  const server = new SlowServer();
  const journal = new HeldJournal();
  const cache = new NormalizedCache({ upstream: server, journal });
  await cache.calls.outbox.pause();
  await cache.calls.optimistic.update(put("p1", "a"));
  await cache.calls.optimistic.update(put("p2", "b"));
  journal.isHeld = true;
  await cache.calls.outbox.resume();
  await turns();
  const rolledBack = cache.calls.optimistic.rollback({ pending_id: "p1" });
  await turns();
  assert.deepEqual(server.sent, []);
  journal.release();
  await rolledBack;
  await turns();
  assert.deepEqual(server.pendingIds, ["p2"]);
  await cache.close();
});

test("the place in an answer belongs to the log of the moment when the request left", async () => {
  for (const isNewAfter of [false, true]) {
    const server = new SlowServer();
    const journal = new HeldJournal();
    const cache = new NormalizedCache({ upstream: server, journal });
    const ingest = (sequence, epoch, n) => cache.ingest({ sequence, epoch, event: { ResourceChanged: { resource_type: "photo", resource: { id: "a", n } } } });
    ingest(9, "e1", 1);
    await cache.calls.outbox.pause();
    await cache.calls.optimistic.update(put("p1", "a"));
    journal.isHeld = true;
    await cache.calls.outbox.resume();
    await turns();
    if (!isNewAfter) ingest(1, "e2", 2);
    journal.release();
    await turns();
    assert.deepEqual(server.pendingIds, ["p1"]);
    if (isNewAfter) ingest(1, "e2", 2);
    // The sixth position of the old log, or of the new one.
    server.sent[0].resolve({ confirmed: { id: "a", n: 3 }, sequence: 6 });
    await turns();
    assert.deepEqual(await photo(cache, "a"), { id: "a", n: isNewAfter ? 2 : 3 });
    await cache.close();
  }
});

test("of answers whose edits are gone 64 are waited for", async () => {
  const server = new SlowServer();
  const cache = new NormalizedCache({ upstream: server });
  for (let number = 0; number < 66; number += 1) {
    await cache.calls.optimistic.update(put(`p${number}`, `t${number}`, { key: `k${number}` }));
    await turns();
    // A commit without resources: the edit stays, its request is done.
    await cache.calls.optimistic.commit({ pending_id: `p${number}`, sequence: 1_000 });
  }
  for (const number of [0, 1, 2, 65]) server.of(`p${number}`).resolve({ confirmed: { id: `R${number}`, n: 9 }, id_map: { [`t${number}`]: `R${number}` } });
  await turns();
  const ids = (await cache.calls.optimistic.list()).pending.map(({ changes: [{ resource }] }) => resource.id);
  assert.deepEqual([ids[0], ids[1], ids[2], ids[65]], ["t0", "t1", "R2", "R65"]);
  // Only the real ids in a late response count.
  assert.deepEqual(await photo(cache, "R2"), { id: "R2", n: 1 });
  await cache.close();
});

test("an empty list of confirmed resources deletes what the edit deletes, with what the policy takes along", async () => {
  const policy = policyOfRules([{ type: "photo", cascades: { faces: "face" } }]);
  const journal = new MemoryJournal();
  let cache = new NormalizedCache({ policy, journal });
  for (const [resource_type, resource] of [["face", { id: "f" }], ["photo", { id: "a", faces: ["f"] }], ["photo", { id: "b", faces: [] }]]) {
    cache.ingest({ event: { ResourceChanged: { resource_type, resource } } });
  }
  const changes = [
    { op: "delete", resource_type: "photo", id: "a" }, { op: "delete", resource_type: "photo", id: "b" },
    { op: "put", resource_type: "photo", resource: { id: "b", n: 2 } },
  ];
  await cache.calls.optimistic.update({ pending_id: "p1", changes });
  await cache.calls.optimistic.commit({ pending_id: "p1", confirmed: [] });
  await cache.flush();
  await cache.close();
  cache = new NormalizedCache({ policy, journal });
  await cache.ready;
  const misses = [];
  for (const [resource_type, id] of [["photo", "a"], ["face", "f"], ["photo", "b"]]) misses.push((await cache.calls.entity.get({ resource_type, id })).miss);
  assert.deepEqual(misses, ["deleted", "deleted", null]);
  await cache.close();
});

test("an answer with resources confirms no delete, also when all was removed meanwhile", async () => {
  const server = new SlowServer();
  const cache = new NormalizedCache({ upstream: server });
  const changes = [{ op: "delete", resource_type: "photo", id: "a" }, { op: "put", resource_type: "photo", resource: { id: "b", n: 1 } }];
  const both = [{ id: "a", n: 0 }, { id: "b", n: 0 }];
  for (const [index, isCleared] of [false, true].entries()) {
    for (const resource of both) cache.ingest({ event: { ResourceChanged: { resource_type: "photo", resource } } });
    await cache.calls.optimistic.update({ pending_id: `p${index}`, changes, send: { method: "photos.swap" } });
    await turns();
    if (isCleared) {
      await cache.calls.cache.clear();
      cache.ingest({ event: { ResourceChanged: { resource_type: "photo", resource: both[0] } } });
    }
    server.sent[index].resolve({ confirmed: { id: "b", n: 5 } });
    await turns();
    assert.deepEqual([await photo(cache, "a"), await photo(cache, "b")], [{ id: "a", n: 0 }, isCleared ? null : { id: "b", n: 5 }]);
  }
  await cache.close();
});

test("requests that were sent together leave again as they left, from a journal of an older version too", async () => {
  const journal = new MemoryJournal();
  let server = new SlowServer();
  let cache = new NormalizedCache({ upstream: server, journal });
  await cache.calls.outbox.pause();
  for (const number of [1, 2]) await cache.calls.optimistic.update(put(`p${number}`, "a", { input: number, coalesce: "replace" }));
  await cache.calls.outbox.resume();
  await turns();
  assert.deepEqual(server.sent.map(({ input, changes }) => [input, changes.length]), [[2, 2]]);
  await cache.close();
  // The journal of an older version lacks the request as first sent, and `isUnderWay`.
  const { layers } = await journal.open();
  for (const record of layers.values()) {
    delete record.sent;
    delete record.sending.isUnderWay;
  }
  server = new SlowServer();
  cache = new NormalizedCache({ upstream: server, journal });
  await cache.ready;
  await cache.calls.optimistic.rollback({ pending_id: "p2" });
  await turns();
  server.sent[0].reject(new TypeError("failed to fetch"));
  await turns();
  await cache.calls.optimistic.retry({ pending_id: "p1" });
  await turns();
  assert.deepEqual(server.sent.map(({ input, changes, attempt }) => [input, changes.length, attempt]), [[2, 2, 2], [2, 2, 3]]);
  await cache.close();
});

test("a broken record of a renaming or of a request that left is named, and left out", async () => {
  const journal = new MemoryJournal();
  const server = new SlowServer();
  let cache = new NormalizedCache({ upstream: server, journal });
  await cache.calls.optimistic.update(put("p1", "t1", { key: "a" }));
  await cache.calls.optimistic.update({
    pending_id: "p2", changes: [{ op: "patch", resource_type: "photo", id: "t1", fields: { n: 2 } }], send: { method: "photos.set", key: "b" },
  });
  await turns();
  server.of("p1").resolve({ confirmed: { id: "R", n: 1 }, id_map: { t1: "R" } });
  await turns();
  await cache.close();
  const { layers } = await journal.open();
  const records = [...layers];
  assert.deepEqual(records.map(([, { temporary, sent }]) => temporary ?? JSON.parse(sent.changes)[0].id), ["t1", "t1"]);
  for (const [, record] of records) {
    if (record.temporary !== undefined) record.json = 7;
    else record.sent = { input: "null" };
  }
  cache = new NormalizedCache({ journal });
  await cache.ready;
  assert.deepEqual(cache.damage().map(({ key }) => key).sort(), records.map(([key]) => key).sort());
  assert.deepEqual((await cache.calls.optimistic.list()).pending, []);
  await cache.close();
});
