// The page in Chromium, before a real cache. Skipped without Chromium or without a built command.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { chromium } from "../../client/test/support/chromium.mjs";
import { bridge, command } from "./support/bridge.mjs";
import { answer, fill, photo } from "./support/data.mjs";
import { Browser, Page } from "./support/page.mjs";

const isReady = chromium() !== null && command() !== null;
const options = { skip: isReady ? false : "no Chromium, or no command is built" };
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-"));
const pictures = process.env.INSPECTOR_PICTURES ?? join(folder, "pictures");
const files = fileURLToPath(new URL("../dist", import.meta.url));
const VIEWS = ["Now", "Entities", "Queries", "Pending edits", "Quarantine", "Log", "Ask"];
let browser;
let server;
let page;
let sequence;
let isReadOnly = false;

before(async () => {
  if (!isReady) return;
  mkdirSync(pictures, { recursive: true });
  const observing = (method) => isReadOnly && (method.endsWith(".observe") || method === "query.read");
  server = await bridge({ database: join(folder, "a.db"), files, answer, refuses: observing });
  sequence = await fill(server, 2_000);
  browser = await Browser.start(chromium(), mkdtempSync(join(folder, "profile-")));
  page = await Page.open(browser, `${server.url}#token=${encodeURIComponent(server.token)}`);
  await page.size(1280, 800);
  await page.until(Page.element("tab", "Now"));
});

after(async () => {
  await browser?.kill();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const text = (selector) => page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`);

test("the tabs have the names of the views, and the token leaves the address", options, async () => {
  assert.deepEqual(await page.run("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)"), VIEWS);
  assert.equal(await page.run("location.hash"), "");
  assert.equal(await page.run("document.querySelectorAll('[role=tabpanel]:not([hidden])').length"), 1);
});

test("Now shows libraries, sizes and what is wrong", options, async () => {
  await page.until("document.querySelector('.status').textContent === 'Connected'");
  await page.until("[...document.querySelectorAll('.now tbody th')].map((cell) => cell.textContent).join() === '(default),archive,broken'");
  await page.until("document.querySelector('.findings li') !== null");
  await page.until("document.querySelector('.tiles').textContent.includes('2,002')");
});

test("an entity is found by key and by a field; edits over it can be taken away; its changes are shown", options, async () => {
  await page.click("tab", "Entities");
  await page.until("[...document.querySelectorAll('.bar select option')].some((option) => option.textContent === 'photo (2,000)')");
  await page.run(`(() => {
    const select = document.querySelector(".bar select");
    select.value = [...select.options].find((option) => option.textContent.startsWith("photo")).value;
    select.dispatchEvent(new Event("change"));
  })()`);
  await page.type("Key", "P00000");
  await page.until("document.querySelector('.panel:not([hidden]) .note').textContent === '9'", "nine keys, without the deleted one");
  await page.click("option", "photo:p000001");
  await page.until("document.querySelector('.entity .json')?.textContent.includes('Wrack line')");
  await page.until("document.querySelector('.entity .layer')?.textContent.includes('rename-1')");
  await page.until("document.querySelector('.entity .plain')?.textContent.includes('photos.recent')");
  await page.click("switch", "With pending edits");
  await page.until("document.querySelector('.entity .json').textContent.includes('\"harbour 1\"')");
  await page.click("switch", "With pending edits");
  await server.feed([photo(1, sequence, { size: 77 })]);
  sequence += 1;
  await page.until("document.querySelector('.changes')?.textContent.includes('size')");
  assert.match(await text(".changes ins"), /^77$/);
  await page.until("document.querySelector('.entity td .link') !== null", "the writer's sequence leads to its event");
  await page.run("document.querySelector('.entity td .link').click()");
  await page.until(`document.querySelector("[role=tab][aria-selected=true]").textContent === "Log"`);
  await page.until(`document.querySelector(".log .detail").textContent.includes("photo:p000001")`);
  await page.click("tab", "Entities");
  await page.type("Key", "");
  await page.type("Field", "/rating");
  await page.type("Value", "3");
  await page.type("Order by", "/size");
  await page.until("document.querySelector('.panel:not([hidden]) .note').textContent.startsWith('33')", "a third of a sixth");
});

test("a list moves as the cache does, and a changed element is marked for a second", options, async () => {
  await page.click("tab", "Queries");
  await page.click("option", "photos.best");
  await page.until("document.querySelectorAll('.live .row:not([hidden])').length > 3");
  await server.feed([photo(1_700, sequence, { rating: 5, size: 99_999 })]);
  sequence += 1;
  await page.until("document.querySelector('.live .row[data-changed]')?.textContent.includes('p001700')");
  await page.until("document.querySelector('.live .row[data-changed]') === null");
  await page.click("option", "photos.recent");
  await page.click("button", "Invalidate");
  await page.until("document.querySelector('.facts').textContent.includes('it was invalidated')");
  await page.click("button", "Refetch");
  await page.until("[...document.querySelectorAll('.live .title')].some((title) => title.textContent === 'photo:p000004')");
});

test("a line in quarantine shows the place that is wrong, and nothing in it is markup", options, async () => {
  await page.click("tab", "Quarantine");
  await page.click("option", "bad_sequence");
  await page.until("document.querySelector('.source mark')?.textContent === '-4'");
  assert.match(await text(".source"), /<img src=x onerror=alert\(1\)>/);
  assert.equal(await page.run("document.querySelectorAll('img').length"), 0);
  await page.click("button", "Retry all");
  await page.until("document.querySelector('.notice').textContent.includes('still in quarantine')");
});

test("the log shows events as they come, filters them and pauses", options, async () => {
  await page.click("tab", "Log");
  await page.type("Bin", "duplicate");
  await page.until("document.querySelector('.log .note').textContent.length > 0");
  await page.click("button", "Empty the view");
  await server.feed([photo(3, 1), photo(4, sequence)]);
  sequence += 1;
  await page.until("document.querySelector('.log .note').textContent.startsWith('1 event ')");
  await page.click("switch", "Pause");
  await server.feed([photo(3, 1)]);
  await page.until("document.querySelector('.log .note').textContent.includes('1 more')");
  await page.click("switch", "Pause");
  await page.until("document.querySelector('.log .note').textContent.startsWith('2 events')");
  await page.type("Bin", "");
});

test("rolling an edit back asks first, and can be cancelled by the keyboard", options, async () => {
  await page.click("tab", "Pending edits");
  await page.until("document.querySelector('.cards .card')?.textContent.includes('made ')");
  await page.click("button", "Roll back");
  await page.until("document.querySelector('dialog[open]') !== null");
  await page.press("Escape");
  await page.until("document.querySelector('dialog') === null");
  assert.equal((await server.call("optimistic.list")).result.pending.length, 2);
  await page.click("button", "Roll back");
  await page.until("document.querySelector('dialog[open]') !== null");
  await page.run("document.querySelector('dialog .danger').click()");
  await page.until("document.querySelectorAll('.cards .card').length === 0");
  assert.equal((await server.call("optimistic.list")).result.pending.length, 0);
});

test("a method is asked with a form; one that changes asks first; mistakes are said", options, async () => {
  await page.click("tab", "Ask");
  await page.type("Method", "entity.find");
  await page.type("resource_type", "photo");
  await page.type("limit", "2");
  await page.click("button", "Ask");
  await page.until("document.querySelector('.answer')?.textContent.includes('photo:p000001')");
  await page.type("limit", "many");
  await page.click("button", "Ask");
  await page.until("document.querySelector('.request [role=alert]').textContent !== ''");
  await page.type("Method", "cache.clear");
  await page.click("button", "Ask");
  await page.until("document.querySelector('dialog[open]') !== null");
  await page.press("Escape");
  await page.until("document.querySelector('dialog') === null");
  assert.equal((await server.call("cache.stats")).result.entities > 2_000, true);
});

test("the page is walked by the keyboard alone", options, async () => {
  await page.run("document.querySelector('[role=tab][aria-selected=true]').focus()");
  await page.press("Home");
  assert.equal(await page.run("document.activeElement.textContent"), "Now");
  await page.press("ArrowRight");
  await page.until("document.activeElement.textContent === 'Entities'");
  await page.run("document.querySelector('.panel:not([hidden]) [role=listbox]').focus()");
  await page.press("ArrowDown");
  await page.press("ArrowDown");
  await page.until("document.querySelector('.panel:not([hidden]) [role=option][aria-selected=true]') !== null");
  assert.notEqual(await page.run("document.activeElement.getAttribute('aria-activedescendant')"), null);
});

test("each view stands in every width, light and dark, and nothing in it is nameless or pale", options, async () => {
  for (const [width, height] of [[320, 640], [360, 740], [1280, 800], [2560, 1300]]) {
    for (const isDark of [false, true]) {
      await page.size(width, height, isDark);
      for (const view of VIEWS) {
        await page.click("tab", view);
        if (width !== 320) await page.picture(join(pictures, `${view.toLowerCase().replace(" ", "-")}-${width}-${isDark ? "dark" : "light"}.png`));
        assert.deepEqual(await page.findings(), [], `${view} at ${width} ${isDark ? "dark" : "light"}`);
      }
    }
  }
  await page.size(1280, 800);
});

test("a cut stream is found again, and what was observed goes on", options, async () => {
  await page.click("tab", "Log");
  server.cut();
  await page.until("document.querySelector('.status').textContent === 'Connected'");
  await page.until("document.querySelector('.log .note').textContent !== ''");
  await new Promise((resolve) => { setTimeout(resolve, 800); });
  await page.click("button", "Empty the view");
  await server.feed([photo(5, sequence)]);
  sequence += 1;
  await page.until("document.querySelector('.log .note').textContent.startsWith('1 event ')");
});

test("where the database is only read, there is no button that changes it", options, async () => {
  isReadOnly = true;
  const other = await Page.open(browser, `${server.url}#token=${encodeURIComponent(server.token)}`);
  await other.until("[...document.querySelectorAll('.badge')].some((badge) => badge.textContent === 'read only' && badge.checkVisibility())");
  await other.size(1280, 800);
  await other.click("tab", "Queries");
  await other.click("option", "photos.recent");
  await other.until("document.querySelector('.query h2')?.textContent === 'photos.recent'");
  assert.equal(await other.run(`${Page.element("button", "Invalidate")} === undefined`), true);
  await other.click("tab", "Quarantine");
  await other.until(Page.element("option", "bad_sequence"));
  assert.equal(await other.run(`${Page.element("button", "Retry all")} === undefined`), true);
  isReadOnly = false;
});

test("without a token the page says where it comes from", options, async () => {
  const other = await Page.open(browser, server.url.replace("127.0.0.1", "localhost"));
  await other.until("document.querySelector('.status')?.textContent === 'Not admitted'");
  await other.until("document.querySelector('.notice').textContent.includes('tidemark serve')");
});

test("thousands of events a second take at most 60 updates a second", options, async () => {
  await page.click("tab", "Log");
  const start = await page.run("[performance.now(), tidemarkFrameCount]");
  for (let round = 0; round < 20; round += 1) {
    const lines = [];
    for (let index = 0; index < 100; index += 1) {
      lines.push(photo(sequence % 500, sequence));
      sequence += 1;
    }
    await server.feed(lines);
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
  const end = await page.run("[performance.now(), tidemarkFrameCount]");
  const perSecond = (end[1] - start[1]) / ((end[0] - start[0]) / 1_000);
  assert.ok(perSecond <= 61, `${perSecond} updates a second`);
  assert.ok(await page.run("document.querySelectorAll('.log .row').length") < 120, "only rows that are seen exist");
});

test("the browser complains about nothing", options, async () => {
  assert.deepEqual((await page.reports()).filter((report) => !report.includes("ResizeObserver")), []);
});
