// A method family that is added as Web/README.md describes: one folder, one entry, and its row in the table of layers.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { circleIn, faultsIn, importsOf, layersOf } from "./support/imports.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("\n### A method family\n"), page.indexOf("\n## Building and testing\n"));
const [source, entry, row] = [...section.matchAll(/^ {3}```\w*\n([\s\S]*?)^ {3}```$/gm)].map(([, text]) => text.replace(/^ {3}/gm, ""));
let folder;

/** Replaces a text that occurs once in a file. */
function replace(path, text, by) {
  const [before, rest, ...others] = readFileSync(path, "utf8").split(text);
  assert.ok(rest !== undefined && others.length === 0, `${path} has ${text} once`);
  writeFileSync(path, before + by + rest);
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-family-"));
  for (const name of ["src", "types", "scripts", "tsconfig.json", "package.json"]) cpSync(join(root, name), join(folder, "client", name), { recursive: true });
  cpSync(join(root, "../inspector/src"), join(folder, "inspector/src"), { recursive: true });
  mkdirSync(join(folder, "client/src/notes"));
  writeFileSync(join(folder, "client/src/notes/index.ts"), source);
  const families = join(folder, "client/src/parts/families.ts");
  replace(families, "\n];\n", `\n${entry}];\n`);
  replace(families, "import type { MethodFamily }", "import { Part } from \"../model/part.js\";\nimport type { MethodFamily }");
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Calls the family's method in a program, and returns what it prints. */
function called(index) {
  const program = `
    import { NormalizedCache, loadParts } from ${JSON.stringify(index)};
    const cache = new NormalizedCache({ preload: false });
    cache.ingest({ sequence: 1, event: { ResourceChanged: { resource_type: "photo", resource: { id: "a" } } } });
    const { methods } = await cache.call("initialize");
    console.log(JSON.stringify([await cache.call("notes.count"), methods.includes("notes.count")]));
    await loadParts();
    await cache.close();
  `;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module"], { input: program, encoding: "utf8" }));
}

/** Returns a file of the bundle and all that it imports at once. */
function atOnce(path, found = new Set([path])) {
  for (const [, other] of readFileSync(path, "utf8").matchAll(/(?:from|import)"(\.[^"]+)"/g)) {
    const file = join(dirname(path), other);
    if (!found.has(file)) atOnce(file, found.add(file));
  }
  return found;
}

const wanted = [{ notes: 0, entities: 1 }, true];

test("a method family is one folder and one entry", () => {
  const compiled = spawnSync("tsc", ["-p", join(folder, "client")], { encoding: "utf8" });
  assert.equal(compiled.stdout, "");
  assert.deepEqual(called(join(folder, "client/dist/index.js")), wanted);
});

test("a family in the package is loaded with the first request for it", () => {
  spawnSync(process.execPath, [join(folder, "client/scripts/bundle.mjs")], { encoding: "utf8" });
  assert.deepEqual(called(join(folder, "client/bundle/index.js")), wanted);
  // Its code is in a file of its own, and not in those that a page loads at once.
  const parts = join(folder, "client/bundle/parts");
  const own = readdirSync(parts).filter((name) => name.endsWith(".js") && readFileSync(join(parts, name), "utf8").includes("notes:0"));
  assert.equal(own.length, 1);
  assert.ok(!atOnce(join(folder, "client/bundle/index.js")).has(join(parts, own[0])));
});

test("the layers of a family are its row and its entry in the row of the parts", () => {
  const imports = importsOf(join(folder, "client/src"));
  assert.equal(circleIn(imports), null);
  const missing = faultsIn(imports, layersOf(page, "## Inside the client"));
  assert.equal(missing.length, 2);
  assert.equal(missing[1], "notes has no row in the table of layers");
  assert.match(missing[0], /^parts\/families\.ts:\d+ imports notes\/index\.ts: parts may import /);
  const added = page.replace("\n| `parts` |", `\n${row}| \`parts\` |`).replace(/^(\| `parts` \| .+) \|$/m, "$1, `notes` |");
  assert.deepEqual(faultsIn(imports, layersOf(added, "## Inside the client")), []);
});
