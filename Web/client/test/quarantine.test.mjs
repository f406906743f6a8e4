// Quarantined lines that are retried. Protocol/sessions.md, quarantine.retry.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NormalizedCache, loadParts } from "../dist/index.js";
import { addInspection } from "../dist/inspection/index.js";

await loadParts();

function line(library_id, resource_type, sequence) {
  return JSON.stringify({ library_id, sequence, event: { ResourceChanged: { resource_type, resource: { id: "a", n: sequence } } } });
}

test("a retried line that is one library or one type too many stays in quarantine", async () => {
  const limits = { libraryCountMax: 1, typeCountMax: 1 };
  const cache = new NormalizedCache({ limits });
  addInspection(cache);
  for (const text of [line("L", "file", 1), line("M", "file", 1), line("L", "tag")]) cache.ingest(text);
  const reasons = () => cache.quarantine().map(({ reason }) => reason);
  assert.deepEqual(reasons(), ["too_many_libraries", "bad_type"]);
  assert.deepEqual(await cache.call("quarantine.retry", { all: true }), { retried: 2, applied: 0, superseded: 0, remaining: 2 });
  assert.deepEqual(reasons(), ["too_many_libraries", "bad_type"]);
  // With more room they take effect.
  cache.engine.state.limits.libraryCountMax = 2;
  cache.engine.state.limits.typeCountMax = 2;
  assert.deepEqual(await cache.call("quarantine.retry", { all: true }), { retried: 2, applied: 2, superseded: 0, remaining: 0 });
  assert.equal(cache.export().length, 3);
  await cache.close();
});
