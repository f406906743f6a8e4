// Compares the checked-in page with a build of its sources, and runs its tests in Node's test runner. With --compare it
// only compares.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "../../Sources/TidemarkInspector/Generated/InspectorPage.swift");

/** Another version of esbuild writes the same program differently. */
const ESBUILD = "0.17.0";
const found = execFileSync("esbuild", ["--version"], { encoding: "utf8" }).trim();
if (found === ESBUILD) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-"));
  const fresh = join(folder, "InspectorPage.swift");
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), fresh], { stdio: "inherit" });
  const isSame = readFileSync(fresh).equals(readFileSync(page));
  rmSync(folder, { recursive: true });
  if (!isSame) {
    console.error(`${page} is not what its sources make: run make web, and check it in`);
    process.exit(1);
  }
} else {
  console.error(`${page} is not compared: it was built with esbuild ${ESBUILD}, and this is ${found}`);
}

if (process.argv.includes("--compare")) process.exit(0);

const files = readdirSync(join(root, "test")).filter((name) => name.endsWith(".test.mjs")).map((name) => join(root, "test", name));
const run = spawnSync(process.execPath, ["--test", ...files], { encoding: "utf8", maxBuffer: 1 << 28 });
const output = run.stdout + run.stderr;
const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
if (run.status !== 0 || count("tests") === 0) console.error(output.slice(-20_000));
console.log(`inspector: ${count("pass")} of ${count("tests")} tests passed, ${count("skipped")} skipped`);
const isUncompared = process.env.NEEDS_COMMAND === "1" && /# SKIP no command is built/.test(output);
if (isUncompared) console.error("inspector: tests were skipped, because no command is built: run make test first");
process.exit(run.status !== 0 || count("tests") === 0 || isUncompared ? 1 : 0);
