// Compares the queue with a naive model: only the first request of a chain is sent, the oldest first, at most eight at
// a time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OutboxQueue } from "../dist/outbox/queue.js";
import { newSending } from "../dist/layers/sending.js";
import { Random } from "./support/random.mjs";

for (let seed = 1; seed <= 200; seed += 1) {
  test(`the queue keeps its order, seed ${seed}`, () => {
    const random = new Random(seed);
    const queue = new OutboxQueue();
    const library = { name: "" };
    const layers = new Map();
    let number = 0;
    const sending = new Set();
    /** The removed requests that block their key. */
    const held = new Map();
    const chain = (layer) => String(layer.sending.request.key);
    const request = () => ({
      method: "m", input: "1", key: random.below(2) === 0 ? null : `k${random.below(12)}`, attemptCountMax: null, duration: null,
      temporaryIds: [], isReplaceable: false, onFailure: random.below(3) === 0 ? "continue" : "stop", discardsOnFailure: false,
    });
    for (let step = 0; step < 120; step += 1) {
      const known = [...layers.values()];
      const one = known[random.below(Math.max(1, known.length))];
      if (random.below(8) === 0) {
        const [item] = [...held.keys()];
        held.delete(item);
        if (item !== undefined) queue.endHeld(item);
      }
      switch (random.below(5)) {
        case 0: case 1: {
          number += 1;
          const layer = { number, pendingId: `p${number}`, library, dependsOn: random.below(6) === 0 ? ["x"] : [], sending: newSending(request()) };
          layers.set(number, layer);
          queue.put(layer, layer.sending);
          break;
        }
        case 2: {
          if (one === undefined) break;
          const item = queue.get(one.number);
          const holdsKey = random.below(2) === 0;
          if (sending.has(one.number) && holdsKey) held.set(item, chain(one));
          layers.delete(one.number);
          sending.delete(one.number);
          queue.remove(one.number, holdsKey);
          break;
        }
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
        const isOut = (layer) => layer.sending.failure !== null && layer.sending.request.onFailure === "continue";
        const wanted = [...layers.values()].filter((layer) => {
          if (layer.sending.failure !== null || layer.dependsOn.length > 0 || [...held.values()].includes(chain(layer))) return false;
          const others = [...layers.values()].filter((other) => chain(other) === chain(layer));
          return others.every((other) => !sending.has(other.number) && (other.number >= layer.number || isOut(other)));
        }).sort((left, right) => left.number - right.number);
        assert.ok(sending.size + held.size < 8);
        assert.equal(start.item.layer.number, wanted[0]?.number);
        start.item.layer.sending.attemptCount += 1;
        sending.add(start.item.layer.number);
      }
      assert.ok([...held.keys()].every((item) => queue.isHeld(item)));
    }
  });
}
