// Builds the page: checks its types, and writes its files as texts into a Swift file, by default the one that is
// compiled into the server.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { methodsSource } from "./methods.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.argv[2] ?? join(root, "../../Sources/TidemarkInspector/Generated/InspectorPage.swift");

const generated = join(root, "src/generated/methods.ts");
mkdirSync(dirname(generated), { recursive: true });
const source = methodsSource();
let known = "";
try {
  known = readFileSync(generated, "utf8");
} catch {
  // The file is created by the first build.
}
if (known !== source) writeFileSync(generated, source);
execFileSync("tsc", ["-p", root], { stdio: "inherit" });
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-"));
const esbuild = (entry, ...words) => execFileSync(
  "esbuild", [join(root, "src", entry), "--minify", "--target=es2020", "--charset=utf8", "--log-level=warning", ...words], { stdio: "inherit" });
esbuild("main.ts", "--bundle", "--format=esm", `--outfile=${join(folder, "inspector.js")}`);
esbuild("inspector.css", `--outfile=${join(folder, "inspector.css")}`);

/**
 * Declares a text with the contents of a file. A raw literal can hold any text but its own delimiter; an array of bytes
 * would take seconds to compile.
 */
const declaration = (name, path) => {
  const text = readFileSync(path, "utf8");
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) throw new Error(`${path} has a control character, which a literal cannot hold`);
  const marks = "#".repeat(1 + Math.max(0, ...(text.match(/(?<="""|\\)#+/g) ?? []).map((run) => run.length)));
  return `    static let ${name} = ${marks}"""\n${text}\n"""${marks}\n`;
};
const texts = [
  declaration("html", join(root, "src/index.html")), declaration("script", join(folder, "inspector.js")),
  declaration("style", join(folder, "inspector.css")), declaration("icon", join(root, "src/icon.svg")),
];
rmSync(folder, { recursive: true });
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, `// Written by "make web" from Web/inspector.
// swift-format-ignore-file

/// The files of the inspector's page.
enum InspectorPage {
${texts.join("\n")}}
`);
