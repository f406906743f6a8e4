// The imports of a folder of TypeScript sources: circles of files, and the layers of a table in a page.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

const require = createRequire(import.meta.url);

/** Finds the TypeScript compiler: in the project, or where Debian installs it. */
function compiler() {
  for (const name of ["typescript", "/usr/share/nodejs/typescript"]) {
    try {
      return require(name);
    } catch {
      // Try the next place.
    }
  }
  throw new Error("the TypeScript compiler is not there: install node-typescript");
}

const ts = compiler();

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts")) yield path;
  }
}

/**
 * Returns every import between the files of a folder, also those of types, those on demand, and exports of other
 * files' names: `from` and `to` as paths below the folder, with the line.
 */
export function importsOf(root) {
  const found = [];
  for (const path of files(root)) {
    const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2020, true);
    const add = (node) => {
      if (node === undefined || !ts.isStringLiteral(node) || !node.text.startsWith(".")) return;
      const target = join(dirname(path), node.text);
      const file = [target.replace(/\.js$/, ".ts"), `${target}.ts`, target].find(existsSync);
      if (file === undefined) throw new Error(`${path} imports ${node.text}, which is not there`);
      // Style sheets and other files that a bundler reads.
      if (!file.endsWith(".ts")) return;
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ from: relative(root, path), to: relative(root, file), line });
    };
    const visit = (node) => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
      else if (ts.isImportTypeNode(node)) add(node.argument.literal);
      else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0]);
      node.forEachChild(visit);
    };
    visit(source);
  }
  return found;
}

/** Returns a shortest circle of files that import each other, the first one again at its end; null if there is none. */
export function circleIn(imports) {
  const targets = new Map();
  for (const { from, to } of imports) targets.set(from, [...targets.get(from) ?? [], to]);
  let shortest = null;
  for (const start of targets.keys()) {
    // The files on the way to each one, nearest first.
    const before = new Map([[start, null]]);
    for (const file of before.keys()) {
      if (!(targets.get(file) ?? []).includes(start)) {
        for (const next of targets.get(file) ?? []) if (!before.has(next)) before.set(next, file);
        continue;
      }
      const circle = [start];
      for (let at = file; at !== null; at = before.get(at)) circle.unshift(at);
      if (shortest === null || circle.length < shortest.length) shortest = circle;
      break;
    }
  }
  return shortest;
}

/** Returns the layer of a file: its folder, or the file itself if it is in none. */
export function layerOf(file) { return file.includes("/") ? file.slice(0, file.indexOf("/")) : file; }

/** Returns the layers of the table below a heading of a page, from the lowest on, and what each may import. */
export function layersOf(page, heading) {
  const section = page.slice(page.indexOf(`\n${heading}\n`)).split(/\n#+ /)[1] ?? "";
  const rows = [...section.matchAll(/^\| `([^`]+)` \| .+ \| (.+) \|$/gm)];
  return new Map(rows.map(([, layer, list]) => [layer, [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name)]));
}

/**
 * Returns what is wrong with imports under a table of layers: a layer that may import one whose row is not above its own, an
 * import that the table does not allow, an entry that no import needs, and a folder that one of the two does not have.
 */
export function faultsIn(imports, layers) {
  const faults = [];
  const order = [...layers.keys()];
  for (const [layer, allowed] of layers) {
    for (const other of allowed) {
      if (!layers.has(other)) faults.push(`the table allows ${layer} to import ${other}, which has no row`);
      else if (order.indexOf(other) >= order.indexOf(layer)) faults.push(`the table allows ${layer} to import ${other}, whose row is not above its own`);
    }
  }
  const used = new Set();
  const present = new Set();
  for (const { from, to, line } of imports) {
    const [layer, other] = [layerOf(from), layerOf(to)];
    present.add(layer).add(other);
    if (layer === other) continue;
    used.add(`${layer} ${other}`);
    if (!layers.has(layer)) continue;
    if (!layers.get(layer).includes(other)) faults.push(`${from}:${line} imports ${to}: ${layer} may import ${layers.get(layer).join(", ") || "nothing"}`);
  }
  for (const layer of present) if (!layers.has(layer)) faults.push(`${layer} has no row in the table of layers`);
  for (const [layer, allowed] of layers) {
    if (!present.has(layer)) faults.push(`${layer} has a row in the table of layers and no imports`);
    for (const other of allowed) if (!used.has(`${layer} ${other}`)) faults.push(`the table allows ${layer} to import ${other}, and no file does`);
  }
  return faults;
}
