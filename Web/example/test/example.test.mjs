// The example in Chromium: two tabs that stay the same, an edit while offline that survives a reload, and a gap that heals.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { Browser } from "../../client/test/support/chromium.mjs";
import { drawn } from "../../client/test/support/drawn.mjs";
import { browserPath, options } from "../../client/test/support/page.mjs";
import { start } from "../server/main.mjs";

const folder = mkdtempSync(join(tmpdir(), "tidemark-example-browser-"));
/** The folder for screenshots of the page. */
const pictures = process.env.PICTURES;
const hasBundler = existsSync("/usr/share/nodejs/react-dom");
let example;
let browser;

before(async () => {
  if (browserPath === null) return;
  example = await start();
  browser = await Browser.start(browserPath, mkdtempSync(join(folder, "profile-")));
});

after(async () => {
  await Browser.killAll();
  await example?.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const helpers = `(() => {
  globalThis.titles = () => [...document.querySelectorAll('.card h2')].map((title) => title.textContent);
  globalThis.text = (id) => document.querySelector('[data-testid=' + id + ']')?.textContent ?? '';
  globalThis.button = (name) => [...document.querySelectorAll('button')].find((one) => (one.getAttribute('aria-label') ?? one.textContent) === name);
  globalThis.until = async (isSo) => {
    const end = performance.now() + 10000;
    while (!isSo()) {
      if (performance.now() > end) throw new Error('it never came: ' + isSo + ' ' + document.body.innerText.slice(0, 600));
      await new Promise((resolve) => { setTimeout(resolve, 10); });
    }
  };
  globalThis.rename = async (id, title) => {
    document.querySelector('[data-id=' + id + '] .open').click();
    await until(() => document.querySelector('dialog[open] input') !== null);
    const input = document.querySelector('dialog input');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, title);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    // React writes the attribute once it has adopted the value.
    await until(() => input.getAttribute('value') === title);
    button('Save').click();
  };
  globalThis.violations = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI));
  globalThis.ready = true;
})()`;

async function open() {
  const page = await browser.page(example.url, undefined, "typeof globalThis.cache");
  await page.run(helpers);
  await page.run("until(() => titles().length > 0)");
  return page;
}

async function picture(page, name) {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.send("Page.bringToFront", {});
  for (const scheme of ["light", "dark"]) {
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    for (const [width, height] of [[360, 780], [1280, 800]]) {
      await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      await page.run(`until(() => innerWidth === ${width} && matchMedia('(prefers-color-scheme: ${scheme})').matches)`);
      await drawn(page);
      assert.ok(await page.run("document.documentElement.scrollWidth <= innerWidth"), `${name} at ${width} is wider than the window`);
      const { data } = await page.send("Page.captureScreenshot", { format: "png" });
      writeFileSync(join(pictures, `${name}-${scheme}-${width}.png`), Buffer.from(data, "base64"));
    }
  }
  await page.send("Emulation.clearDeviceMetricsOverride", {});
}

test("a command that cannot serve, and a port in use, are said in a line", { skip: hasBundler ? false : "no React of Debian" }, async () => {
  const run = (environment) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL("../server/main.mjs", import.meta.url))], {
      encoding: "utf8", env: { ...process.env, PORT: "0", TIDEMARK_COMMAND: "", ...environment }, timeout: 60_000,
    });
    return { status, stdout, stderr: stderr.trimEnd() };
  };
  const start = "the example cannot start:";
  assert.deepEqual(run({ TIDEMARK_COMMAND: "/nothing/here" }), {
    status: 1, stdout: "", stderr: `${start} /nothing/here serve cannot be started: spawn /nothing/here ENOENT`,
  });
  assert.deepEqual(run({ TIDEMARK_COMMAND: "false" }), { status: 1, stdout: "", stderr: `${start} false serve ended at once with code 1` });
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address();
  assert.deepEqual(run({ PORT: String(port) }), {
    status: 1, stdout: "", stderr: `${start} listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
  });
  holder.close();
});

test("the library is shown, newest first, and two tabs stay the same", options, async () => {
  const first = await open();
  const second = await open();
  assert.equal((await first.run("titles()")).length, 18);
  await picture(first, "library");
  await first.run("rename('p3', 'Blue hour, again')");
  await second.run("until(() => titles().includes('Blue hour, again'))");
  await second.run("button('Favourite: Open sea').click(); until(() => button('Favourite: Open sea').getAttribute('aria-pressed') === 'false')");
  await first.run("until(() => button('Favourite: Open sea').getAttribute('aria-pressed') === 'false')");
  await first.run("until(() => text('pending') === '')");
  assert.equal(example.service.photos.get("p3").title, "Blue hour, again");
  assert.equal(example.service.photos.get("p1").favourite, false);
  // Another user's photo appears at the right place in both tabs, and only in the lists to which it belongs.
  await first.run("button('Hills').click(); until(() => titles().length === 6)");
  example.service.add("Ada's photo");
  await second.run("until(() => titles()[0] === \"Ada's photo\")");
  assert.equal(await first.run("titles().length"), example.service.photos.get("p19").album === "Hills" ? 7 : 6);
  await second.run("document.querySelector('[data-id=p2] .open').click(); until(() => document.querySelector('dialog[open]') !== null)");
  await picture(second, "photo");
  // The writing tab closes: the other one takes over.
  await first.close();
  await second.run("until(() => document.body.innerText.includes('this tab writes'))");
  example.service.rename("p2", "First snow, seen again");
  await second.run("until(() => titles().includes('First snow, seen again'))");
  assert.deepEqual(await second.run("violations"), []);
  await second.close();
});

test("an edit while offline survives a reload, and is sent when the page is online again", options, async () => {
  const page = await open();
  await page.run("button('Work offline').click(); until(() => text('phase') === 'Offline')");
  await page.run("rename('p5', 'Offline ridge')");
  await page.run("until(() => titles().includes('Offline ridge') && text('pending') === '1 edit to send')");
  await picture(page, "offline");
  await page.run("cache.flush()");
  // The mark disappears with the page.
  await page.run("globalThis.isLeft = true");
  await page.send("Page.reload", {});
  while (await page.run("globalThis.isLeft === true ? '' : typeof globalThis.cache").catch(() => "") !== "object") { /* it loads */ }
  await page.run(helpers);
  await page.run("until(() => titles().includes('Offline ridge') && text('pending') === '1 edit to send' && text('phase') === 'Offline')");
  assert.equal(example.service.photos.get("p5").title, "Ridge path");
  await page.run("button('Work offline').click(); until(() => text('pending') === '' && text('phase') === 'Up to date')");
  assert.equal(example.service.photos.get("p5").title, "Offline ridge");
  assert.ok(await page.run("titles().includes('Offline ridge')"));
  assert.deepEqual(await page.run("violations"), []);
  await page.close();
});

test("an event that was lost is noticed, asked for, and there", options, async () => {
  const page = await open();
  await page.run("button('Lose an event').click(); until(() => text('news').includes('The gap has healed'))");
  await picture(page, "gap");
  const wanted = [...example.service.photos.values()].sort((left, right) => left.taken < right.taken ? 1 : -1).map(({ title }) => title);
  await page.run("until(() => text('phase') === 'Up to date')");
  assert.deepEqual(await page.run("titles()"), wanted);
  assert.deepEqual(await page.run("cache.calls.cache.stats().then(({ libraries }) => libraries[''].lost)"), []);
  assert.deepEqual(await page.run("violations"), []);
  await page.close();
});
