// Components share one observation for each query or entity, whichever of them mount and unmount.

import assert from "node:assert/strict";
import { test } from "node:test";
import { queryStore } from "../dist/react/store.js";
import { NormalizedCache } from "./support/client.mjs";
import { ManualClock } from "./support/clock.mjs";

/** A cache whose upstream responds when the test says so, and the store of one of its queries. */
class Rig {
  questions = [];
  clock = new ManualClock(1_700_000_000_000);
  seen = [];

  constructor() {
    const fetch = () => new Promise((resolve, reject) => { this.questions.push({ resolve, reject }); });
    this.cache = new NormalizedCache({ upstream: { fetch }, clock: this.clock, fetchTimeout: 1e9 });
    this.store = queryStore(this.cache, { method: "files", input: 1 });
  }

  /** Mounts a component. Returns a function that unmounts it. */
  mount() { return this.store.subscribe(() => this.seen.push(this.store.getSnapshot())); }

  async answer(index, ...ids) {
    const rule = { resource_type: "file", order: [{ path: "/id" }] };
    this.questions[index].resolve({ resource_type: "file", resources: ids.map((id) => ({ id })), membership: rule });
    await turn();
  }

  async fail(index) {
    this.questions[index].reject(new Error("the server is down"));
    await turn();
  }

  get ids() { return this.store.getSnapshot().data?.map(({ id }) => id); }

  get error() { return this.store.getSnapshot().error?.code ?? null; }

  get observers() { return this.cache.engine.observers.size; }

  changed(id) { this.cache.ingest({ event: { ResourceChanged: { resource_type: "file", resource: { id } } } }); }
}

const turn = () => new Promise((resolve) => { setImmediate(resolve); });

test("a component that goes and comes back while its list is loading sees each change once, and leaves no observer", async () => {
  const rig = new Rig();
  rig.mount()();
  rig.clock.advance(1);
  const unmount = rig.mount();
  await rig.answer(0, "1");
  rig.changed("2");
  assert.deepEqual(rig.ids, ["1", "2"]);
  assert.equal(rig.observers, 1);
  unmount();
  rig.clock.advance(1);
  assert.equal(rig.observers, 0);
  assert.equal(rig.store.getSnapshot().isLoading, true);
});

test("a failed refetch is forgotten when the next one brings the same data", async () => {
  const rig = new Rig();
  rig.mount();
  await rig.answer(0, "1");
  for (const settle of [() => rig.fail(1), () => rig.answer(2, "1")]) {
    const done = rig.store.refetch();
    await turn();
    await settle();
    await done;
  }
  assert.deepEqual([rig.ids, rig.error], [["1"], null]);
});

test("the newest refetch decides about the error", async () => {
  const rig = new Rig();
  rig.mount();
  await rig.answer(0, "1");
  const older = rig.store.refetch();
  await turn();
  // A reader that arrives after an invalidation has a fetch of its own.
  await rig.cache.calls.cache.invalidate({ all: true });
  const newer = rig.store.refetch();
  await turn();
  await rig.answer(2, "1");
  await rig.fail(1);
  await Promise.all([older, newer]);
  assert.deepEqual([rig.ids, rig.error], [["1"], null]);
});

test("a refetch whose component has gone leaves no observer", async () => {
  const rig = new Rig();
  rig.mount()();
  rig.clock.advance(1);
  const done = rig.store.refetch();
  await turn();
  await rig.answer(rig.questions.length - 1, "1");
  await done;
  rig.clock.advance(10_000);
  assert.equal(rig.observers, 0);
});

test("a component that suspends longer than an unmounted one is waited for is woken, and its list comes", async () => {
  const rig = new Rig();
  const first = rig.store.ready();
  rig.clock.advance(10_000);
  await first;
  assert.equal(rig.store.getSnapshot().isLoading, true);
  const second = rig.store.ready();
  await rig.answer(0, "1");
  await second;
  assert.deepEqual(rig.ids, ["1"]);
  rig.clock.advance(10_000);
  assert.equal(rig.observers, 0);
});
