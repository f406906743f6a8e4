// Measures the size of the client in a program that bundles it: what its page loads at once, and what it loads later.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** Maximum size of what `NormalizedCache` loads at once, in bytes, minified and compressed. */
export const BYTE_COUNT_MAX = 25_000;

const own = "@tidemark/client";
const programs = {
  "the cache": `import { NormalizedCache } from "${own}"; globalThis.cache = new NormalizedCache();`,
  "the cache with its journal": `import { IndexedDBJournal, NormalizedCache } from "${own}";
    globalThis.cache = new NormalizedCache({ journal: new IndexedDBJournal() });`,
  "all of @tidemark/client": `import * as client from "${own}"; globalThis.client = { ...client };`,
  "the cache with React": `import { NormalizedCache } from "${own}"; import * as react from "${own}/react";
    globalThis.cache = [new NormalizedCache(), { ...react }];`,
  "one cache for all tabs": `import { SharedCache } from "${own}/tabs"; globalThis.cache = new SharedCache();`,
};

/**
 * Returns the sizes in bytes of programs that use the package, bundled with esbuild, minified, split, and each file
 * compressed: `atOnce` is the program's file with all that it imports, `withLists` adds what the first list needs,
 * `later` is all that is loaded after `atOnce`, and `whole` is everything in one file, as from a bundler without
 * splitting.
 */
export function sizesOf(root, bundle) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-size-"));
  try {
    installed(root, bundle, folder);
    return Object.entries(programs).map(([name, source]) => {
      const split = join(folder, "split");
      const single = join(folder, "single");
      const { first, rest } = bundled(source, folder, split);
      execFileSync("esbuild", [...words, `--outdir=${single}`], { input: source, cwd: folder });
      const lists = importsOf(split, rest.find((file) => file.startsWith("lists-")));
      const size = {
        name, atOnce: weight(split, [...first]), withLists: weight(split, [...new Set([...first, ...lists])]), later: weight(split, rest),
        whole: weight(single, ["stdin.js"]),
      };
      rmSync(split, { recursive: true });
      rmSync(single, { recursive: true });
      return size;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs the package for a program in a folder. */
export function installed(root, bundle, folder) {
  const target = join(folder, "node_modules/@tidemark/client");
  mkdirSync(target, { recursive: true });
  cpSync(join(root, "package.json"), join(target, "package.json"));
  cpSync(bundle, join(target, "bundle"), { recursive: true });
}

/** Bundles a program with code splitting. Returns the files that are loaded first, `stdin.js` among them, and the rest. */
export function bundled(source, folder, out) {
  execFileSync("esbuild", [...words, "--splitting", `--outdir=${out}`], { input: source, cwd: folder });
  const first = importsOf(out, "stdin.js");
  return { first, rest: readdirSync(out).filter((file) => !first.has(file)) };
}

const words = ["--loader=js", "--bundle", "--minify", "--format=esm", "--target=es2020", "--charset=utf8", "--log-level=warning", "--external:react"];

/** Prints the sizes. Returns whether the cache is within its limit. */
export function checkSizes(root, bundle) {
  const sizes = sizesOf(root, bundle);
  for (const { name, atOnce, withLists, later, whole } of sizes) {
    console.log(`client: ${name}: ${atOnce.compressed} bytes at once (${atOnce.bytes} before compression), ${withLists.compressed} with the first list, `
      + `${atOnce.compressed + later.compressed} with everything; ${whole.compressed} in one file`);
  }
  const [{ atOnce }] = sizes;
  if (atOnce.compressed <= BYTE_COUNT_MAX) return true;
  console.error(`the client is ${atOnce.compressed - BYTE_COUNT_MAX} bytes larger than ${BYTE_COUNT_MAX}`);
  return false;
}

function weight(folder, names) {
  const texts = names.map((name) => readFileSync(join(folder, name)));
  return {
    fileCount: texts.length, bytes: texts.reduce((sum, text) => sum + text.length, 0),
    compressed: texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0),
  };
}

/** Returns the names of a file and of its static imports, without those that it loads on demand. */
function importsOf(folder, name, found = new Set([name])) {
  for (const [, other] of readFileSync(join(folder, name), "utf8").matchAll(/(?:from|import)"\.\/([^"]+)"/g)) {
    if (!found.has(other)) importsOf(folder, other, found.add(other));
  }
  return found;
}
