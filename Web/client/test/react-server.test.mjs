// Server rendering: nothing is observed, and no browser API is used. Skipped without React.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const root = fileURLToPath(new URL("..", import.meta.url));
const isReady = existsSync("/usr/share/nodejs/react-dom");

test("a server renders what loads, and observes nothing", { skip: isReady ? false : "no React of Debian" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-server-"));
  try {
    const bundle = join(folder, "server.cjs");
    execFileSync("esbuild", [join(root, "test/browser/server.mjs"), "--bundle", "--platform=node", "--format=cjs", `--outfile=${bundle}`,
      "--log-level=error"], { env: { ...process.env, NODE_PATH: "/usr/share/nodejs" } });
    const said = JSON.parse(execFileSync(process.execPath, [bundle], { encoding: "utf8" }));
    assert.deepEqual(said, { html: "<p>loading</p><p>0 pending</p>", observers: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
