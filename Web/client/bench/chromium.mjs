// Measures the same figures in headless Chromium. Without Chromium, prints this and ends with 0.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser, chromium, serve } from "../test/support/chromium.mjs";

const path = chromium();
if (path === null) {
  console.log("no Chromium is there: make web-browser installs it");
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const bundle = join(folder, "bench.js");
execFileSync("esbuild", [
  fileURLToPath(new URL("bench.mjs", import.meta.url)), "--bundle", "--format=esm", "--target=es2022", `--outfile=${bundle}`, "--log-level=error",
]);
const isSmoke = process.argv.includes("--smoke");
const server = await serve({
  "/": { type: "text/html", text: "<!doctype html><meta charset=utf-8><title>bench</title><script type=module src=/first.js></script>" },
  "/first.js": {
    type: "text/javascript", text: `globalThis.isSmoke = ${isSmoke}; globalThis.said = []; const { log } = console;
      console.log = (line) => { said.push(line); log(line); }; globalThis.ready = true;
      import("/bench.js").catch((error) => { said.push(String(error)); globalThis.isDone = true; });`,
  },
  "/bench.js": { type: "text/javascript", path: bundle },
});
const browser = await Browser.start(path, join(folder, "profile"), ["--enable-precise-memory-info", "--js-flags=--expose-gc"]);
try {
  const page = await browser.page(server.url);
  let shown = 0;
  for (let isDone = false; !isDone;) {
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    isDone = await page.run("globalThis.isDone === true");
    const lines = await page.run(`said.slice(${shown})`);
    shown += lines.length;
    for (const line of lines) console.log(line);
  }
} finally {
  await browser.kill();
  server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
