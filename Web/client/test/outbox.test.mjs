// The outbox as a program uses it: an upstream that performs mutations, its failures, and a restart. The transcripts have the rest.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, NormalizedCache, UpstreamError } from "../dist/index.js";
import { OutboxQueue } from "../dist/outbox/queue.js";
import { newSending } from "../dist/outbox/sending.js";
import { Random } from "./support/random.mjs";

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

// The law of the queue against a model that looks at everything: only the first of a chain is sent, the oldest first, eight at most.
for (let seed = 1; seed <= 200; seed += 1) {
  test(`the queue keeps its order, seed ${seed}`, () => {
    const random = new Random(seed);
    const queue = new OutboxQueue();
    const library = { name: "" };
    const layers = new Map();
    let number = 0;
    const sending = new Set();
    const request = () => ({
      method: "m", input: "1", key: random.below(2) === 0 ? null : `k${random.below(12)}`, attemptCountMax: null, duration: null,
      temporaryIds: [], isReplaceable: false, onFailure: random.below(3) === 0 ? "continue" : "stop", discardsOnFailure: false,
    });
    for (let step = 0; step < 120; step += 1) {
      const known = [...layers.values()];
      const one = known[random.below(Math.max(1, known.length))];
      switch (random.below(5)) {
        case 0: case 1: {
          number += 1;
          const layer = { number, pendingId: `p${number}`, library, dependsOn: random.below(6) === 0 ? ["x"] : [], sending: newSending(request()) };
          layers.set(number, layer);
          queue.put(layer, layer.sending);
          break;
        }
        case 2:
          if (one === undefined) break;
          layers.delete(one.number);
          sending.delete(one.number);
          queue.remove(one.number);
          break;
        case 3: {
          if (one === undefined || !sending.has(one.number)) break;
          sending.delete(one.number);
          one.sending.failure = { message: "no", code: null };
          queue.put(one, one.sending);
          break;
        }
        case 4:
          if (one === undefined || one.sending.failure === null) break;
          one.sending.failure = null;
          queue.put(one, one.sending);
      }
      for (let start = queue.next(); start !== null; start = queue.next()) {
        const chain = (layer) => String(layer.sending.request.key);
        const isOut = (layer) => layer.sending.failure !== null && layer.sending.request.onFailure === "continue";
        const wanted = [...layers.values()].filter((layer) => {
          if (layer.sending.failure !== null || layer.dependsOn.length > 0) return false;
          const others = [...layers.values()].filter((other) => chain(other) === chain(layer));
          return others.every((other) => !sending.has(other.number) && (other.number >= layer.number || isOut(other)));
        }).sort((left, right) => left.number - right.number);
        assert.ok(sending.size < 8);
        assert.equal(start.item.layer.number, wanted[0]?.number);
        start.item.layer.sending.attemptCount += 1;
        sending.add(start.item.layer.number);
      }
    }
  });
}
