// axe-core, a checker of accessibility, which `Web/inspector/scripts/axe` installs. Its rules run in the unmodified
// page.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../../.build/axe", import.meta.url));

/** Returns the path of axe's script; null if it is not installed. */
export function axePath() {
  const path = process.env.AXE_CORE ?? join(folder, "axe_playwright_python/axe.min.js");
  return existsSync(path) ? path : null;
}

/** Returns axe's findings: every broken rule, with the elements. */
export async function axe(page) {
  if (!await page.run("typeof globalThis.axe === 'object'")) await page.run(`${readFileSync(axePath(), "utf8")}; undefined`);
  return page.run(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")))`);
}
