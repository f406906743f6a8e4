// The whole benchmark runs at a small size; its output shows that it did the work.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

test("the benchmark runs at a small size, and does the same work each time", () => {
  const path = fileURLToPath(new URL("../bench/bench.mjs", import.meta.url));
  const told = Array.from({ length: 2 }, () => {
    const output = execFileSync(process.execPath, [path, "--smoke"], { encoding: "utf8" });
    assert.match(output, /^updates with 10 observers, events a second +[0-9]/m);
    assert.match(output, /^updates with 10 views, ordered by created +[0-9]/m);
    return [/(\d+) operations told/.exec(output)?.[1], /(\d+) operations of views/.exec(output)?.[1]];
  });
  assert.deepEqual(told[0], told[1]);
});
