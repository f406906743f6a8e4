// Policies: maximum ages from a schema, and cascading deletes. Random walks with a policy are in cross.test.mjs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MemoryJournal, NormalizedCache } from "../dist/index.js";
import { policyOf, policyOfRules } from "../dist/policy/index.js";

const song = JSON.parse(readFileSync(new URL("support/policy.json", import.meta.url), "utf8"));

/** A clock that only the test advances. */
class Clock {
  time = 1_000_000;

  now() { return this.time; }

  schedule() { return () => undefined; }
}

const put = (type, resource) => JSON.stringify({ event: { ResourceChanged: { resource_type: type, resource } } });

test("a field is too old at its own age, and the type's age is that of the others", async () => {
  const clock = new Clock();
  const cache = new NormalizedCache({ clock, policy: policyOfRules([{ type: "photo", maxAge: 100, fields: { rating: 10 } }]) });
  cache.ingest(put("photo", { id: "a", rating: 5, name: "sea" }));
  const read = (fields) => cache.calls.entity.get({ resource_type: "photo", id: "a", fields });
  assert.equal((await read()).miss, null);
  clock.time += 10_000;
  assert.deepEqual((await read()).expired, { field: "rating", written_at: 1_000_000, max_age: 10 });
  assert.equal((await read(["name"])).miss, null);
  clock.time += 90_000;
  assert.equal((await read(["name"])).miss, "expired");
  const { fields } = await cache.calls.cache.explain({ resource_type: "photo", id: "a" });
  assert.deepEqual(fields.map(({ name, max_age, rule, stale }) => [name, max_age, rule, stale]), [
    ["id", 100, "schema_type", true], ["rating", 10, "schema_field", true], ["name", 100, "schema_type", true],
  ]);
  // A read's own limits override those of the policy.
  assert.equal((await cache.calls.entity.get({ resource_type: "photo", id: "a", max_ages: { photo: 1_000 } })).miss, null);
});

test("a field that holds objects has the lowest limit of what is inside", async () => {
  const cache = new NormalizedCache({ policy: policyOf(song) });
  cache.ingest(put("file", { id: "a", meta: { a: 1, b: 2 }, tags: [{ id: "t", kind: "x" }], name: "n" }));
  const { fields } = await cache.calls.cache.explain({ resource_type: "file", id: "a" });
  assert.deepEqual(fields.map(({ name, max_age, rule }) => [name, max_age, rule]), [
    ["id", 3_600, "schema_type"], ["meta", 60, "schema_field"], ["tags", 0, "schema_field"], ["name", 3_600, "schema_type"],
  ]);
});

const chain = policyOfRules([{ type: "folder", cascades: { children: "folder", cover: "photo" } }]);

function tree(options = {}) {
  const cache = new NormalizedCache({ policy: chain, ...options });
  cache.ingest([
    put("folder", { id: "a", children: ["b", { id: "c" }], cover: "p" }), put("folder", { id: "b", children: [["a"]] }),
    put("folder", { id: "c", children: null, cover: { id: null, uuid: "q" } }), put("photo", { id: "p" }), put("photo", { id: "q" }),
    put("folder", { id: "d" }),
  ].join("\n"));
  return cache;
}

const keys = (cache) => cache.export().map((line) => JSON.parse(line)).map(({ resource_type, id }) => `${resource_type}:${id}`);
const gone = ["folder:d"];

test("a delete takes along what it refers to, in one notification for each list", async () => {
  const cache = tree();
  await cache.calls.query.put({
    method: "all", resource_type: "folder", local: true, membership: { resource_type: "folder" },
  });
  await cache.calls.query.observe({ method: "all", policy: "cacheOnly" });
  const patches = [];
  cache.on("query.changed", ({ patch }) => patches.push(patch.length));
  cache.ingest(JSON.stringify({ event: { ResourceDeleted: { resource_type: "folder", resource_id: "a" } } }));
  assert.deepEqual(keys(cache), gone);
  assert.deepEqual(patches, [3]);
  assert.equal((await cache.calls.entity.get({ resource_type: "photo", id: "q" })).miss, "deleted");
});

test("a removal takes along where it is asked to, and leaves no tombstone", async () => {
  const cache = tree();
  assert.deepEqual(await cache.calls.cache.remove({ resource_type: "folder", ids: ["c"] }), { removed: 1 });
  assert.deepEqual(await tree().calls.cache.remove({ resource_type: "folder", ids: ["c"], cascade: true }), { removed: 2 });
  const other = tree();
  assert.deepEqual(await other.calls.cache.remove({ resource_type: "folder", ids: ["a"], cascade: true }), { removed: 5 });
  assert.equal((await other.calls.entity.get({ resource_type: "photo", id: "q" })).miss, "absent");
});

test("later steps of a transaction may put again what an earlier one deleted along", async () => {
  const cache = tree();
  await cache.calls.cache.transaction({
    operations: [
      { op: "patch", resource_type: "folder", id: "a", fields: { children: ["d"] } },
      { op: "delete", resource_type: "folder", id: "a" }, { op: "put", resource_type: "photo", resource: { id: "p", again: true } },
    ],
  });
  assert.deepEqual(keys(cache), ["folder:b", "folder:c", "photo:p", "photo:q"]);
});

test("an edit hides what its delete takes along, until it is rolled back, over a restart too", async () => {
  const journal = new MemoryJournal();
  const first = tree({ journal });
  await first.ready;
  await first.calls.optimistic.update({ pending_id: "x", changes: [{ op: "delete", resource_type: "folder", id: "a" }] });
  const listed = { resource_type: "folder", id: "a" };
  const expected = {
    pending_id: "x", state: "pending", changes: [{ op: "delete", ...listed }], library_id: "", depends_on: [],
    along: [
      { resource_type: "folder", id: "b" }, { resource_type: "folder", id: "c" }, { resource_type: "photo", id: "p" },
      { resource_type: "photo", id: "q" },
    ],
  };
  assert.deepEqual((await first.calls.optimistic.list()).pending, [expected]);
  await first.close();
  const cache = new NormalizedCache({ policy: chain, journal });
  await cache.ready;
  assert.deepEqual((await cache.calls.optimistic.list()).pending, [expected]);
  assert.equal((await cache.calls.entity.get({ resource_type: "photo", id: "q" })).entity, null);
  await cache.calls.optimistic.rollback({ pending_id: "x" });
  assert.deepEqual((await cache.calls.entity.get({ resource_type: "photo", id: "q" })).entity, { id: "q" });
  await cache.close();
});

test("rules that are none are refused", () => {
  assert.throws(() => policyOf({ ok: false, types: [] }), RangeError);
  assert.throws(() => policyOfRules([{ type: "a" }, { type: "a" }]), RangeError);
  for (const maxAge of [-1, 0.5, 2 ** 31]) assert.throws(() => policyOfRules([{ type: "a", maxAge }]), RangeError);
});
