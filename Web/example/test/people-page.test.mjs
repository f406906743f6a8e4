// The page of two people in a browser: both see the shared album, and one is taken out of it and let in again.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tidemark } from "../../client/test/support/binary.mjs";
import { Browser } from "../../client/test/support/chromium.mjs";
import { browserPath, options as browserOptions } from "../../client/test/support/page.mjs";
import { start } from "../server/main.mjs";

const command = tidemark();
const options = command === null ? { skip: "no command is built" } : browserOptions;
const folder = mkdtempSync(join(tmpdir(), "tidemark-people-"));
let example;
after(async () => {
  await Browser.killAll();
  await example?.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const helpers = `(() => {
  globalThis.titles = (name) => [...document.querySelectorAll('[aria-label="' + name + '"] .card h2')].map((title) => title.textContent).sort().join();
  globalThis.standing = (id) => document.querySelector('[data-testid="' + id + '"]')?.textContent ?? '';
  globalThis.press = (name) => [...document.querySelectorAll('button')].find((one) => one.textContent === name).click();
  globalThis.until = async (isSo) => {
    const end = performance.now() + 20000;
    while (!isSo()) {
      if (performance.now() > end) throw new Error('it never came: ' + isSo + ' ' + document.body.innerText.slice(0, 600));
      await new Promise((resolve) => { setTimeout(resolve, 10); });
    }
  };
})()`;

test("the page of two people shows each their albums, and takes one of them out of the shared one", options, async () => {
  example = await start({ command });
  const browser = await Browser.start(browserPath, mkdtempSync(join(folder, "profile-")));
  const page = await browser.page(`${example.url}/people`, undefined, "typeof globalThis.people");
  await page.run(helpers);
  await page.run("until(() => titles('Ann') === 'Dunes,Harbour,Letter' && titles('Ben') === 'Dunes,Harbour,Receipt')");
  await page.run("press('Take Ben out of the trip')");
  await page.run("until(() => titles('Ben') === 'Receipt' && standing('ben-0') === 'Not a member any more')");
  assert.equal(await page.run("titles('Ann')"), "Dunes,Harbour,Letter");
  await page.run("press('Let Ben in again')");
  await page.run("document.querySelectorAll('[role=switch]')[1].click()");
  await page.run("until(() => standing('ben-1') === 'Offline')");
  await page.run("document.querySelectorAll('[role=switch]')[1].click()");
  await page.run("until(() => titles('Ben') === 'Dunes,Harbour,Receipt' && standing('ben-0') === 'Up to date')");
});
