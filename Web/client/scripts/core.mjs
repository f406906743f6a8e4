// Joins modules that are loaded together before bundling: those that every import of the client loads, and those for
// lists. A bundler that splits code puts modules with different importers into different files, and thirty small files
// compress worse than two.

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const IMPORT = /(import|export) \{([^}]*)\} from "(\.[^"]+)"/g;
const ON_DEMAND = /import\("(\.[^"]+)"\)/g;
const DECLARED = /^export (?:async )?(?:function\*?|class|const|let) ([A-Za-z_$][\w$]*)/gm;
const LISTED = /^export \{([^}]*)\};/gm;

/** Copies compiled modules to a folder, with `parts/core.js` and `parts/list-core.js` replacing the joined ones. */
export function joinModules(dist, stage) {
  cpSync(dist, stage, { recursive: true, filter: (path) => !path.endsWith(".d.ts") });
  const core = closure(join(stage, "index.js"));
  core.delete(join(stage, "index.js"));
  const lists = closure(join(stage, "parts/lists.js"));
  lists.delete(join(stage, "parts/lists.js"));
  for (const path of core) lists.delete(path);
  joinTo(join(stage, "parts/list-core.js"), [...lists].sort(), stage, [...core]);
  joinTo(join(stage, "parts/core.js"), [...core].sort(), stage, []);
}

/**
 * Joins modules, and makes all others import the joined one. Modules in `outside` are imported from their own files.
 */
function joinTo(joined, paths, stage, outside) {
  const numbers = new Map(paths.map((path, index) => [path, index]));
  const entry = paths.map((path) => {
    const names = exported(readFileSync(path, "utf8")).map((name) => `${name} as ${alias(name, numbers.get(path))}`);
    return `export { ${names.join(", ")} } from ${JSON.stringify(specifier(joined, path))};\n`;
  });
  // What is loaded on demand stays in files of its own.
  const later = [...modules(stage)].flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(ON_DEMAND)].map(([, from]) => join(dirname(path), from)));
  execFileSync("esbuild", [
    "--bundle", "--format=esm", "--target=es2020", "--charset=utf8", "--log-level=warning", "--sourcemap=inline", "--sources-content=false",
    ...[...later, ...outside].map((path) => `--external:${path}`), `--outfile=${joined}`,
  ], { input: entry.join(""), cwd: dirname(joined) });
  for (const path of modules(stage)) {
    if (path === joined || numbers.has(path)) continue;
    rewrite(path, (target) => numbers.has(target) ? specifier(path, joined) : null, (name, target) => alias(name, numbers.get(target)));
  }
}

/** Replaces imports of a module: `to` returns the new path of a target, or null to keep it; `rename` the name there. */
function rewrite(path, to, rename) {
  const text = readFileSync(path, "utf8");
  const changed = text.replace(IMPORT, (whole, word, names, from) => {
    const target = join(dirname(path), from);
    const place = to(target);
    if (place === null) return whole;
    const renamed = names.split(",").filter((name) => name.trim() !== "").map((name) => {
      const [own, local = own] = name.trim().split(" as ");
      return `${rename(own, target)} as ${local}`;
    });
    return `${word} { ${renamed.join(", ")} } from ${JSON.stringify(place)}`;
  });
  if (changed !== text) writeFileSync(path, changed);
}

function alias(name, number) { return `${name}_${number}`; }

function specifier(from, to) {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

function exported(text) {
  const names = [...text.matchAll(DECLARED)].map(([, name]) => name);
  for (const [, list] of text.matchAll(LISTED)) names.push(...list.split(",").map((name) => name.trim()).filter(Boolean));
  return names;
}

/** Returns the module at a path and all that it imports. */
function closure(path, found = new Set([path])) {
  for (const [, , , from] of readFileSync(path, "utf8").matchAll(IMPORT)) {
    const other = join(dirname(path), from);
    if (!found.has(other)) closure(other, found.add(other));
  }
  return found;
}

function* modules(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* modules(path);
    else if (entry.name.endsWith(".js")) yield path;
  }
}
