// The panel of views in Chromium: the list, live rows, windows, the plan, why an entity is in a view or not, rules.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "../../client/test/support/chromium.mjs";
import { answer, fill, photo } from "./support/data.mjs";
import { Browser, Page } from "./support/page.mjs";
import { closeAll, command, serve } from "./support/server.mjs";
import { BEST, defineViews } from "./support/views.mjs";

const missing = command() === null ? "no command is built" : chromium() === null ? "no Chromium" : null;
const options = { skip: missing ?? false };
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-views-"));
let browser;
let server;
let page;
let sequence;

before(async () => {
  if (missing !== null) return;
  server = await serve({ database: join(folder, "a.db"), answer });
  sequence = await fill(server, 1_000);
  await defineViews(server);
  browser = await Browser.start(chromium(), mkdtempSync(join(folder, "profile-")));
  page = await open();
});

after(async () => {
  await browser?.kill();
  const status = await server?.close();
  await closeAll();
  if (missing === null) assert.equal(status, 0, server?.errors);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Opens a page of a server at a place. */
async function open(place = "", from = server) {
  const opened = await Page.open(browser, from.page);
  await opened.size(1_280, 900);
  await opened.until(Page.element("tab", "Views"));
  if (place === "") await opened.click("tab", "Views");
  else await opened.run(`location.hash = ${JSON.stringify(place)}`);
  return opened;
}

const shown = (selector) => `[...document.querySelectorAll(".panel:not([hidden]) ${selector}")].filter((element) => element.checkVisibility())`;
const rowCount = `${shown(".viewing .live .row")}.length`;
const note = `document.querySelector(".viewing .live [role=status]").textContent`;
const reason = `document.querySelector(".reason")?.textContent ?? ""`;
const facts = `document.querySelector(".viewing .facts").textContent`;

test("views are listed with what they count, and their rows move as the cache does", options, async () => {
  await page.until(`${Page.element("option", "best")}?.textContent.includes("167 rows")`);
  await page.until(`${Page.element("option", "rated")}?.textContent.includes("with rating")`);
  await page.click("option", "best");
  await page.until(`${rowCount} > 3`);
  await page.until(`${note}.startsWith("rows 1 to 100 · 167 in all · as of sequence ${sequence - 1}")`, "the window and the total");
  await server.feed([photo(700, sequence, { rating: 5, size: 99_999 })]);
  sequence += 1;
  await page.until("document.querySelector('.viewing .live .row[data-changed]')?.textContent.includes('p000700')");
  await page.until(`${note}.startsWith("rows 1 to 100 · 168 in all")`);
  await page.until("document.querySelector('.viewing .live .row[data-changed]') === null", "the mark goes after a second");
  await page.until(`${facts}.includes("168")`, "the list is asked again");
  assert.match(await page.run(facts), /Observers0/, "the page does not count itself");
  await server.feed([photo(700, sequence, { rating: 4 })]);
  sequence += 1;
  await page.until(`${note}.startsWith("rows 1 to 100 · 167 in all")`);
  assert.doesNotMatch(await page.run(`${shown(".viewing .live .row")}[0].textContent`), /p000700/);
});

test("a window is moved, and keeps its place in the address", options, async () => {
  await page.click("button", "Later");
  await page.until(`${note}.startsWith("rows 101 to 167") && ${note}.endsWith("with pending edits")`, "the edited photo is a small one");
  assert.equal(await page.run(`${Page.element("button", "Later")}.disabled`), true, "the last row is shown");
  await page.click("button", "Earlier");
  await page.until(`${note}.startsWith("rows 1 to 100")`);
  await page.type("Rows at once", "20");
  await page.until(`${note}.startsWith("rows 1 to 20 ")`);
  assert.match(await page.run("location.hash"), /view=best.*limit=20/);
});

test("the plan counts, a row names the entities behind it, and leads to them and to their events", options, async () => {
  await page.until("[...document.querySelectorAll('.viewing tbody tr')].map((row) => row.cells[0].textContent).join() === 'from,order'");
  // The plan was counted once, at a moment that depends on the machine.
  await page.click("button", "Count again");
  await page.until("/photo.*167/.test(document.querySelector('.viewing tbody tr').textContent)");
  const key = await page.run(`${shown(".viewing .live .row")}[0].querySelector(".title").textContent`);
  await page.click("option", key);
  await page.until(`${shown(".viewing .plain .link")}.map((link) => link.textContent).join().startsWith("${key},sequence ")`);
  await page.run(`${shown(".viewing .plain .link")}[0].click()`);
  await page.until("document.querySelector('[role=tab][aria-selected=true]').textContent === 'Entities'");
  await page.until(`document.querySelector('.entity')?.textContent.includes(${JSON.stringify(key.split(":")[1])})`);
  await page.run("history.back()");
  await page.until("document.querySelector('[role=tab][aria-selected=true]').textContent === 'Views'");
  const selected = "document.querySelector('.viewing .live .row[aria-selected=true]')";
  await page.until(`${selected}?.textContent.startsWith(${JSON.stringify(key)})`, "the row is selected again");
});

test("why is an entity in it, or not: the first condition that failed, with the value", options, async () => {
  const ask = async (key, wanted) => {
    await page.type("Entity", key);
    await page.click("button", "Explain");
    await page.until(`(${reason}) === ${JSON.stringify(wanted)}`);
  };
  await ask("photo:p000004", "photo:p000004 is in no row: the value of photo:p000004 is 4, "
    + "and the condition at /from/where is {\"eq\":5,\"path\":\"/rating\"}.");
  await ask("photo:p000005", "photo:p000005 is in one row:");
  await ask("photo:p999999", "photo:p999999 is in no row: the cache does not show it.");
  const album = { resource_type: "album", resource: { id: "a9", name: "Dunes" } };
  await server.feed([{ library_id: "", sequence: sequence++, event: { ResourceChanged: album } }]);
  await ask("album:a9", "album:a9 is in no row: its type is no source of the view.");
  await page.type("Entity", "p000005");
  await page.click("button", "Explain");
  await page.until("document.querySelector('.viewing').textContent.includes('its type, a colon and its id')");
});

test("a view with parameters waits for their values, which may be words or JSON", options, async () => {
  await page.click("option", "rated");
  await page.until("document.querySelector('.viewing').textContent.includes('Write a value for rating')");
  assert.equal(await page.run(rowCount), 0);
  await page.type("rating", "3");
  await page.click("button", "Show");
  await page.until(`${rowCount} > 3`);
  await page.until(`${note}.startsWith("rows 1 to 50 ")`, "the window of the rule");
  await page.type("rating", "three");
  await page.click("button", "Show");
  await page.until(`${note}.startsWith("no rows here")`);
  await page.type("rating", "[3");
  await page.click("button", "Show");
  await page.until("document.querySelector('.viewing').textContent.includes('rating: ')");
});

test("a rule is tried, and the place that is wrong in it is marked", options, async () => {
  await page.click("button", "Try a rule");
  await page.type("Rule as JSON", "{\"from\": \"photo\",\n \"limti\": 2}");
  await page.click("button", "Show its rows");
  await page.until("document.querySelector('.viewing .source mark')?.textContent === '\"limti\": 2'");
  assert.match(await page.run(`${shown(".viewing [role=alert]")}[0].textContent`), /did you mean "limit"\? \(line 2, column 2\)$/);
  await page.type("Rule as JSON", "{\"from\": \"photo\", \"limit\"");
  await page.click("button", "Show its rows");
  await page.until(`${shown(".viewing [role=alert]")}[0]?.textContent.includes("line 1, column")`);
  const rule = { from: { type: "photo", where: { path: "/size", gt: { param: "least" } } }, aggregates: { n: { count: true } } };
  await page.type("Rule as JSON", JSON.stringify(rule));
  await page.click("button", "Show its rows");
  await page.type("least", "0");
  await page.click("button", "Show");
  await page.until(`${shown(".viewing .live .row")}[0]?.textContent === 'all{"n":999}'`, "one group of everything but the deleted one");
  const again = await open(await page.run("location.hash"));
  await again.until(`${shown(".viewing .live .row")}[0]?.textContent === 'all{"n":999}'`, "the address leads to the rule and its parameters");
  assert.deepEqual(await again.reports(), []);
  await again.close();
});

test("a view that is defined anew or dropped says so, and is not observed any more", options, async () => {
  await server.call("view.define", { name: "passing", view: BEST });
  await page.click("option", "passing");
  await page.until(`${rowCount} > 3`);
  const found = async () => (await server.call("view.list")).result.views.find(({ name }) => name === "passing");
  assert.equal((await found()).observers, 1);
  await server.call("view.define", { name: "passing", view: { ...BEST, limit: 2 } });
  await page.until(`document.querySelector(".viewing").textContent.includes("167 in all")`);
  await server.call("view.drop", { name: "passing" });
  await page.until(`${note} === "The view was dropped."`);
  await page.until(`${Page.element("option", "passing")} === undefined`);
  await page.click("option", "best");
  await page.until(`${rowCount} > 3`);
  await page.click("tab", "Now");
  for (let count = 1; count > 0;) count = (await server.call("view.list")).result.views.find(({ name }) => name === "best").observers;
});

test("a server that only reads is said to answer no views", options, async () => {
  const reader = await serve({ database: join(folder, "a.db"), options: ["--read-only"] });
  const other = await open("", reader);
  await other.until(`${shown(".empty")}.some(({ textContent }) => textContent.includes("ask the one that writes"))`);
  assert.deepEqual(await other.reports(), []);
  await other.close();
  assert.equal(await reader.close(), 0, reader.errors);
});

test("the browser complains about nothing", options, async () => {
  assert.deepEqual((await page.reports()).filter((report) => !report.includes("ResizeObserver")), []);
});
