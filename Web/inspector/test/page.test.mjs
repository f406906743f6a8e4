// The page in Chromium, as the built `tidemark serve` serves it. Skipped without Chromium or without a built command.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "../../client/test/support/chromium.mjs";
import { axe, axePath } from "./support/axe.mjs";
import { answer, fill, photo } from "./support/data.mjs";
import { Browser, Page } from "./support/page.mjs";
import { closeAll, command, run, serve } from "./support/server.mjs";
import { setTheViews } from "./support/views.mjs";

const missing = command() === null ? "no command is built" : chromium() === null ? "no Chromium" : null;
const isReady = missing === null;
const options = { skip: missing ?? false };
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-"));
const pictures = process.env.INSPECTOR_PICTURES ?? join(folder, "pictures");
const CONTROLS = "button,input,select,textarea,summary,[tabindex='0']";
const VIEWS = ["Now", "Entities", "Queries", "Views", "Pending edits", "Quarantine", "Log", "Ask"];
let browser;
let server;
let page;
let sequence;

before(async () => {
  if (!isReady) return;
  mkdirSync(pictures, { recursive: true });
  server = await serve({ database: join(folder, "a.db"), answer, options: ["--record", join(folder, "a.rec")] });
  sequence = await fill(server, 2_000);
  browser = await Browser.start(chromium(), mkdtempSync(join(folder, "profile-")));
  page = await Page.open(browser, server.page);
  await page.size(1280, 800);
  await page.until(Page.element("tab", "Now"));
});

after(async () => {
  await browser?.kill();
  const status = await server?.close();
  await closeAll();
  if (isReady) assert.equal(status, 0, server?.errors);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
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
  await page.until("document.querySelector('.panel:not([hidden]) .note').textContent === '9 entities'", "nine keys, without the deleted one");
  await page.click("option", "photo:p000001");
  await page.until("document.querySelector('.entity .json')?.textContent.includes('Wrack line')");
  await page.until("document.querySelector('.entity .layer')?.textContent.includes('rename-1')");
  await page.until("document.querySelector('.entity .plain')?.textContent.includes('photos.recent')");
  const writerOfTitle = "[...document.querySelectorAll('.entity tbody tr')].find((row) => row.textContent.startsWith('title'))?.children[1].textContent";
  await page.until(`${writerOfTitle} === 'rename-1 over an answer'`);
  await page.click("switch", "With pending edits");
  await page.until("document.querySelector('.entity .json').textContent.includes('\"harbour 1\"')");
  assert.equal(await page.run(writerOfTitle), "an answer");
  await page.click("switch", "With pending edits");
  await server.feed([photo(1, sequence, { size: 77 })]);
  sequence += 1;
  await page.until("document.querySelector('.changes')?.textContent.includes('size')");
  assert.match(await text(".changes ins"), /^77$/);
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
  if (axePath() !== null) assert.deepEqual(await axe(page), [], "the question");
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

test("every control of each view is reached and seen by the keyboard alone", options, async () => {
  await page.size(1280, 800);
  for (const view of VIEWS) {
    await page.click("tab", view);
    await page.run("document.querySelector('[role=tab][aria-selected=true]').focus()");
    const met = new Set();
    let wanted = 1;
    for (let press = 0; press < wanted + 10 && met.size < wanted; press += 1) {
      await page.press("Tab");
      // Controls are looked up each time, because changes in the cache redraw them.
      const [count, number, isSeen, name] = await page.run(`(() => {
        const all = document.querySelectorAll(${JSON.stringify(`.panel:not([hidden]) :is(${CONTROLS})`)});
        const controls = [...all].filter((control) => control.checkVisibility() && !control.disabled && control.tabIndex >= 0);
        const style = getComputedStyle(document.activeElement);
        return [controls.length, controls.indexOf(document.activeElement), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
          document.activeElement.outerHTML.slice(0, 100)];
      })()`);
      wanted = count;
      if (number < 0) continue;
      met.add(number);
      assert.ok(isSeen, `${view}: the focus is not seen on ${name}`);
    }
    assert.equal(met.size, wanted, `${view}: controls that Tab does not reach`);
  }
});

test("from the address to the event that wrote a field, without a mouse", options, async () => {
  const other = await Page.open(browser, server.page);
  await other.size(1280, 800);
  await other.until(Page.element("tab", "Now"));
  const tabTo = async (condition) => {
    for (let press = 0; press < 40; press += 1) {
      await other.press("Tab");
      if (await other.run(`document.activeElement.matches(${JSON.stringify(condition)})`)) return;
    }
    assert.fail(`Tab does not reach ${condition}`);
  };
  await tabTo("[role=tab]");
  await other.press("ArrowRight");
  await other.until("document.querySelector('.panel:not([hidden]) [role=option]') !== null");
  await tabTo("[role=listbox]");
  await other.press("ArrowDown");
  await other.until("document.querySelector('.entity td .link') !== null");
  await tabTo(".entity td .link");
  await other.press("Enter");
  await other.until("document.querySelector('[role=tab][aria-selected=true]').textContent === 'Log'");
  await other.until("document.querySelector('.log .detail h2') !== null");
  await other.close();
});

/** Data for each view: edits, a changing list, events. */
async function setTheScene() {
  await page.size(1280, 800);
  const patch = { op: "patch", resource_type: "photo", id: "p000001", fields: { title: "Wrack line", rating: 5 } };
  await server.call("optimistic.update", { pending_id: "rename-1", changes: [patch] });
  const removal = { op: "delete", resource_type: "photo", id: "p000002" };
  await server.call("optimistic.update", { pending_id: "delete-2", depends_on: "rename-1", changes: [removal] });
  await page.click("tab", "Log");
  const lines = [];
  for (let number = 0; number < 40; number += 1) lines.push(photo(number * 5, sequence++, { rating: number % 7 }), ...(number % 9 === 0 ? [photo(3, 1)] : []));
  await server.feed([...lines, "{\"sequence\":}", photo(1, sequence++, { size: 78 })]);
  await page.until("Number(document.querySelector('.log .note').textContent.replaceAll(',', '').split(' ')[0]) > 40");
  await page.click("option", "photo:p000001");
  await page.click("tab", "Queries");
  await page.click("option", "photos.best");
  await page.until("document.querySelectorAll('.live .row:not([hidden])').length > 3");
  await setTheViews(server, page);
  await page.click("tab", "Entities");
  for (const label of ["Field", "Value", "Order by"]) await page.type(label, "");
  await page.type("Key", "p0000");
  await page.until("document.querySelector('.panel:not([hidden]) .note').textContent.startsWith('99')");
  await page.click("option", "photo:p000001");
  await page.until("document.querySelector('.entity .layer')?.textContent.includes('rename-1')");
  await page.run("document.querySelector('.panel:not([hidden]) .detail').scrollTop = 0");
}

test("each view stands in every width, light and dark, and nothing in it is nameless or pale", options, async () => {
  const found = [];
  await setTheScene();
  for (const [width, height] of [[320, 640], [360, 740], [780, 900], [1280, 800], [2560, 1300]]) {
    for (const isDark of [false, true]) {
      await page.size(width, height, isDark);
      for (const view of VIEWS) {
        await page.click("tab", view);
        const name = `${view.toLowerCase().replace(" ", "-")}-${width}-${isDark ? "dark" : "light"}`;
        if (width !== 320) await page.picture(join(pictures, `${name}.png`));
        const problems = await page.findings();
        // axe is slow: the narrowest and the usual width cover everything that it checks.
        if (axePath() !== null && (width === 320 || width === 1280)) problems.push(...await axe(page));
        found.push(...problems.map((problem) => `${name}: ${problem}`));
      }
    }
  }
  await page.size(1280, 800);
  assert.deepEqual(found, []);
});

// From a wrong field, one click on its sequence shows the event, and another one everything that the event named.
test("a field leads to the event that wrote it, also to one from before the page was opened", options, async () => {
  const other = await Page.open(browser, server.page);
  await other.size(1280, 800);
  await other.click("tab", "Entities");
  await other.type("Key", "p000009");
  await other.click("option", "photo:p000009");
  await other.until("document.querySelector('.entity td .link')?.textContent === '10'");
  await other.run("document.querySelector('.entity td .link').click()");
  await other.until("document.querySelector('[role=tab][aria-selected=true]').textContent === 'Log'");
  await other.until("document.querySelector('.log .detail .json')?.textContent.includes('p000009')", "the event of the recording");
  await server.feed([photo(9, sequence, { title: "wrong" })]);
  const wrote = sequence;
  sequence += 1;
  await other.click("tab", "Entities");
  await other.until(`document.querySelector('.entity .json').textContent.includes('wrong')
    && [...document.querySelectorAll('.entity td .link')].some((link) => link.textContent === '${wrote}')`);
  await other.run(`[...document.querySelectorAll('.entity td .link')].find((link) => link.textContent === '${wrote}').click()`);
  await other.until("document.querySelector('.log .detail .plain')?.textContent.includes('photo:p000009')", "the event of the log");
  await other.run("document.querySelector('.log .detail .plain .link').click()");
  await other.until("document.querySelector('[role=tab][aria-selected=true]').textContent === 'Entities'");
  assert.deepEqual(await other.reports(), []);
  await other.close();
});

test("the last minutes are saved from the page, and the command replays them", options, async () => {
  const saved = join(folder, "saved");
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: saved, eventsEnabled: true });
  const download = browser.event("Browser.downloadProgress", ({ state }) => state !== "inProgress");
  await page.click("tab", "Now");
  await page.click("button", "Save the last minutes");
  await page.until("document.querySelector('.notice').textContent.includes('tidemark replay tidemark.rec')");
  const file = join(saved, "tidemark.rec");
  assert.equal((await download).state, "completed");
  assert.ok(readFileSync(file, "utf8").includes("\"end\":true"));
  const replayed = await run(["replay", file, "--get", "photo:p000001"]);
  assert.equal(replayed.status, 0, replayed.errors);
  assert.match(replayed.output, /"title":"Wrack line","size":78/);
});

test("a cut stream is found again, and what was observed goes on", options, async () => {
  const other = await Page.open(browser, server.detour);
  await other.size(1280, 800);
  await other.click("tab", "Log");
  await other.until("document.querySelector('.status').textContent === 'Connected'");
  const newest = (number) => `document.querySelector(".log .row[aria-posinset='1'] .cell-sequence")?.textContent === "${number}"`;
  const count = () => other.run("Number(document.querySelector('.log .note').textContent.split(' ')[0])");
  // The first event that the page shows proves that it is observing.
  for (const end = Date.now() + 30_000; await count() === 0;) {
    assert.ok(Date.now() < end, "the page hears no event");
    await server.feed([photo(5, sequence++)]);
  }
  await other.until(newest(sequence - 1));
  await other.until("Number(document.querySelector('.log .note').textContent.split(' ')[0]) >= 500", "the events from before the page was opened");
  const before = await count();
  server.cut();
  await server.feed([photo(6, sequence++)]);
  await other.until(newest(sequence - 1), "the event of the pause");
  assert.equal(await count(), before + 1);
  await other.until("document.querySelector('.status').textContent === 'Connected'");
  await other.close();
});

test("where the database is only read, the page asks again, and no button changes anything", options, async () => {
  const reader = await serve({ database: join(folder, "a.db"), options: ["--read-only"] });
  const other = await Page.open(browser, reader.page);
  await other.size(1280, 800);
  await other.until("[...document.querySelectorAll('.badge')].some((badge) => badge.textContent === 'read only' && badge.checkVisibility())");
  await other.until("document.querySelector('.status').textContent === 'Connected'");
  await other.click("tab", "Queries");
  await other.click("option", "photos.best");
  await other.until("document.querySelectorAll('.live .row:not([hidden])').length > 3");
  await server.feed([photo(1_711, sequence, { rating: 5, size: 99_998 })]);
  sequence += 1;
  await other.until("document.querySelector('.live .row[data-changed]')?.textContent.includes('p001711')");
  assert.equal(await other.run(`${Page.element("button", "Invalidate")} === undefined`), true);
  await other.click("tab", "Entities");
  await other.type("Key", "p001711");
  await other.click("option", "photo:p001711");
  await other.until("document.querySelector('.entity .json')?.textContent.includes('99998')");
  await server.feed([photo(1_711, sequence, { rating: 5, size: 99_997 })]);
  sequence += 1;
  await other.until("document.querySelector('.changes ins')?.textContent === '99997'");
  await other.click("tab", "Quarantine");
  await other.until(Page.element("option", "bad_sequence"));
  assert.equal(await other.run(`${Page.element("button", "Retry all")} === undefined`), true);
  await other.click("tab", "Log");
  await other.until("document.querySelector('.log .empty').textContent.includes('only read')");
  await other.click("tab", "Ask");
  assert.equal(await other.run("[...document.querySelectorAll('.panel:not([hidden]) option')].some((option) => option.value === 'cache.clear')"), false);
  assert.deepEqual(await other.reports(), []);
  assert.equal(await reader.close(), 0, reader.errors);
  await other.close();
});

test("without a token the page says where it comes from", options, async () => {
  const other = await Page.open(browser, server.serving.replace("127.0.0.1", "localhost"));
  await other.until("document.querySelector('.status')?.textContent === 'Not admitted'");
  await other.until("document.querySelector('.notice').textContent.includes('tidemark serve')");
  await other.close();
});

test("the browser complains about nothing", options, async () => {
  assert.deepEqual((await page.reports()).filter((report) => !report.includes("ResizeObserver")), []);
});
