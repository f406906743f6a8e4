// Finds the names of properties that never leave the client and that the bundle therefore shortens.
//
// A name may be shortened if every property of that name is internal: it is a member of a class or a type of the
// sources, and no other property is written or read under it. Names that are written to a database, sent to another tab
// or to a server, or returned to the program, must never change. So a name is kept if it is declared in a file whose
// values leave the page, if it is written into a returned value, if a string in the sources is equal to it (it may be
// read by that string), or if JavaScript or the browser has a property of that name.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const TYPESCRIPT = "/usr/share/nodejs/typescript";

/** Files whose types are public, stored, sent, or defined elsewhere. */
const OPEN = new RegExp("^(journal/|outbox/|layers/sending|tabs/|react/|sources/|scopes/|session/|policy/|out/|inspector/|json/(?:exact|own)|queries/value|"
  + "model/(?!part)|wire/identity|cache/(?!engine)|engine/(?:ports|clock|notifications|quer)|params/quer|state/(?:records|ages|expiry)|"
  + "live/(?:definition|observer)|views/(?:explanation|value-difference))");
/** Files that write values that are returned to the program. */
const WRITING = new RegExp(`${OPEN.source}|^(methods/|live/|params/|inspection/|cache/|engine/|layers/changes|queries/rule|state/(?:layers|patches))`);

/** Returns the names, sorted. `require` finds the TypeScript compiler. */
export function internalNames(require) {
  const ts = compiler(require);
  const own = new Set();
  const kept = new Set(["constructor", "prototype", "toJSON"]);
  for (const path of files(join(root, "src"))) {
    const name = relative(join(root, "src"), path);
    const visit = (node) => {
      if (isMember(ts, node) && ts.isIdentifier(node.name)) (OPEN.test(name) && !isPrivate(ts, node) ? kept : own).add(node.name.text);
      if (ts.isStringLiteralLike(node)) kept.add(node.text);
      // A part is accessed by its exported names.
      if (ts.isExportSpecifier(node)) kept.add(node.name.text);
      const isWritten = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
      if (isWritten && WRITING.test(name) && ts.isIdentifier(node.name)) kept.add(node.name.text);
      node.forEachChild(visit);
    };
    visit(source(ts, path));
  }
  for (const name of libraries(ts, require)) kept.add(name);
  // Names of React and of the panels, which are kept even if a class here has a private member of that name.
  for (const path of files(join(root, "types"))) for (const name of memberNames(ts, source(ts, path))) kept.add(name);
  return [...own].filter((name) => !kept.has(name) && name.length > 2 && /^[a-z][A-Za-z0-9]*$/.test(name)).sort();
}

function compiler(require) {
  for (const name of ["typescript", TYPESCRIPT]) {
    try {
      return require(name);
    } catch {
      // Try the next place.
    }
  }
  throw new Error("the TypeScript compiler is not there: install node-typescript");
}

function source(ts, path) { return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2020, true); }

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (entry.name.endsWith(".ts")) yield path;
  }
}

function isMember(ts, node) {
  return ts.isPropertyDeclaration(node) || ts.isPropertySignature(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)
    || ts.isGetAccessor(node) || ts.isSetAccessor(node) || ts.isParameter(node) && node.modifiers !== undefined;
}

function isPrivate(ts, node) { return (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword); }

/** Returns the names of properties that JavaScript and browsers have. */
function* libraries(ts, require) {
  const folder = dirname(ts.getDefaultLibFilePath({}));
  for (const name of readdirSync(folder)) {
    if (/^lib\.(es5|es20\d\d.*|dom.*)\.d\.ts$/.test(name)) yield* memberNames(ts, source(ts, join(folder, name)));
  }
}

/** Returns the names of all members that a file declares. */
function memberNames(ts, file) {
  const found = [];
  const visit = (node) => {
    if (isMember(ts, node) && ts.isIdentifier(node.name)) found.push(node.name.text);
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}
