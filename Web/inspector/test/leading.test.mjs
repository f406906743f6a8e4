// Links from one view to another, in Chromium: events with their content, whole keys, addresses, edits as layers.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "../../client/test/support/chromium.mjs";
import { axe, axePath } from "./support/axe.mjs";
import { answer, fill, photo } from "./support/data.mjs";
import { Browser, Page } from "./support/page.mjs";
import { closeAll, command, serve } from "./support/server.mjs";

const missing = command() === null ? "no command is built" : chromium() === null ? "no Chromium" : null;
const options = { skip: missing ?? false };
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-leads-"));
let browser;
let server;
let sequence;

before(async () => {
  if (missing !== null) return;
  server = await serve({ database: join(folder, "a.db"), answer });
  sequence = await fill(server, 2_000);
  browser = await Browser.start(chromium(), mkdtempSync(join(folder, "profile-")));
});

after(async () => {
  await browser?.kill();
  const status = await server?.close();
  await closeAll();
  if (missing === null) assert.equal(status, 0, server?.errors);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Opens a page of a server. */
async function open(from = server, width = 1_280, height = 800) {
  const page = await Page.open(browser, from.page);
  await page.size(width, height);
  await page.until(Page.element("tab", "Now"));
  return page;
}

test("an event shows its line, and each entity before and after it, also from before the page was opened and without a recording", options, async () => {
  const quiet = await serve({ database: join(folder, "quiet.db"), answer });
  await quiet.feed([photo(1, 1), photo(1, 2, { title: "wrong", rating: 9 }), photo(2, 3)]);
  const other = await open(quiet);
  await other.click("tab", "Entities");
  await other.click("option", "photo:p000001");
  await other.until("[...document.querySelectorAll('.entity td .link')].some((link) => link.textContent === '2')");
  await other.run("[...document.querySelectorAll('.entity td .link')].find((link) => link.textContent === '2').click()");
  await other.until("document.querySelector('.log .detail .json')?.textContent.includes('wrong')", "the line of the event");
  const write = await other.run("document.querySelector('.log .detail .write').innerText");
  assert.match(write, /photo:p000001/);
  assert.match(write, /harbour 1/);
  assert.match(write, /"wrong"/);
  assert.doesNotMatch(write, /tags/, "only what differs");
  await other.click("tab", "Entities");
  await other.until("document.querySelectorAll('.entity .changes[aria-label=\"Events that wrote it\"] > li').length === 2");
  await other.run("document.querySelector('.entity .changes[aria-label=\"Events that wrote it\"] > li:last-child .link').click()");
  await other.until("document.querySelector('.log .write .badge')?.textContent === 'new'", "its first event");
  await other.type("Key", "P000002");
  await other.until("document.querySelector('.log .note').textContent.startsWith('1 event ')");
  await quiet.feed([photo(1, 4), photo(2, 5)]);
  await other.until("document.querySelector('.log .note').textContent.startsWith('2 events ')");
  assert.deepEqual(await other.reports(), []);
  await other.close();
  assert.equal(await quiet.close(), 0, quiet.errors);
});

test("a whole key is found whatever type and library are chosen, and the list moves as the cache does", options, async () => {
  const photos = await open();
  await photos.click("tab", "Entities");
  await photos.until(Page.element("option", "photo:"));
  await photos.type("Key", "album:b1");
  await photos.until("document.querySelector('.panel:not([hidden]) .row .title')?.textContent === 'album:b1'");
  await photos.click("option", "album:b1");
  await photos.until("document.querySelector('.entity h2').textContent === 'album:b1' && document.querySelector('.entity .json') !== null");
  await photos.type("Key", "photo:p00007");
  await photos.until("document.querySelector('.panel:not([hidden]) .note').textContent === '10 entities'");
  await server.feed([photo(75, sequence, { title: "moved" })]);
  sequence += 1;
  await photos.until("document.querySelector('.panel:not([hidden]) .row[data-changed]')?.textContent.includes('moved')");
  await server.call("optimistic.update", { pending_id: "gone", changes: [{ op: "delete", resource_type: "photo", id: "p000071" }] });
  await photos.until("document.querySelector('.panel:not([hidden]) .note').textContent === '9 entities'");
  await server.call("optimistic.rollback", { pending_id: "gone" });
  await photos.until("document.querySelector('.panel:not([hidden]) .note').textContent === '10 entities'");
  assert.deepEqual(await photos.reports(), []);
  await photos.close();
});

test("every view and what is chosen in it has an address, and Back leads to the one before", options, async () => {
  const other = await open();
  await other.click("tab", "Entities");
  await other.type("Key", "p000012");
  await other.click("option", "photo:p000012");
  await other.until("location.hash.includes('key=photo:p000012') && location.hash.includes('find=p000012')");
  await other.until("document.querySelector('.entity td .link') !== null");
  await other.run("document.querySelector('.entity td .link').click()");
  await other.until("/^#log\\?.*sequence=13/.test(location.hash)");
  await other.until("document.querySelector('.log .write') !== null");
  await other.click("tab", "Queries");
  await other.click("option", "photos.recent");
  await other.until("location.hash.includes('method=photos.recent')");
  const address = await other.run("location.href");
  await other.run("history.back()");
  await other.until("location.hash === '#queries'");
  await other.run("history.back()");
  await other.until("/^#log\\?.*sequence=13/.test(location.hash) && document.querySelector('[role=tab][aria-selected=true]').textContent === 'Log'");
  await other.run("history.back()");
  await other.until("document.querySelector('[role=tab][aria-selected=true]').textContent === 'Entities'");
  await other.until("document.querySelector('.entity h2')?.textContent === 'photo:p000012'");
  await other.run("history.forward()");
  await other.until("document.querySelector('.log .write') !== null && document.querySelector('[role=tab][aria-selected=true]').textContent === 'Log'");
  // The tab keeps the token: the address alone is enough.
  await other.run(`location.href = ${JSON.stringify(address)}; setTimeout(() => location.reload())`);
  await other.until("document.querySelector('.query h2')?.textContent === 'photos.recent'");
  assert.deepEqual(await other.reports(), []);
  await other.close();
});

test("what the page itself observes is not counted", options, async () => {
  const alone = await serve({ database: join(folder, "alone.db"), answer });
  await alone.feed([photo(1, 1)]);
  await alone.call("query.put", { method: "photos.recent", resource_type: "photo", resources: [photo(1, 1).event.ResourceChanged.resource] });
  const other = await open(alone);
  await other.click("tab", "Queries");
  await other.click("option", "photos.recent");
  await other.until("document.querySelectorAll('.live .row:not([hidden])').length === 1");
  await other.until("document.querySelector('.query .facts').innerText.includes('Observers\\n0')");
  assert.equal((await alone.call("cache.stats")).result.observers >= 2, true);
  await other.click("tab", "Now");
  await other.until("[...document.querySelectorAll('.tile')].find((tile) => tile.textContent.startsWith('Observers'))?.textContent === 'Observers0'");
  await other.click("tab", "Entities");
  await other.click("option", "photo:p000001");
  await other.until("document.querySelector('.entity .badges').textContent.includes('0 observers')");
  await other.close();
  assert.equal(await alone.close(), 0, alone.errors);
});

test("an entity is edited as a layer; its value and commands are copied", options, async () => {
  const other = await open();
  await other.click("tab", "Entities");
  await other.type("Key", "p000030");
  await other.click("option", "photo:p000030");
  await other.until("document.querySelector('.entity .json') !== null");
  await other.run("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { globalThis.copied = text; } } })");
  await other.click("button", "Copy as curl");
  await other.until("globalThis.copied?.includes('/entities/photo/p000030')");
  await other.click("button", "Copy the value");
  await other.until("globalThis.copied.startsWith('{\"id\":\"p000030\"')");
  await other.click("button", "Edit");
  await other.until("document.querySelector('dialog[open] textarea') !== null");
  if (axePath() !== null) assert.deepEqual(await axe(other), [], "the editor");
  await other.run(`(() => {
    const area = document.querySelector("dialog textarea");
    area.value = area.value.replace(/"title": "[^"]*"/, '"title": "tried"');
  })()`);
  await other.run("[...document.querySelectorAll('dialog button')].find((each) => each.textContent === 'Show it').click()");
  await other.until("document.querySelector('.entity .layer')?.textContent.includes('inspector-')");
  await other.until("document.querySelector('.entity .json').textContent.includes('tried')");
  const [edit] = (await server.call("optimistic.list")).result.pending.filter(({ pending_id }) => pending_id.startsWith("inspector-"));
  assert.deepEqual(edit.changes, [{ op: "patch", resource_type: "photo", id: "p000030", fields: { title: "tried" } }]);
  await server.call("optimistic.rollback", { pending_id: edit.pending_id });
  assert.deepEqual(await other.reports(), []);
  await other.close();
});

test("a fetch has its time; the next one fails, is late, or is not sent at all, when a tester says so", options, async () => {
  const tested = await serve({ database: join(folder, "tested.db"), answer });
  await tested.call("query.put", { method: "photos.recent", resource_type: "photo", resources: [] });
  const other = await open(tested);
  const fetched = async () => (await tested.call("query.read", { method: "photos.recent", policy: "networkOnly" })).error?.data.code ?? "fetched";
  assert.equal(await fetched(), "fetched");
  await other.click("tab", "Queries");
  await other.click("option", "photos.recent");
  await other.until("/Last fetch\\n[0-9.]+ m?s, /.test(document.querySelector('.query .facts').innerText)");
  await other.until("/Read here\\n[0-9.]+ m?s/.test(document.querySelector('.query .facts').innerText)");
  await other.click("tab", "Now");
  await other.click("button", "Fail the next fetch");
  await other.until("document.querySelector('.network').innerText.includes('the next 1 request will fail')");
  assert.equal(await fetched(), "upstream_failed");
  assert.equal(await fetched(), "fetched");
  await other.click("switch", "Offline");
  await other.until("document.querySelector('.network').innerText.includes('nothing is sent')");
  assert.equal(await fetched(), "upstream_failed");
  await other.click("tab", "Queries");
  await other.until("document.querySelector('.query .facts').innerText.includes('switched off for a test')");
  await other.click("tab", "Now");
  await other.click("switch", "Offline");
  await other.type("Delay", "0.2");
  await other.until("document.querySelector('.network').innerText.includes('requests are sent late')");
  const start = Date.now();
  assert.equal(await fetched(), "fetched");
  assert.ok(Date.now() - start >= 200);
  assert.deepEqual(await other.reports(), []);
  await other.close();
  assert.equal(await tested.close(), 0, tested.errors);
});

test("every width is used: all tabs are seen on a narrow page, and lists are as high as a wide one", options, async () => {
  const page = await open(server, 360, 740);
  assert.deepEqual(await page.run(`[...document.querySelectorAll("[role=tab]")].filter((tab) => {
    const { left, right, top } = tab.getBoundingClientRect();
    return left < 0 || right > innerWidth || top < 0;
  }).map((tab) => tab.textContent)`), []);
  await page.size(2560, 1300);
  await page.click("tab", "Queries");
  await page.click("option", "photos.best");
  await page.until("document.querySelectorAll('.live .row:not([hidden])').length > 15");
  await page.until("document.querySelector('.panel:not([hidden]) .split').getBoundingClientRect().right > 2500");
  await page.close();
});
