// The page with 100,000 entities and 1,000 events a second. Skipped without Chromium or without a built command.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "../../client/test/support/chromium.mjs";
import { fill, photo } from "./support/data.mjs";
import { Browser, Page } from "./support/page.mjs";
import { closeAll, command, serve } from "./support/server.mjs";

const missing = command() === null ? "no command is built" : chromium() === null ? "no Chromium" : null;
const isReady = missing === null;
const options = { skip: missing ?? false };
const ENTITY_COUNT = 100_000;
const SECONDS = Number(process.env.LOAD_SECONDS ?? 8);
const PER_SECOND = 1_000;
const PIECE_COUNT_MAX = 200;
/** Limits of the page's memory: the heap of its scripts, and its elements and styles. */
const BYTE_COUNT_MAX = 150e6;
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-load-"));
let browser;
let server;
let page;
let sequence;

before(async () => {
  if (!isReady) return;
  server = await serve({ database: join(folder, "a.db") });
  sequence = await fill(server, ENTITY_COUNT);
  browser = await Browser.start(chromium(), mkdtempSync(join(folder, "profile-")));
  page = await Page.open(browser, server.page);
  await page.size(1280, 800);
  await page.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.until(Page.element("tab", "Now"));
});

after(async () => {
  await browser?.kill();
  await closeAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Feeds events evenly: ten batches a second, and more of them after a pause. Returns the number of events. */
async function feed() {
  const start = performance.now();
  const end = start + SECONDS * 1_000;
  let sent = 0;
  while (performance.now() < end) {
    const lines = [];
    const due = (performance.now() - start) / 1_000 * PER_SECOND;
    for (; sent < due && lines.length < PIECE_COUNT_MAX; sent += 1) lines.push(photo(sequence * 7_919 % ENTITY_COUNT, sequence++));
    if (lines.length > 0) await server.feed(lines);
    if (lines.length < PIECE_COUNT_MAX) await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
  return sent;
}

const metric = async (name) => (await page.send("Performance.getMetrics")).metrics.find((each) => each.name === name)?.value ?? 0;

/** Measures the page while events arrive: its updates, its processor time, and the pauses in which it drew nothing. */
async function watched(view) {
  await page.click("tab", view);
  await page.run(`(() => {
    globalThis.longest = 0;
    let last = performance.now();
    const step = (now) => { globalThis.longest = Math.max(globalThis.longest, now - last); last = now; globalThis.probe = requestAnimationFrame(step); };
    globalThis.probe = requestAnimationFrame(step);
  })()`);
  const [from, updates, busy] = [await page.run("performance.now()"), await page.run("tidemarkFrameCount"), await metric("TaskDuration")];
  const sent = await feed();
  const seconds = (await page.run("performance.now()") - from) / 1_000;
  await page.run("cancelAnimationFrame(globalThis.probe)");
  const found = { view, sent, perSecond: (await page.run("tidemarkFrameCount") - updates) / seconds,
    busy: (await metric("TaskDuration") - busy) / seconds, longest: await page.run("globalThis.longest"), heap: await metric("JSHeapUsedSize"),
    nodes: await metric("Nodes") };
  console.log(JSON.stringify(found));
  assert.ok(found.perSecond <= 61, `${found.perSecond} updates a second`);
  // Less than a second of work per second, however busy the machine is: the page keeps up.
  assert.ok(found.busy < 0.75, `the page's thread is busy for ${found.busy} of the time`);
  assert.ok(found.heap < BYTE_COUNT_MAX, `${found.heap} bytes of heap`);
  assert.ok(found.nodes < 20_000, `${found.nodes} nodes`);
  return found;
}

test("all entities are counted, found, and scrolled through; only the rows that are seen exist", options, async () => {
  await page.click("tab", "Entities");
  await page.until("[...document.querySelectorAll('.bar select option')].some((option) => option.textContent === 'photo (100,000)')", "the count", 30_000);
  await page.run(`(() => {
    const select = document.querySelector(".bar select");
    select.value = [...select.options].find((option) => option.textContent.startsWith("photo")).value;
    select.dispatchEvent(new Event("change"));
  })()`);
  await page.until("document.querySelectorAll('.panel:not([hidden]) .row:not([hidden])').length > 5");
  await page.run("document.querySelector('.panel:not([hidden]) .rows').scrollTop = 1e9");
  await page.type("Key", "p099999");
  await page.click("option", "photo:p099999");
  await page.until("document.querySelector('.entity .json')?.textContent.includes('p099999')");
  assert.ok(await page.run("document.querySelectorAll('.row').length") < 200);
});

test("1,000 events a second are drawn in Now, Entities, Queries and Log without a dropped second", options, async () => {
  for (const view of ["Now", "Entities", "Queries"]) await watched(view);
  await page.click("tab", "Log");
  await page.click("button", "Empty the view");
  const { sent } = await watched("Log");
  // Every event is a row or is counted as left out, and the newest one is the first row.
  await page.until(`document.querySelector(".log .row[aria-posinset='1'] .cell-sequence")?.textContent === "${sequence - 1}"`, "the newest event", 30_000);
  const note = (await page.run("document.querySelector('.log .note').textContent")).replaceAll(",", "");
  const [shown, leftOut] = [Number(/^[0-9]+/.exec(note)?.[0] ?? 0), Number(/([0-9]+) left out/.exec(note)?.[1] ?? 0)];
  assert.equal(shown + leftOut, sent, note);
  await page.click("tab", "Now");
  await page.until("document.querySelector('.tiles dd').textContent !== '–'");
});

test("the browser complains about nothing under load", options, async () => {
  assert.deepEqual((await page.reports()).filter((report) => !report.includes("ResizeObserver")), []);
});
