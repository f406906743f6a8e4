// Runs the tests in Node's test runner, and prints a summary at the end. A run that finds no tests fails.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

const files = readdirSync("test").filter((name) => name.endsWith(".test.mjs")).sort().map((name) => `test/${name}`);
// Also runs the tests of the example, if it exists.
const examples = "../example/test";
if (existsSync(examples)) files.push(...readdirSync(examples).filter((name) => name.endsWith(".test.mjs")).sort().map((name) => `${examples}/${name}`));
const run = spawnSync(process.execPath, ["--test", ...files], { encoding: "utf8", maxBuffer: 1 << 28 });
const output = run.stdout + run.stderr;
const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
if (run.status !== 0 || count("tests") === 0 || count("fail") > 0) {
  const parts = output.split(/^(?=(?:# Subtest:|ok|not ok))/m);
  console.error(parts.filter((part) => part.startsWith("not ok") || /^ {4}not ok/m.test(part)).join("\n").slice(-20_000));
}
console.log(`client: ${count("pass")} of ${count("tests")} tests passed, ${count("skipped")} skipped`);
const isUncompared = process.env.NEEDS_COMMAND === "1" && /# SKIP no command is built/.test(output);
if (isUncompared) console.error("client: tests were skipped, because no command is built: run make test first");
process.exit(run.status !== 0 || count("tests") === 0 || isUncompared ? 1 : 0);
