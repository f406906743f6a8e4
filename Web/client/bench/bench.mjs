// Measures the published client in Node and (with chromium.mjs) in a browser, next to the figures of other libraries
// for the same work as published in docs/benchmarks.md. --smoke runs a small size, as the tests do. Memory needs
// --expose-gc.

import { NormalizedCache, loadParts } from "../bundle/index.js";
import { teamRule, viewWorkload } from "./views.mjs";
import { workload } from "./workload.mjs";

// The work is measured without the loading of parts.
await loadParts();
const { process } = globalThis;
const isSmoke = process === undefined ? globalThis.isSmoke : process.argv.includes("--smoke");
/** Returns the bytes of the heap in use. */
const heap = () => process === undefined ? performance.memory.usedJSHeapSize : process.memoryUsage().heapUsed;
const host = process === undefined ? /Chrome\/[0-9.]+/.exec(navigator.userAgent)?.[0] : `node ${process.version}`;
const [entityCount, updateCount, listCount, listLength] = isSmoke ? [2_000, 4_000, 10, 100] : [100_000, 200_000, 100, 1_000];
const CHUNK = 256 << 10;
/** The number of runs whose median is reported, each with a cache of its own. */
const RUNS = isSmoke ? 1 : 5;

/** Returns lines as chunks of bytes, as a connection delivers them. */
function chunks(lines) {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) => bytes.subarray(index * CHUNK, (index + 1) * CHUNK));
}

function timed(body) {
  const start = performance.now();
  body();
  return performance.now() - start;
}

function median(values) { return [...values].sort((left, right) => left - right)[values.length >> 1]; }

// The input is kept as bytes: as a million more objects it would slow down each garbage collection.
const { library, lists, load, updates } = workload(entityCount, updateCount, listCount, listLength);
const parse = median(Array.from({ length: RUNS }, () => timed(() => { for (const line of load) JSON.parse(line); })));
const beginning = chunks(load.slice(0, 2_000));
const loading = chunks(load);
const updating = chunks(updates);
load.length = updates.length = 0;
const results = [];
const report = (name, value, unit, goal, peers) => {
  results.push({ name, value, unit, goal });
  const shown = value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
  console.log(`${name.padEnd(44)} ${shown.padStart(10)} ${unit.padEnd(8)} goal ${goal.padEnd(12)} ${peers}`);
};

// Runs a small cache first, so that the heap of the entities does not include the code, which is compiled on first use.
const first = new NormalizedCache();
for (const chunk of beginning) first.ingest(chunk);
await first.close();
globalThis.gc?.();
const before = heap();
const loads = [];
const updatesAlone = [];
let entityBytes = 0;
for (let run = 0; run < RUNS; run += 1) {
  const cache = new NormalizedCache();
  loads.push(timed(() => { for (const chunk of loading) cache.ingest(chunk); }));
  globalThis.gc?.();
  if (run === 0) entityBytes = heap() - before;
  updatesAlone.push(timed(() => { for (const chunk of updating) cache.ingest(chunk); }));
  await cache.close();
  globalThis.gc?.();
}
const perSecond = (count, milliseconds) => count / milliseconds * 1_000;
report("load, events a second", perSecond(entityCount, median(loads)), "", ">= 200,000", "Zero 108 k, Apollo 26 k, TanStack DB 11 k");
report("load, the first one of the page", perSecond(entityCount, loads[0]), "", "", "the same, while its code is compiled");
report("load, beside JSON.parse alone", median(loads) / parse, "times", "", "");
if (globalThis.gc !== undefined) {
  report("heap of the entities", entityBytes / 1e6, "MB", "<= 60", "Zero 141, TanStack DB 361, Apollo 1,373");
}
report("updates without observers, events a second", perSecond(updateCount, median(updatesAlone)), "", ">= 200,000", "");

let told = 0;
const watched = new NormalizedCache();
watched.on("query.changed", ({ patch }) => { told += patch.length; });
for (const chunk of loading) watched.ingest(chunk);
for (const [index, ids] of lists.entries()) {
  await watched.calls.query.put({
    method: "list", input: index, library_id: library, resource_type: "file", resources: ids.map((id) => ({ id })),
  });
  await watched.calls.query.observe({ method: "list", input: index, library_id: library });
}
const watching = timed(() => { for (const chunk of updating) watched.ingest(chunk); });
report(`updates with ${listCount} observers, events a second`, perSecond(updateCount, watching), "", ">= 40,000", "Zero 16 k, TanStack DB 1.5 k, Apollo 71");

const request = { method: "list", input: 1, library_id: library, policy: "cacheOnly" };
await watched.calls.query.read(request);
/** Times a step in batches, because a browser's clock is coarse. Returns the median of the batches' means. */
async function timedSteps(body) {
  const means = [];
  for (let batch = 0; batch < 10; batch += 1) {
    const start = performance.now();
    for (let step = 0; step < 20; step += 1) await body(batch * 20 + step);
    means.push((performance.now() - start) / 20);
  }
  return median(means);
}

report(`a list of ${listLength}, unchanged`, await timedSteps(() => watched.calls.query.read(request)), "ms", "<= 0.02", "Apollo 0.09");

report("an edit and its way back", await timedSteps(async (step) => {
  const pending_id = `edit-${step}`;
  await watched.calls.optimistic.update({
    library_id: library, pending_id,
    changes: [{ op: "patch", resource_type: "file", id: lists[0][step % lists[0].length], fields: { favorite: true } }],
  });
  await watched.calls.optimistic.rollback({ pending_id });
}), "ms", "<= 0.1", "TanStack DB 0.52, Apollo 47");
console.log(`${host}, ${entityCount} entities, ${updateCount} updates, ${told} operations told, ${new Date().toISOString().slice(0, 10)}`);
await watched.close();

// Views: a join, filtered by a parameter, ordered and cut. Ordered by `modified`, every update moves a row of a view.
const views = viewWorkload(entityCount, updateCount, listCount);
const [loadingViews, updatingViews] = [chunks(views.load), chunks(views.updates)];
views.load.length = views.updates.length = 0;
let operations = 0;
for (const [field, goal] of [["created", ">= 40,000"], ["modified", ""]]) {
  const cache = new NormalizedCache();
  cache.on("view.changed", ({ patch }) => { operations += patch.length; });
  for (const chunk of loadingViews) cache.ingest(chunk);
  for (let team = 0; team < listCount; team += 1) await cache.calls.view.observe({ view: teamRule(field), params: { team } });
  const following = timed(() => { for (const chunk of updatingViews) cache.ingest(chunk); });
  report(`updates with ${listCount} views, ordered by ${field}`, perSecond(updateCount, following), "", goal, "");
  await cache.close();
}
console.log(`${operations} operations of views told`);
globalThis.isDone = true;
