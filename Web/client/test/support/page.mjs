// A page of the tests in Chromium: bundled once for each file, and served on a free port.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser, chromium, serve } from "./chromium.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The path of the browser; null if the tests cannot run. */
export const browserPath = existsSync("/usr/share/nodejs/react-dom") ? chromium() : null;
export const options = { timeout: 120_000, skip: browserPath === null ? "no Chromium, or no React of Debian" : false };

/** Bundles `test/browser/page.mjs` and serves it. Call `end` after the tests. */
export async function startPage() {
  if (browserPath === null) return { url: "", profile: () => "", end: async () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "tidemark-browser-"));
  const bundle = join(folder, "page.js");
  execFileSync("esbuild", [
    join(root, "test/browser/page.mjs"), "--bundle", "--format=esm", `--outfile=${bundle}`, "--log-level=error",
    `--alias:@tidemark/client/panels=${join(root, "bundle/panels.js")}`, "--define:process.env.NODE_ENV=\"development\"",
  ], { env: { ...process.env, NODE_PATH: "/usr/share/nodejs" } });
  const server = await serve({
    "/": { type: "text/html", text: "<!doctype html><meta charset=utf-8><title>test</title><script type=module src=/page.js></script>" },
    "/page.js": { type: "text/javascript", path: bundle },
  });
  return {
    url: server.url,
    profile: () => mkdtempSync(join(folder, "profile-")),
    async end() {
      await Browser.killAll();
      server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
