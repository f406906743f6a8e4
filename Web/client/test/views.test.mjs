// Live views where the random worlds do not look: mistakes that others made, eviction, storage, tabs and React.

import assert from "node:assert/strict";
import { test } from "node:test";
import { viewStore } from "../dist/react/store.js";
import { Subscription } from "../dist/tabs/subscription.js";
import { textOf } from "../dist/out/value.js";
import { defaultLimits } from "../dist/model/limits.js";
import { parseView } from "../dist/views/parse.js";
import { bind } from "../dist/views/binding.js";
import { ViewSet } from "../dist/views/view-set.js";
import { MemoryJournal, NormalizedCache } from "./support/client.mjs";
import { ManualClock } from "./support/clock.mjs";
import { applyPatch } from "./support/views/patch.mjs";

const changed = (resource_type, resource) => ({ ResourceChanged: { resource_type, resource } });
const batch = (resource_type, ...resources) => ({ ResourceBatchChanged: { resource_type, resources } });

/** A cache with one observed view. */
class Rig {
  notices = [];

  static async open(events, view, more = {}, options = {}) {
    const rig = new Rig();
    rig.cache = new NormalizedCache(options);
    await rig.cache.ready;
    rig.send(...events);
    rig.cache.on("view.changed", (notice) => rig.notices.push(notice));
    rig.cache.on("view.ended", (notice) => rig.notices.push(notice));
    rig.view = view;
    rig.more = more;
    const { rows, subscription } = await rig.cache.calls.view.observe({ view, ...more });
    rig.rows = rows;
    rig.subscription = subscription;
    return rig;
  }

  send(...events) { for (const event of events) this.cache.ingest({ event }); }

  /** Returns the patches since the last call, after comparing what they lead to with a fresh read. */
  async patches() {
    const notices = this.notices.splice(0);
    for (const { patch } of notices) this.rows = applyPatch(this.rows, patch);
    const { rows } = await this.cache.calls.view.read({ view: this.view, ...this.more });
    assert.deepEqual(this.rows, rows);
    return notices.map(({ patch }) => patch);
  }
}

// Mistakes that others made

test("a join keeps a parent whose child leaves and comes back in one batch", async () => {
  const view = { from: "parent", joins: [{ type: "child", on: { "/parent": "parent@key" } }], select: { id: "parent/id", n: "child/n" } };
  const rig = await Rig.open([changed("parent", { id: "p" }), changed("child", { id: "c", parent: "p", n: 1 })], view);
  rig.send(batch("child", { id: "c", parent: "other", n: 1 }, { id: "c", parent: "p", n: 1 }));
  assert.deepEqual(await rig.patches(), []);
  rig.send(batch("child", { id: "c", parent: "other", n: 1 }, { id: "c", parent: "p", n: 2 }));
  assert.deepEqual(await rig.patches(), [[{ op: "replace", path: "/0/n", value: 2 }]]);
});

test("an include is changed where it changed, and not built anew", async () => {
  const view = { from: "issue", include: { comments: { type: "comment", on: { "/issue": "issue@key" }, order: [{ path: "/n" }] } } };
  const comments = Array.from({ length: 50 }, (_, n) => ({ id: `c${n}`, issue: "i", n, text: "x" }));
  const rig = await Rig.open([changed("issue", { id: "i" }), batch("comment", ...comments)], view);
  rig.send(changed("comment", { ...comments[20], text: "y" }));
  assert.deepEqual(await rig.patches(), [[{ op: "replace", path: "/0/comments/20/text", value: "y" }]]);
  rig.send(changed("comment", { ...comments[40], n: -1 }));
  assert.deepEqual(await rig.patches(), [
    [{ op: "move", from: "/0/comments/40", path: "/0/comments/0" }, { op: "replace", path: "/0/comments/0/n", value: -1 }],
  ]);
});

test("a window is filled again after many deletes, at once and one after the other", async () => {
  const all = Array.from({ length: 40 }, (_, n) => ({ id: `f${String(n).padStart(2, "0")}`, n }));
  const view = { from: "f", order: [{ path: "/n" }], limit: 5, offset: 2 };
  const rig = await Rig.open([batch("f", ...all)], view);
  for (let n = 0; n < 20; n += 1) {
    rig.send({ ResourceDeleted: { resource_type: "f", resource_id: all[n].id } });
    assert.ok((await rig.patches()).length <= 1);
  }
  await rig.cache.calls.cache.remove({ resource_type: "f", ids: all.slice(20, 36).map(({ id }) => id) });
  assert.equal((await rig.patches()).length, 1);
  assert.deepEqual(rig.rows.map(({ n }) => n), [38, 39]);
});

test("null and absent join with nothing, also with each other", async () => {
  const view = { from: "a", joins: [{ type: "b", on: { "/x": "a/x" } }], select: { a: "a/id", b: "b/id" } };
  const rig = await Rig.open([batch("a", { id: 1, x: null }, { id: 2 }, { id: 3, x: 0 }), batch("b", { id: 1, x: null }, { id: 2 }, { id: 3, x: 0 })], view);
  assert.deepEqual(rig.rows, [{ a: 3, b: 3 }]);
  rig.send(changed("b", { id: 1, x: 0 }), changed("a", { id: 3, x: null }));
  assert.deepEqual(await rig.patches(), [[{ op: "add", path: "/0", value: { a: 3, b: 1 } }], [{ op: "remove", path: "/1" }, { op: "remove", path: "/0" }]]);
});

test("a group that loses its last member and gains one in one transaction stays", async () => {
  const view = { from: "a", group: { k: "a/k" }, aggregates: { n: { count: true }, m: { max: "a/v" } } };
  const rig = await Rig.open([batch("a", { id: 1, k: "x", v: 1 }, { id: 2, k: "y", v: 2 })], view);
  await rig.cache.calls.cache.transaction({ operations: [
    { op: "put", resource_type: "a", resource: { id: 1, k: "y", v: 2 } }, { op: "put", resource_type: "a", resource: { id: 3, k: "x", v: 1 } },
  ] });
  assert.deepEqual(await rig.patches(), [[{ op: "replace", path: "/1/n", value: 2 }]]);
});

test("a view over an empty type, or an unknown library, has its result at once", async () => {
  const rig = await Rig.open([], { from: "nothing", total: true });
  assert.deepEqual(rig.rows, []);
  rig.send(changed("nothing", { id: 1 }));
  assert.deepEqual(await rig.patches(), [[{ op: "add", path: "/0", value: { id: 1 } }]]);
  const { rows, total, as_of } = await rig.cache.calls.view.read({ view: { from: "a", total: true }, library_id: "unknown" });
  assert.deepEqual([rows, total, as_of], [[], 0, null]);
  await rig.cache.calls.view.define({ name: "empty", view: { from: "none" } });
  assert.equal((await rig.cache.calls.view.list()).views[0].state, "live");
});

// Eviction

test("an eviction makes a view stale until it is observed anew; a removal makes nothing stale", async () => {
  const options = { limits: { entityCountMax: 4 } };
  const rig = await Rig.open([batch("a", { id: 1 }, { id: 2 }), batch("b", { id: 1 }, { id: 2 })], { from: "a" }, {}, options);
  await rig.cache.calls.cache.remove({ resource_type: "a", ids: [2] });
  assert.deepEqual(await rig.patches(), [[{ op: "remove", path: "/1" }]]);
  const stale = async (view) => (await rig.cache.calls.view.read({ view })).stale;
  assert.equal(await stale({ from: "a" }), false);
  await rig.cache.calls.view.define({ name: "bs", view: { from: "b" } });
  await rig.cache.calls.view.drop({ name: "bs" });
  // Entities of other types leave first.
  rig.send(batch("c", { id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }));
  await rig.cache.flush();
  assert.deepEqual([await stale({ from: "a" }), await stale({ from: "b" })], [false, true]);
  assert.deepEqual(rig.notices, []);
  rig.send(batch("a", { id: 3 }, { id: 4 }, { id: 5 }, { id: 6 }, { id: 7 }, { id: 8 }));
  await rig.cache.flush();
  const told = rig.notices.map(({ stale: isStale }) => isStale);
  assert.equal(told[told.length - 1], true);
  await rig.patches();
  assert.equal(await stale({ from: "a" }), true);
  assert.equal((await rig.cache.calls.view.observe({ view: { from: "a" } })).stale, false);
  await rig.cache.close();
});

// Storage

test("a definition that cannot be written is refused, and reverted", async () => {
  const journal = new MemoryJournal();
  const clock = new ManualClock(1_700_000_000_000);
  const rig = await Rig.open([changed("a", { id: 1 })], { from: "a" }, {}, { journal, clock });
  await rig.cache.calls.view.define({ name: "kept", view: { from: "a" } });
  journal.failure = new Error("the disk is broken");
  for (const request of [
    () => rig.cache.calls.view.define({ name: "new", view: { from: "a" } }), () => rig.cache.calls.view.define({ name: "kept", view: { from: "b" } }),
    () => rig.cache.calls.view.drop({ name: "kept" }),
  ]) {
    const refused = assert.rejects(request(), { code: "storage_failed" });
    // After a failure the next attempt waits.
    clock.advance(60_000);
    await refused;
  }
  const { views } = await rig.cache.calls.view.list();
  assert.deepEqual(views.map(({ name, view }) => [name, view]), [["kept", { from: "a" }]]);
  journal.failure = null;
  const closed = rig.cache.close();
  await new Promise((resolve) => { setImmediate(resolve); });
  clock.advance(60_000);
  await closed;
  const next = new NormalizedCache({ journal });
  assert.deepEqual((await next.calls.view.list()).views.map(({ name, rows }) => [name, rows]), [["kept", 1]]);
  await next.close();
});

test("a damaged definition is left out and reported; the others are there", async () => {
  const journal = new MemoryJournal();
  const first = new NormalizedCache({ journal });
  for (const name of ["one", "two", "three"]) await first.calls.view.define({ name, view: { from: "a" } });
  await first.close();
  const { views } = await journal.open();
  const [one, two] = [...views.keys()];
  views.set(one, { ...views.get(one), rule: "{\"from\":" });
  views.set(two, { ...views.get(two), rule: "{\"form\":\"a\"}" });
  const next = new NormalizedCache({ journal });
  assert.deepEqual((await next.calls.view.list()).views.map(({ name }) => name), ["three"]);
  assert.deepEqual(next.damage().map(({ store, key }) => [store, key]), [["views", one], ["views", two]]);
  await next.close();
});

// Limits

test("a result with more rows than are allowed fails, and a limit helps", () => {
  const entities = { forEach: (_type, body) => { for (let id = 0; id < 10; id += 1) body(String(id), `{"id":${id}}`); }, isKnown: () => true };
  const set = new ViewSet(entities, new Map(), { ...defaultLimits, rowCountMax: 9, useCountMax: 2 });
  const rule = (more) => parseView(JSON.stringify({ from: "a", ...more }));
  const use = set.hold(rule({}), bind(rule({}), null));
  assert.equal(set.open(use, null, null).isTooLarge, true);
  assert.equal(set.open(use, 1, null).order.length, 9);
  assert.notEqual(set.hold(rule({ limit: 1 }), bind(rule({ limit: 1 }), null)), null);
  assert.equal(set.hold(rule({ limit: 2 }), bind(rule({ limit: 2 }), null)), null);
});

test("the limits of views are options of the cache, and an observer whose result becomes too large ends", async () => {
  const limits = { rowCountMax: 2, viewCountMax: 1, ruleByteCountMax: 40 };
  const rig = await Rig.open([batch("a", { id: 1 }, { id: 2 })], { from: "a" }, {}, { limits });
  const { view } = rig.cache.calls;
  await assert.rejects(view.observe({ view: { from: "a", limit: 1 } }), { code: "limit_exceeded" });
  await assert.rejects(view.read({ view: { from: "a", order: [{ path: "a/some-long-name" }] } }), { code: "invalid_params" });
  rig.send(changed("a", { id: 3 }));
  const [ended] = rig.notices;
  assert.deepEqual([ended.subscription, typeof ended.reason], [rig.subscription, "string"]);
  await assert.rejects(view.read({ view: { from: "a" } }), { code: "limit_exceeded" });
  assert.equal((await view.read({ view: { from: "a" }, limit: 2 })).rows.length, 2);
  assert.equal(rig.cache.engine.observers.size, 0);
  await view.observe({ view: { from: "a" }, limit: 2 });
});

test("views that nobody observes cost nothing and leave nothing", async () => {
  const rig = await Rig.open([changed("a", { id: 1 })], { from: "a" });
  const { state } = rig.cache.engine;
  assert.notEqual(state.views, null);
  await rig.cache.calls.observe.cancel({ subscription: rig.subscription });
  assert.equal(state.views, null);
  assert.equal(state.hasReaders, false);
  assert.equal(rig.cache.engine.observers.size, 0);
});

// React

test("a row that stays keeps its identity in React, and so do the parts of a row that stay", async () => {
  const cache = new NormalizedCache();
  const view = { from: "issue", include: { votes: { type: "vote", on: { "/issue": "issue@key" } } }, total: true };
  cache.ingest({ event: batch("issue", { id: 1, labels: { a: 1 } }, { id: 2 }) });
  cache.ingest({ event: changed("vote", { id: 1, issue: 1 }) });
  const store = viewStore(cache, { view });
  let renderCount = 0;
  const unmount = store.subscribe(() => { renderCount += 1; });
  await store.ready();
  const before = store.getSnapshot().data;
  assert.deepEqual([before.rows.length, before.total, before.missing], [2, 2, 0]);
  const former = renderCount;
  cache.ingest({ event: changed("vote", { id: 2, issue: 1 }) });
  const { rows } = store.getSnapshot().data;
  assert.equal(renderCount, former + 1);
  assert.equal(rows[1], before.rows[1]);
  assert.notEqual(rows[0], before.rows[0]);
  assert.equal(rows[0].labels, before.rows[0].labels);
  assert.equal(rows[0].votes[0], before.rows[0].votes[0]);
  cache.ingest({ event: changed("other", { id: 1 }) });
  assert.equal(renderCount, former + 1);
  unmount();
  await cache.close();
});

test("a view that ends shows an error in React and keeps its rows", async () => {
  const cache = new NormalizedCache();
  cache.ingest({ event: changed("a", { id: 1 }) });
  await cache.calls.view.define({ name: "as", view: { from: "a" } });
  const store = viewStore(cache, { view: "as" });
  const unmount = store.subscribe(() => undefined);
  await store.ready();
  await cache.calls.view.drop({ name: "as" });
  const { data, error } = store.getSnapshot();
  assert.deepEqual([data.rows, error.code], [[{ id: 1 }], "unknown_subscription"]);
  unmount();
  await cache.close();
});

// Tabs

test("a following tab keeps its view over a change of the writing tab", () => {
  const told = [];
  const hear = ({ method, params }) => told.push([method, JSON.parse(textOf(params))]);
  const subscription = new Subscription(7, "view.observe", "{\"view\":{\"from\":\"a\"},\"limit\":3,\"keys\":true}", hear);
  const rest = "\"as_of\":1,\"stale\":false,\"pending\":false,\"missing\":0";
  subscription.begin(`{"rows":[{"id":1,"n":1.0,"in":[{"x":1},{"x":2}]},{"id":2}],"keys":[["a:1"],["a:2"]],${rest},"subscription":3}`);
  const patch = JSON.stringify([
    { op: "move", from: "/0/in/1", path: "/0/in/0" }, { op: "replace", path: "/0/in/0/x", value: 3 },
    { op: "add", path: "/1/b~1c", value: null }, { op: "remove", path: "/0/n" },
  ]);
  subscription.tell("view.changed", `{"subscription":3,"patch":${patch},"keys":[],${rest},"missed":0}`);
  assert.equal(told[0][1].subscription, 7);
  subscription.move("{\"subscription\":7,\"limit\":null,\"offset\":1}");
  assert.equal(subscription.json, "{\"view\":{\"from\":\"a\"},\"limit\":3,\"keys\":true,\"offset\":1}");
  // The new writing tab has the same rows: nothing is told.
  subscription.resume(`{"rows":[{"id":1,"in":[{"x":3},{"x":1}]},{"id":2,"b/c":null}],"keys":[["a:1"],["a:2"]],${rest},"subscription":4}`);
  assert.equal(told.length, 1);
  const other = rest.replace("\"missing\":0", "\"missing\":1");
  subscription.resume(`{"rows":[{"id":1,"in":[{"x":3},{"x":1}]},{"id":4}],"keys":[["a:1"],["a:4"]],${other},"subscription":5}`);
  assert.deepEqual(told[1], ["view.changed", {
    subscription: 7, patch: [{ op: "remove", path: "/1" }, { op: "add", path: "/1", value: { id: 4 } }], keys: [["a:4"]], as_of: 1, stale: false,
    pending: false, missing: 1, missed: 1,
  }]);
});
