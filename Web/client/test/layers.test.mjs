// The folders of the sources are layers: imports lead down, and no files import each other, not by their types either.
// The tables of layers are in Web/README.md.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { circleIn, faultsIn, importsOf, layerOf, layersOf } from "./support/imports.mjs";

const page = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const programs = [
  { name: "client", folder: "../src", heading: "## Inside the client", countMin: 1_000 },
  { name: "inspector", folder: "../../inspector/src", heading: "### Inside the inspector", countMin: 100 },
];

for (const { name, folder, heading, countMin } of programs) {
  const imports = importsOf(fileURLToPath(new URL(folder, import.meta.url)));

  test(`no files of the ${name} import each other, not by their types either`, () => {
    assert.ok(imports.length > countMin);
    const circle = circleIn(imports);
    assert.equal(circle, null, circle?.join(" → "));
  });

  test(`the folders of the ${name} import what the table of layers allows`, () => {
    assert.deepEqual(faultsIn(imports, layersOf(page, heading)), []);
  });
}

test("the state of the client reaches neither its engine nor its methods nor its parts", () => {
  const imports = importsOf(fileURLToPath(new URL("../src", import.meta.url)));
  const reached = new Set(imports.map(({ from }) => from).filter((file) => layerOf(file) === "state"));
  assert.ok(reached.size > 40);
  for (const file of reached) for (const { from, to } of imports) if (from === file) reached.add(to);
  assert.deepEqual([...reached].filter((file) => ["engine", "methods", "parts", "cache"].includes(layerOf(file))), []);
});

// The check itself

const table = `
## Layers

| folder | what it is for | may import |
|---|---|---|
| \`low\` | first | – |
| \`high\` | second | \`low\` |

## Another section
`;

/** Returns the circle and the faults of sources with the given files, by path. */
function check(context, sources, layers = table) {
  const root = mkdtempSync(join(tmpdir(), "tidemark-layers-"));
  context.after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const imports = importsOf(root);
  return { circle: circleIn(imports), faults: faultsIn(imports, layersOf(layers, "## Layers")) };
}

const sound = { "low/a.ts": "export const a = 1;", "high/b.ts": "import { a } from \"../low/a.js\";" };

test("imports that lead down are sound", (context) => {
  assert.deepEqual(check(context, sound), { circle: null, faults: [] });
});

for (const [kind, statement] of Object.entries({
  "of values": "import { b } from \"../high/b.js\";", "of types": "import type { B } from \"../high/b.js\";",
  "on demand": "const b = () => import(\"../high/b.js\");", "of one type": "let b: import(\"../high/b.js\").B;",
  "of exports": "export { b } from \"../high/b.js\";",
})) {
  test(`an import ${kind} that leads up is named, and the circle that it closes`, (context) => {
    assert.deepEqual(check(context, { ...sound, "low/a.ts": `\n${statement}` }), {
      circle: ["high/b.ts", "low/a.ts", "high/b.ts"], faults: ["low/a.ts:2 imports high/b.ts: low may import nothing"],
    });
  });
}

test("the shortest circle is named", (context) => {
  const { circle } = check(context, {
    "low/a.ts": "import \"./b.js\";", "low/b.ts": "import \"./c.js\";", "low/c.ts": "import \"./a.js\"; import \"./d.js\";",
    "low/d.ts": "import type {} from \"./c.js\";",
  });
  assert.deepEqual(new Set(circle), new Set(["low/c.ts", "low/d.ts"]));
  assert.equal(circle.length, 3);
});

test("a table that does not fit the sources is refused", (context) => {
  const swapped = table.replace("| – |", "| `high` |").replace("| `low` |\n\n", "| – |\n| `none` | third | `lost` |\n\n");
  assert.deepEqual(check(context, sound, swapped).faults, [
    "the table allows low to import high, whose row is not above its own", "the table allows none to import lost, which has no row",
    "high/b.ts:1 imports low/a.ts: high may import nothing", "the table allows low to import high, and no file does",
    "none has a row in the table of layers and no imports", "the table allows none to import lost, and no file does",
  ]);
  assert.deepEqual(check(context, { ...sound, "new/c.ts": "import \"../low/a.js\";" }).faults, ["new has no row in the table of layers"]);
});
