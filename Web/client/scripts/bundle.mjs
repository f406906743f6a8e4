// The package as it is published: each entry bundled, minified, and split where entries share code. Prints the sizes.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { internalNames } from "./names.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const out = process.argv[2] ?? join(root, "bundle");
/** What the cache alone is to take in the end, and what it may take until then: see Web/README.md, the package. */
const GOAL = 25_000;
const BYTE_COUNT_MAX = 57_500;

const entries = ["index", "session/index", "tabs/index", "policy/index", "inspection/index", "inspector/index", "react/index"];
const mangled = `--mangle-props=^(${internalNames(createRequire(import.meta.url)).join("|")})$`;
const words = ["--bundle", "--minify", "--format=esm", "--target=es2020", "--charset=utf8", "--log-level=warning", mangled];
const outside = ["--external:react", "--external:@tidemark/client/panels"];

rmSync(out, { recursive: true, force: true });
execFileSync("esbuild", [
  ...entries.map((entry) => `${entry.replace("/index", "")}=${join(dist, `${entry}.js`)}`), ...words, ...outside, "--splitting", `--outdir=${out}`,
  "--sourcemap", "--chunk-names=parts/[hash]",
], { stdio: "inherit" });
execFileSync("esbuild", [
  join(root, "../inspector/src/mount.ts"), "--bundle", "--minify", "--format=esm", "--target=es2020", "--charset=utf8", "--log-level=warning",
  "--loader:.css=text", `--outfile=${join(out, "panels.js")}`,
], { stdio: "inherit" });

/** Returns the bytes of what an import makes a page load, as they are and compressed; unused exports are shaken off, as bundlers do. */
function size(source) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-size-"));
  try {
    execFileSync("esbuild", ["--loader=js", ...words, ...outside, "--splitting", `--outdir=${folder}`], { input: source, cwd: dist });
    const sizes = parts(folder, "stdin.js").map((name) => readFileSync(join(folder, name)));
    return {
      bytes: sizes.reduce((sum, text) => sum + text.length, 0), compressed: sizes.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the names of a file and of those that it imports when it is loaded; not of those that it loads when they are needed. */
function parts(folder, name, found = new Set([name])) {
  for (const [, other] of readFileSync(join(folder, name), "utf8").matchAll(/(?:from|import)"\.\/([^"]+)"/g)) {
    if (!found.has(other)) parts(folder, other, found.add(other));
  }
  return [...found];
}

const sizes = Object.entries({
  "the cache alone": "export { NormalizedCache } from \"./index.js\";",
  "the cache with its journal": "export { NormalizedCache, IndexedDBJournal } from \"./index.js\";",
  "all of @tidemark/client": "export * from \"./index.js\";",
  "with React": "export { NormalizedCache } from \"./index.js\"; export * from \"./react/index.js\";",
  "with tabs": "export * from \"./tabs/index.js\";",
}).map(([name, source]) => ({ name, ...size(source) }));
for (const { name, bytes, compressed } of sizes) console.log(`client: ${name}: ${bytes} bytes minified, ${compressed} compressed`);
const [{ compressed }] = sizes;
if (compressed > BYTE_COUNT_MAX) {
  console.error(`the client is ${compressed - BYTE_COUNT_MAX} bytes larger than ${BYTE_COUNT_MAX}; the goal is ${GOAL}`);
  process.exit(1);
}
// The sources are in the map: a person who debugs sees them, whatever the names became.
for (const name of [...readdirSync(out), ...readdirSync(join(out, "parts")).map((part) => `parts/${part}`)]) {
  if (!name.endsWith(".map")) continue;
  const map = JSON.parse(readFileSync(join(out, name), "utf8"));
  writeFileSync(join(out, name), JSON.stringify({ ...map, sources: map.sources.map((source) => source.replace(/^.*dist\//, "tidemark/")) }));
}
