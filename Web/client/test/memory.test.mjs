// Memory: stored entities keep nothing else alive. Restarts Node with access to the garbage collector.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const program = `
  import { NormalizedCache, loadParts } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
  await loadParts();
  const encoder = new TextEncoder();
  const lines = (from, text) => encoder.encode(Array.from({ length: 1_000 }, (_, index) => JSON.stringify({
    sequence: from + index + 1,
    event: { ResourceChanged: { resource_type: "file", resource: { id: "an id of some length " + (index % 500 === 0 ? from : "x"), text } } },
  }) + "\\n").join(""));
  const used = () => { globalThis.gc(); return process.memoryUsage().heapUsed; };
  const cache = new NormalizedCache();
  const filled = (count, from, text) => { for (let at = 0; at < count; at += 1) cache.ingest(lines(from + at * 1_000, text)); };
  filled(5, 0, process.argv[1]);
  const before = used();
  filled(40, 5_000, process.argv[1]);
  console.log(JSON.stringify({ grown: used() - before, events: cache.gaps()[""].sequence }));
  await cache.close();
`;

for (const [name, text] of [["ASCII", "a text of a resource"], ["wider characters", "ein Text für eine Ressource, 文"], ["escapes", "a \n text"]]) {
  test(`an entity keeps nothing of the chunk it came in: ${name}`, () => {
    const said = JSON.parse(execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", program, text], {
      encoding: "utf8", cwd: fileURLToPath(new URL("..", import.meta.url)),
    }));
    assert.equal(said.events, 45_000);
    // Forty chunks of 130 kB with one new entity each: their texts would be 5 MB.
    assert.ok(said.grown < 1e6, `${said.grown} bytes`);
  });
}
