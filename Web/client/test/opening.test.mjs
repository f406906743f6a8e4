// Opening a cache, and the errors if this fails: nothing waits forever, and nothing is silently ignored.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { IndexedDBJournal, connectServe } from "../dist/index.js";
import { policyOfRules } from "../dist/policy/index.js";
import { SharedCache } from "../dist/tabs/index.js";
import { ExactNumber, MemoryJournal, NormalizedCache, parseExact, stringifyExact } from "./support/client.mjs";

const line = (sequence) => JSON.stringify({ sequence, event: { ResourceChanged: { resource_type: "file", resource: { id: "a" } } } });
const refusal = (reason) => ({ name: "CacheError", code: "storage_failed", message: `the journal cannot be used: ${reason}` });

test("every request is refused with the reason where the journal cannot be opened, before and after that is known", async () => {
  let fail = null;
  const open = () => new Promise((_, reject) => { fail = reject; });
  const cache = new NormalizedCache({ journal: { open, commit: async () => undefined, close: async () => undefined } });
  const early = [
    cache.calls.entity.get({ resource_type: "file", id: "a" }), cache.calls.query.observe({ method: "files" }), cache.flush(),
    cache.calls.optimistic.update({ pending_id: "p", changes: [] }), cache.calls.cache.caught_up({ sequence: 1 }),
  ];
  cache.ingest(line(1));
  await new Promise((resolve) => { setImmediate(resolve); });
  fail(new Error("a newer version wrote it"));
  for (const request of early) await assert.rejects(request, refusal("a newer version wrote it"));
  await assert.rejects(cache.ready, { message: "a newer version wrote it" });
  await assert.rejects(cache.calls.entity.get({ resource_type: "file", id: "a" }), refusal("a newer version wrote it"));
  const outcome = await new Promise((resolve) => { cache.port.perform("entity.get", "{}", () => undefined, resolve); });
  assert.equal(outcome.code, "storage_failed");
  assert.throws(() => cache.ingest(line(2)), refusal("a newer version wrote it"));
  await cache.close();
});

test("a program without IndexedDB hears why its requests fail", async () => {
  const cache = new NormalizedCache({ journal: new IndexedDBJournal() });
  await assert.rejects(
    cache.calls.entity.get({ resource_type: "file", id: "a" }),
    refusal("there is no IndexedDB here: make the cache without a journal, or with another one"));
  // A request whose rejection is not handled ends with the reason, not silently.
  const program = `import { IndexedDBJournal, NormalizedCache } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
    const cache = new NormalizedCache({ journal: new IndexedDBJournal() });
    await cache.calls.query.observe({ method: "files" });`;
  assert.throws(() => execFileSync(process.execPath, ["--input-type=module", "-e", program], { stdio: "pipe" }),
    ({ status, stderr }) => status === 1 && stderr.toString().includes("there is no IndexedDB here"));
});

test("what waits for a journal has a bound", async () => {
  const journal = { open: () => new Promise(() => undefined), commit: async () => undefined, close: async () => undefined };
  const cache = new NormalizedCache({ journal, limits: { aheadByteCountMax: 100 } });
  cache.ingest(line(1));
  assert.throws(() => cache.ingest(line(2)), { code: "limit_exceeded" });
  await assert.rejects(cache.calls.entity.get({ resource_type: "file", id: "a" }), { code: "limit_exceeded" });
});

test("a request of a component is answered after the cache was closed", async () => {
  const cache = new NormalizedCache();
  await cache.close();
  const outcome = await new Promise((resolve) => { cache.port.perform("query.observe", "{\"method\":\"files\"}", () => undefined, resolve); });
  assert.equal(outcome.code, "storage_failed");
});

test("null is no upstream and no journal", async () => {
  const cache = new NormalizedCache({ upstream: null, journal: null });
  await assert.rejects(cache.calls.query.read({ method: "files" }), { code: "upstream_failed" });
  await cache.close();
});

for (const [name, make] of Object.entries({
  "a cache": () => new NormalizedCache({ upstraem: {} }),
  "its limits": () => new NormalizedCache({ limits: { entityCountMaximum: 1 } }),
  "a shared cache": () => new SharedCache({ name: "x", journal: new MemoryJournal() }),
  "a rule": () => policyOfRules([{ type: "photo", maxage: 5 }]),
  "a journal": () => new IndexedDBJournal({ whenlocked: "fail" }),
  "a connection": () => connectServe("http://127.0.0.1:1", "t", { retry: true }),
})) {
  test(`a misspelt option of ${name} is refused`, () => {
    assert.throws(make, ({ code, message }) => code === "invalid_params" && /^there is no option \w+: pass /.test(message));
  });
}

test("a number past 2^53 keeps its digits in JSON.stringify as a text, and in stringifyExact as a number", () => {
  const input = parseExact("{\"id\":9007199254740993}");
  assert.ok(input.id instanceof ExactNumber);
  assert.equal(JSON.stringify(input), "{\"id\":\"9007199254740993\"}");
  assert.equal(stringifyExact(input), "{\"id\":9007199254740993}");
  assert.equal(`${input.id}`, "9007199254740993");
});
