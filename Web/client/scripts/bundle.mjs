// Builds the published package: each entry is bundled and minified, and code that entries share or load later is split
// off.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { joinModules } from "./core.mjs";
import { internalNames } from "./names.mjs";
import { checkSizes } from "./size.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.argv[2] ?? join(root, "bundle");
const entries = ["index", "session/index", "tabs/index", "policy/index", "inspection/index", "inspector/index", "react/index", "rules/index"];
const words = ["--bundle", "--minify", "--format=esm", "--target=es2020", "--charset=utf8", "--log-level=warning"];

rmSync(out, { recursive: true, force: true });
const folder = mkdtempSync(join(tmpdir(), "tidemark-bundle-"));
try {
  const stage = join(folder, "dist");
  joinModules(join(root, "dist"), stage);
  execFileSync("esbuild", [
    ...entries.map((entry) => `${entry.replace("/index", "")}=${join(stage, `${entry}.js`)}`), ...words,
    `--mangle-props=^(${internalNames(createRequire(import.meta.url)).join("|")})$`, "--external:react", "--external:@tidemark/client/panels",
    "--splitting", `--outdir=${out}`, "--sourcemap", "--chunk-names=parts/[name]-[hash]",
  ], { stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
execFileSync("esbuild", [join(root, "../inspector/src/mount.ts"), ...words, "--loader:.css=text", `--outfile=${join(out, "panels.js")}`], { stdio: "inherit" });
// The source map contains the sources, so that debuggers show them despite shortened names.
for (const name of [...readdirSync(out), ...readdirSync(join(out, "parts")).map((part) => `parts/${part}`)]) {
  if (!name.endsWith(".map")) continue;
  const map = JSON.parse(readFileSync(join(out, name), "utf8"));
  writeFileSync(join(out, name), JSON.stringify({ ...map, sources: map.sources.map((source) => source.replace(/^.*dist\//, "tidemark/")) }));
}
process.exit(checkSizes(root, out) ? 0 : 1);
