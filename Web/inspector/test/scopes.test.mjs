// The card of scopes in Chromium, as the built `tidemark serve` serves it. Skipped without Chromium or without a command.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "../../client/test/support/chromium.mjs";
import { Browser, Page } from "./support/page.mjs";
import { closeAll, command, serve } from "./support/server.mjs";

const missing = command() === null ? "no command is built" : chromium() === null ? "no Chromium" : null;
const options = { skip: missing ?? false };
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-scopes-"));
let browser;
let server;
let page;

const scopes = {
  scopes: {
    album: {
      params: { me: { claim: "sub" }, album: { query: "string" } },
      require: [{ type: "member", on: { "/user": { param: "me" }, "/album": { param: "album" } } }],
      types: { photo: { where: { path: "/album", eq: { param: "album" } }, without: ["place"] } },
    },
  },
};

before(async () => {
  if (missing !== null) return;
  const [file, keys] = ["scopes.json", "keys.json"].map((name) => join(folder, name));
  writeFileSync(file, JSON.stringify(scopes));
  writeFileSync(keys, JSON.stringify({ keys: [{ kty: "oct", k: Buffer.alloc(32, 1).toString("base64url") }] }), { mode: 0o600 });
  server = await serve({ database: join(folder, "a.db"), options: ["--scopes", file, "--jwt-keys", keys] });
  const change = (type, entity) => JSON.stringify({ event: { ResourceChanged: { resource_type: type, resource: entity } } });
  await server.feed([
    change("member", { id: "m1", user: "ann", album: "trip" }), change("photo", { id: "p1", album: "trip", place: "here" }),
    change("photo", { id: "p2", album: "diary" }),
  ]);
  browser = await Browser.start(chromium(), mkdtempSync(join(folder, "profile-")));
  page = await Page.open(browser, server.page);
  await page.size(1280, 800);
  await page.until(Page.element("tab", "Now"));
});

after(async () => {
  await browser?.kill();
  await closeAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Fills the form of the card, and asks. */
async function explain(entity, claims) {
  await page.run(`(() => {
    const [claims, params, entity] = document.querySelectorAll('.scopes form input');
    [claims.value, params.value, entity.value] = [${JSON.stringify(claims)}, '{"album":"trip"}', ${JSON.stringify(entity)}];
    document.querySelector('.scopes form button').click();
  })()`);
  await page.until(`document.querySelector('.scopes [aria-live]').textContent.startsWith(${JSON.stringify(entity)})`);
  return page.run("document.querySelector('.scopes [aria-live]').textContent");
}

test("Now shows each scope with its numbers", options, async () => {
  await page.until("document.querySelector('.scopes') !== null && !document.querySelector('.scopes').hidden");
  const rows = "[...document.querySelectorAll('.scopes tbody tr')]";
  const cells = "[...row.children].map((cell) => cell.textContent).slice(0, 5)";
  assert.deepEqual(await page.run(`${rows}.map((row) => ${cells})`),
    [["album", "0", "0", "0", "0"]]);
});

test("an entity is explained for the claims of a token", options, async () => {
  await page.until("document.querySelector('.scopes') !== null && !document.querySelector('.scopes').hidden");
  const shown = await explain("photo:p1", '{"sub":"ann"}');
  assert.match(shown, /^photo:p1 is in the scope\. .*"trip"/);
  assert.doesNotMatch(shown, /here/);
  assert.match(await explain("photo:p2", '{"sub":"ann"}'), /^photo:p2 is not in the scope: .*\/scopes\/album\/types\/photo\/where/);
  assert.match(await explain("photo:p3", '{"sub":"ben"}'), /^photo:p3 is not in the scope, which answers 403/);
});
