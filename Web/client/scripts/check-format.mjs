// Checks the layout: the output of TypeScript's own formatter, lines of at most 160 characters, no `any`, no `!`.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const LINE_LENGTH_MAX = 160;
const FILE_LINE_COUNT_MAX = 400;
const root = join(dirname(fileURLToPath(import.meta.url)), "..", process.argv.find((word) => word.startsWith("--folder="))?.slice(9) ?? "");
const isWriting = process.argv.includes("--write");

/** Finds the TypeScript compiler: in the project, or where Debian installs it. */
function compiler() {
  const require = createRequire(import.meta.url);
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

function* files(folder, suffix) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "generated") yield* files(path, suffix);
    else if (suffix.test(entry.name)) yield path;
  }
}

function host(path, text) {
  return {
    getCompilationSettings: () => ({}), getScriptFileNames: () => [path], getScriptVersion: () => "1",
    getScriptSnapshot: () => ts.ScriptSnapshot.fromString(text), getCurrentDirectory: () => root,
    getDefaultLibFileName: () => "lib.d.ts", fileExists: () => false, readFile: () => undefined,
  };
}

const settings = {
  ...ts.getDefaultFormatCodeSettings("\n"), indentSize: 2, tabSize: 2, convertTabsToSpaces: true,
  insertSpaceAfterOpeningAndBeforeClosingNonemptyBraces: true, semicolons: ts.SemicolonPreference.Insert,
};

function formatted(path, text) {
  const edits = ts.createLanguageService(host(path, text)).getFormattingEditsForDocument(path, settings);
  return edits.sort((left, right) => right.span.start - left.span.start).reduce(
    (result, edit) => result.slice(0, edit.span.start) + edit.newText + result.slice(edit.span.start + edit.span.length), text);
}

const problems = [];
/** Hand-written sources; generated ones have the layout of their generator. */
const sources = [
  ...files(join(root, "src"), /\.tsx?$/), ...files(join(root, "test"), /\.mjs$/), ...files(join(root, "scripts"), /\.mjs$/),
];
for (const path of sources) {
  const text = readFileSync(path, "utf8");
  const name = path.slice(root.length + 1);
  const laidOut = path.endsWith(".mjs") ? text : formatted(path, text);
  if (laidOut !== text) {
    if (isWriting) writeFileSync(path, laidOut);
    else problems.push(`${name}: is laid out otherwise; run make web-format`);
  }
  const lines = text.split("\n");
  if (lines.length > FILE_LINE_COUNT_MAX) problems.push(`${name}: has ${lines.length} lines; at most ${FILE_LINE_COUNT_MAX} are one topic`);
  if (!text.endsWith("\n") || text.includes("\r") || text.includes("\t")) problems.push(`${name}: ends without LF, or holds CR or tabs`);
  lines.forEach((line, index) => {
    const place = `${name}:${index + 1}`;
    if (line.length > LINE_LENGTH_MAX) problems.push(`${place}: is longer than ${LINE_LENGTH_MAX}`);
    if (line.endsWith(" ")) problems.push(`${place}: ends with a space`);
    if (!path.endsWith(".mjs") && /(:|<|as) any\b/.test(line)) problems.push(`${place}: says any`);
    const code = line.replace(/"(?:[^"\\]|\\.)*"/g, "");
    if (!path.endsWith(".mjs") && /[\w)\]]!(?=[.;,)\]]|$)/.test(code)) problems.push(`${place}: asserts that something is there`);
  });
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
