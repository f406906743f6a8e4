// Builds the page: types are checked, and the files of the page are written into a folder (by default where the server compiles them in).

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { methodsSource } from "./methods.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.argv[2] ?? join(root, "../../Sources/TidemarkInspector/Page");

const generated = join(root, "src/generated/methods.ts");
mkdirSync(dirname(generated), { recursive: true });
const source = methodsSource();
let known = "";
try {
  known = readFileSync(generated, "utf8");
} catch {
  // It is made the first time.
}
if (known !== source) writeFileSync(generated, source);
execFileSync("tsc", ["-p", root], { stdio: "inherit" });
mkdirSync(out, { recursive: true });
const esbuild = (entry, ...words) => execFileSync(
  "esbuild", [join(root, "src", entry), "--minify", "--target=es2020", "--charset=utf8", "--log-level=warning", ...words], { stdio: "inherit" });
esbuild("main.ts", "--bundle", "--format=esm", `--outfile=${join(out, "inspector.js")}`);
esbuild("inspector.css", `--outfile=${join(out, "inspector.css")}`);
for (const name of ["index.html", "icon.svg"]) writeFileSync(join(out, name), readFileSync(join(root, "src", name)));
