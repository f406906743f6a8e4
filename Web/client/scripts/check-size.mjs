// The size of the client as a page loads it: bundled, minified and compressed. Fails past the bound.

import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** What the client is to take in the end, and what it may take until then. */
const GOAL = 25_000;
const BYTE_COUNT_MAX = 62_000;

/** Bundles an entry and returns the number of its bytes, and of those that go over the network. */
function size(entry) {
  const bundle = execFileSync("esbuild", [
    join(root, entry), "--bundle", "--minify", "--format=esm", "--target=es2020", "--external:react",
  ], { maxBuffer: 1 << 26 });
  return { bytes: bundle.length, compressed: gzipSync(bundle, { level: 9 }).length };
}

const { bytes, compressed } = size("dist/index.js");
console.log(`client: ${bytes} bytes minified, ${compressed} compressed (at most ${BYTE_COUNT_MAX}; the goal is ${GOAL})`);
if (compressed > BYTE_COUNT_MAX) {
  console.error(`the client is ${compressed - BYTE_COUNT_MAX} bytes too large`);
  process.exit(1);
}
