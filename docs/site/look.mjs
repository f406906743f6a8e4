// Looks at every page of the built site in Chromium, 360 and 1280 pixels wide, light and dark: nothing may reach past the
// screen, text must be readable on its ground, no script may fail, and the search must find what the pages have.
//
//     node docs/site/look.mjs .build/site
//
// Ends with 0 and a note where Chromium is not installed.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, chromium } from "../../Web/client/test/support/chromium.mjs";

const folder = resolve(process.argv[2]);
if (chromium() === null) {
  console.log("Chromium is not installed: the site was not looked at");
  process.exit(0);
}
const address = (page) => pathToFileURL(`${folder}/${page}`).href;
const pages = readdirSync(folder).filter((name) => name.endsWith(".html"));

/** Measures the page: its width, and the least contrast of its texts with their grounds. */
const measure = `(() => {
  const channel = (value) => { const part = value / 255; return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const color = (text) => text.match(/[\\d.]+/g).map(Number);
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const found = color(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  let least = 21;
  for (const element of document.querySelectorAll("h1, h2, p, a, li, td, th, code, label")) {
    const [one, two] = [light(color(getComputedStyle(element).color)), light(ground(element))];
    least = Math.min(least, (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05));
  }
  return { width: document.documentElement.scrollWidth, least };
})()`;

// Pages of DocC read their data over HTTP.
const types = { ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".css": "text/css", ".svg": "image/svg+xml" };
const server = createServer((request, response) => {
  let path = join(folder, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
  if (existsSync(path) && statSync(path).isDirectory()) path = join(path, "index.html");
  if (!existsSync(path)) return response.writeHead(404).end();
  response.writeHead(200, { "Content-Type": types[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
});
await new Promise((done) => { server.listen(0, "127.0.0.1", done); });
/** Pages of DocC, each with words that its data brings. */
const declarations = existsSync(join(folder, "api"))
  ? [["", "Tidemark"], ["tidemark", "SyncCache"], ["tidemark/synccache", "ingest"], ["tidemark/embedinasyncservice", "Feed it"],
    ["tidemarksqlite/sqlitejournal", "SQLiteJournal"]]
  : [];

const browser = await Browser.start(chromium());
let count = 0;
try {
  for (const [width, scheme] of [[360, "light"], [360, "dark"], [1280, "light"], [1280, "dark"]]) {
    const tab = await browser.page("about:blank", undefined, "'ready'");
    await tab.send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 });
    await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await tab.send("Page.enable");
    const open = async (page) => {
      const loaded = browser.event("Page.loadEventFired", () => true);
      await tab.send("Page.navigate", { url: address(page) });
      await loaded;
    };
    for (const page of pages) {
      await open(page);
      const { width: found, least } = await tab.run(measure);
      assert.ok(found <= width, `${page} is ${found} pixels wide on a screen of ${width}`);
      assert.ok(least >= 4.5, `${page} has text with a contrast of ${least.toFixed(2)} (${scheme})`);
      count += 1;
    }
    for (const [page, words] of declarations) {
      const loaded = browser.event("Page.loadEventFired", () => true);
      await tab.send("Page.navigate", { url: `http://127.0.0.1:${server.address().port}/api/documentation/${page}` });
      await loaded;
      const shown = await tab.run(`new Promise((done) => {
        const look = () => document.querySelector("main")?.innerText.includes(${JSON.stringify(words)}) ? done(true) : requestAnimationFrame(look);
        setTimeout(() => done(false), 30000);
        look();
      })`);
      assert.ok(shown, `DocC's page "${page}" does not show "${words}"`);
      assert.ok(await tab.run("document.documentElement.scrollWidth") <= width, `DocC's page "${page}" is too wide`);
      count += 1;
    }
    await open("index.html");
    const find = (words) => tab.run(`(() => {
      const field = document.getElementById("words");
      field.value = ${JSON.stringify(words)};
      field.dispatchEvent(new Event("input"));
      return [...document.querySelectorAll("#found a")].map((link) => link.textContent);
    })()`);
    assert.ok((await find("why tidemark"))[0].startsWith("Why Tidemark"), "the search does not find the page of a title");
    assert.ok((await find("SyncCache.ingest")).some((name) => name.startsWith("SyncCache.ingest")), "nor a declaration");
    assert.deepEqual(await find("nothing-has-this-word"), []);
    assert.equal(await tab.run("document.getElementById('menu').open"), width >= 992);
    await tab.close();
  }
} finally {
  await browser.kill();
  server.close();
}
console.log(`looked at ${pages.length + declarations.length} pages, ${count} times`);
