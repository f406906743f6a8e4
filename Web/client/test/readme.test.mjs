// Every example of the pages is compiled under `strict`, as in a program that installed the package, and run. The sizes
// on the pages are checked, too.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { sizesOf } from "../scripts/size.mjs";
import { Browser, serve } from "./support/chromium.mjs";
import { browserPath, options } from "./support/page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = {
  web: new URL("../../README.md", import.meta.url),
  client: new URL("../README.md", import.meta.url),
  doors: new URL("../../../docs/doors.md", import.meta.url),
};

/** Returns the examples of a page, in order; each is a program. */
function examplesOf(page) {
  const text = readFileSync(pages[page], "utf8");
  return [...text.matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm)].map(([, kind, source], index) => ({ name: `${page}-${index}`, kind, source }));
}

const examples = ["web", "client", "doors"].flatMap(examplesOf);
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-readme-"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@tidemark"), { recursive: true });
  symlinkSync(root, join(modules, "@tidemark/client"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  copyFileSync(new URL("support/policy.json", import.meta.url), join(folder, "policy.json"));
  copyFileSync(new URL("support/readme.d.ts", import.meta.url), join(folder, "around.d.ts"));
  copyFileSync(new URL("../types/react.d.ts", import.meta.url), join(folder, "react.d.ts"));
  for (const { name, kind, source } of examples) writeFileSync(join(folder, `${name}.${kind}`), source);
});
after(async () => {
  await Browser.killAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("every example compiles under strict", () => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
    compilerOptions: {
      strict: true, noEmit: true, target: "es2022", lib: ["es2022", "dom", "dom.iterable"], module: "node16", moduleResolution: "node16",
      types: [], jsx: "react-jsx", resolveJsonModule: true, esModuleInterop: true, moduleDetection: "force", skipLibCheck: false,
    },
    include: ["*.ts", "*.tsx"],
  }));
  const run = spawnSync("tsc", ["-p", "."], { cwd: folder, encoding: "utf8" });
  assert.equal(run.stdout, "");
  assert.equal(run.status, 0);
});

/** Bundles an example with the code that the test adds before and after it. Returns the program's text. */
function bundled({ name, kind, source }, before, behind, words) {
  const path = join(folder, `${name}.run.${kind}`);
  // The code before an example is a module of its own, which runs before the example begins.
  writeFileSync(join(folder, `${name}.around.mjs`), before);
  writeFileSync(path, `import "./${name}.around.mjs";\n${source}\n${behind}`);
  return execFileSync("esbuild", [
    path, "--bundle", "--format=esm", "--target=es2022", "--jsx=automatic", "--log-level=error", "--define:process.env.NODE_ENV=\"production\"", ...words,
  ], { encoding: "utf8", env: { ...process.env, NODE_PATH: "/usr/share/nodejs" }, maxBuffer: 1 << 26 });
}

function find(page, text) {
  const found = examplesOf(page).filter(({ source }) => source.includes(text));
  assert.equal(found.length, 1, `the example of ${page} with ${text}`);
  return found[0];
}

function runInNode(example, before, behind) {
  const path = join(folder, `${example.name}.out.mjs`);
  writeFileSync(path, bundled(example, before, behind, ["--platform=node"]));
  return JSON.parse(execFileSync(process.execPath, [path], { encoding: "utf8" }).trim().split("\n").pop());
}

const line = (sequence, resource) => JSON.stringify({ sequence, event: { ResourceChanged: { resource_type: "photo", resource } } });
const run = new Set();
const example = (page, text) => {
  const found = find(page, text);
  run.add(found.name);
  return found;
};

test("the example of Node reads lines to their end", () => {
  const found = runInNode(
    example("web", "endOfInput"), `globalThis.lines = [${[1, 2, 4].map((n) => JSON.stringify(line(n, { id: `p${n}` }))).join(",")}];`,
    "console.log(JSON.stringify([cache.gaps()[''].sequence, cache.gaps()[''].lost, cache.export().length]));");
  assert.deepEqual(found, [4, [[3, 3]], 3]);
});

test("the first program of the browser's door prints a patch", () => {
  const found = runInNode(example("doors", "NormalizedCache"), "", "");
  assert.deepEqual(found, [{ op: "add", path: "/0", value: { id: "1", stars: 5 } }]);
});

test("the example of policies has ages and what a delete takes along", () => {
  const found = runInNode(example("web", "policyOfRules"), "", `
    other.ingest({ event: { ResourceChanged: { resource_type: "photo", resource: { id: "a", rating: 5, cover: "b" } } } });
    const { fields } = await other.calls.cache.explain({ resource_type: "photo", id: "a" });
    console.log(JSON.stringify(fields.map(({ name, max_age }) => [name, max_age])));`);
  assert.deepEqual(found, [["id", 3600], ["rating", 60], ["cover", 3600]]);
});

test("the example of views follows its rows", () => {
  const events = [
    ["project", { id: "p1", name: "App", team: "ios" }], ["issue", { id: "i1", title: "Slow", project: "p1", created: 1 }],
    ["issue", { id: "i2", title: "Ugly", project: "p2", created: 2 }], ["comment", { id: "c1", issue: "i1" }],
  ].map(([resource_type, resource], index) => JSON.stringify({ sequence: index + 1, event: { ResourceChanged: { resource_type, resource } } }));
  const found = runInNode(
    example("web", "teamIssues.rule"), `globalThis.lines = ${JSON.stringify(events)};`,
    "console.log(JSON.stringify(await cache.calls.view.read({ view: teamIssues.rule, params: { team: 'ios' } })));");
  assert.deepEqual(found, {
    rows: [{ id: "i1", title: "Slow", project: "App", comments: { count: 1 } }], stale: false, pending: false, missing: 1, as_of: 4,
  });
});

test("the example of scopes shows what a server sends", () => {
  const lines = [
    { sequence: 0, event: { Reset: { state: true } } },
    { sequence: 1, prev: 0, event: { ResourceBatchChanged: { resource_type: "issue", resources: [{ id: "i1", title: "Slow" }] } } },
    { sequence: 1_048_576, prev: 1, event: { Heartbeat: { last_sequence: 1_048_576 } } },
  ].map((event) => `${JSON.stringify({ library_id: "9f3c", epoch: "e1", ...event })}\n`);
  const found = runInNode(example("web", "connectScope"), `
    globalThis.asked = [];
    globalThis.fetch = async (url, { headers } = {}) => {
      if (url === "/token") return new Response("t1");
      asked.push(url, headers.Authorization);
      return new Response(new ReadableStream({ start(body) { body.enqueue(new TextEncoder().encode(${JSON.stringify(lines.join(""))})); } }));
    };`, "progress.close(); console.log(JSON.stringify([rows, asked])); process.exit();");
  assert.deepEqual(found, [[{ id: "i1", title: "Slow" }], ["https://example.org/scopes/project?project=p1", "Bearer t1"]]);
});

/** The environment of an example in a page: a WebSocket that the test controls, and the printed output. */
const around = `
  globalThis.printed = [];
  console.log = (...words) => { printed.push(words); };
  console.error = (...words) => { printed.push(words); };
  // A program that ends with an error is ready, too: the test checks the error.
  for (const name of ['error', 'unhandledrejection']) {
    addEventListener(name, (event) => Object.assign(globalThis, { failure: (event.reason ?? event.error)?.code ?? event.message, ready: true }));
  }
  globalThis.sockets = [];
  globalThis.WebSocket = class extends EventTarget {
    constructor(url) { super(); this.url = url; sockets.push(this); }
    say(data) { this.dispatchEvent(new MessageEvent('message', { data })); }
  };
  globalThis.until = async (isSo) => {
    const end = performance.now() + 10000;
    while (!isSo()) {
      if (performance.now() > end) throw new Error('it never came: ' + isSo + ' ' + document.body.innerText);
      await new Promise((resolve) => { setTimeout(resolve, 10); });
    }
  };
`;

/** Opens tabs on an example. `api` has the responses of its server, by path. */
async function inBrowser(found, { before = "", behind = "", api = {}, count = 1 }, body) {
  const server = await serve({
    "/": {
      type: "text/html",
      text: "<!doctype html><meta charset=utf-8><title>example</title><div id=root></div><script type=module src=/page.js></script>",
    },
    "/page.js": { type: "text/javascript", text: bundled(found, `${around}${before}`, `${behind}\nglobalThis.ready = true;`, []) },
    ...Object.fromEntries(Object.entries(api).map(([path, value]) => [path, { type: "application/json", text: JSON.stringify(value) }])),
  });
  const browser = await Browser.start(browserPath, mkdtempSync(join(folder, "profile-")));
  try {
    const tabs = [];
    for (let tab = 0; tab < count; tab += 1) tabs.push(await browser.page(server.url));
    await body(...tabs);
  } finally {
    await browser.close();
    server.close();
  }
}

const photos = [{ id: "p1", album: 7, name: "Open sea", taken: "2026-03-01" }, { id: "p2", album: 7, name: "Low tide", taken: "2026-03-02" }];

test("the first example shows a list in two tabs, and both hear of an event", options, async () => {
  const api = { "/api/photos": photos };
  const behind = "Object.assign(globalThis, { cache, entities });";
  await inBrowser(example("web", "membership"), { api, behind, count: 2 }, async (first, second) => {
    for (const tab of [first, second]) assert.deepEqual(await tab.run("entities.map(({ id }) => id)"), ["p2", "p1"]);
    assert.deepEqual([await first.run("cache.isWriter"), await second.run("cache.isWriter")], [true, false]);
    assert.deepEqual([await first.run("sockets.length"), await second.run("sockets.length")], [1, 0]);
    await first.run(`sockets[0].say(${JSON.stringify(line(1, { id: "p3", album: 7, name: "Salt marsh", taken: "2026-03-03" }))})`);
    for (const tab of [first, second]) {
      await tab.run("until(() => printed.length === 2)");
      assert.deepEqual(await tab.run("printed[1][1].map(({ op, path }) => [op, path])"), [["add", "/0"]]);
    }
  });
});

/** Waits until a page shows a text, even if it is reloaded in the meantime. */
async function shows(tab, text) {
  const end = Date.now() + 10_000;
  let shown = "";
  while (!shown.includes(text)) {
    assert.ok(Date.now() < end, `the page never showed '${text}', but '${shown}'`);
    shown = await tab.run("document.body?.innerText ?? ''").catch(() => "");
  }
}

for (const page of ["web", "client"]) {
  test(`the example of React on the page of ${page} shows a list, a failure, and the list again`, options, async () => {
    const before = page === "client" ? "" : `
      import { NormalizedCache } from "@tidemark/client";
      globalThis.cache = new NormalizedCache({ upstream: { async fetch(method, input) {
        const response = await fetch('/api/' + method);
        if (!response.ok) throw new Error('the server answered ' + response.status);
        return { resource_type: 'photo', resources: await response.json() };
      } } });`;
    const own = `
      const { fetch: real } = globalThis;
      globalThis.isDown = sessionStorage.getItem('isUp') === null;
      globalThis.fetch = (...words) => isDown && String(words[0]).includes('/api/')
        ? Promise.resolve(new Response('', { status: 500 })) : real(...words);`;
    const found = example(page, "createRoot");
    const words = { api: { "/api/photos": photos }, before: `${before}${own}`, behind: "Object.assign(globalThis, { cache });" };
    await inBrowser(found, words, async (tab) => {
      await shows(tab, "the server answered 500");
      await tab.run("sessionStorage.setItem('isUp', '1'); isDown = false; document.querySelector('button')?.click(); undefined");
      // The shorter example has no button: its user reloads the page.
      if (page === "client") await tab.send("Page.reload", {});
      await shows(tab, "Open sea");
      await tab.run("cache.ingest({ event: { ResourceChanged: { resource_type: 'photo', resource: { id: 'p1', album: 7, name: 'High tide' } } } })");
      await shows(tab, "High tide");
    });
  });
}

test("the example of views in React shows rows, and what changes in them", options, async () => {
  const before = `
    import { NormalizedCache } from "@tidemark/client";
    globalThis.cache = new NormalizedCache();
    globalThis.say = (resource) => cache.ingest({ event: { ResourceChanged: { resource_type: 'issue', resource } } });
    say({ id: 'i1', team: 'ios', title: 'Slow', created: 1 });`;
  const behind = `
    import { CacheProvider } from "@tidemark/client/react";
    import { createRoot } from "react-dom/client";
    createRoot(document.getElementById("root") as HTMLElement).render(<CacheProvider cache={cache}><Issues team="ios" /></CacheProvider>);`;
  await inBrowser(example("web", "useView(newest"), { before, behind }, async (tab) => {
    await shows(tab, "Slow");
    await tab.run("say({ id: 'i1', team: 'ios', title: 'Very slow', created: 1 })");
    await tab.run("say({ id: 'i2', team: 'web', title: 'Elsewhere', created: 2 })");
    await shows(tab, "Very slow");
    assert.equal(await tab.run("document.body.innerText.includes('Elsewhere')"), false);
  });
});

test("the example of a mutation shows its edit at once, and takes it back if it fails", options, async () => {
  const before = `
    import { NormalizedCache } from "@tidemark/client";
    globalThis.cache = new NormalizedCache();
    cache.ingest({ event: { ResourceChanged: { resource_type: 'photo', resource: { id: 'p1', name: 'Low tide' } } } });
    globalThis.asked = [];
    globalThis.fetch = (url, { body }) => { asked.push([url, JSON.parse(body)]); return new Promise((resolve) => { globalThis.answer = resolve; }); };`;
  const behind = `
    import { CacheProvider } from "@tidemark/client/react";
    import { createRoot } from "react-dom/client";
    createRoot(document.getElementById("root") as HTMLElement).render(<CacheProvider cache={cache}><Rename id="p1" /></CacheProvider>);`;
  await inBrowser(example("web", "useMutation<string>"), { before, behind }, async (tab) => {
    for (const [status, after] of [[500, "Low tide the server answered 500"], [200, "High tide"]]) {
      await shows(tab, "Low tide");
      await tab.run("document.querySelector('button').click()");
      await shows(tab, "High tide");
      await tab.run("until(() => asked.length > 0)");
      assert.deepEqual(await tab.run("asked.splice(0)"), [["/api/photos/p1", { name: "High tide" }]]);
      await tab.run(`answer(new Response('{"id":"p1","name":"High tide"}', { status: ${status} })); undefined`);
      await shows(tab, after);
    }
    await tab.run("until(() => cache.port.edits(null).pending.length === 0)");
  });
});

test("the example that follows a server says that it is refused", options, async () => {
  const own = `
    globalThis.token = 'wrong';
    globalThis.fetch = async () => new Response('{"error":{"code":-32000,"message":"the token is wrong"}}', { status: 401 });`;
  await inBrowser(example("web", "followServe"), { before: own, behind: "await cache.ready;" }, async (tab) => {
    await tab.run("until(() => printed.length === 1)");
    assert.deepEqual(await tab.run("printed"), [["the server refuses: the server answered 401: the token is wrong"]]);
  });
});

test("the example with a journal of its own opens in one tab, and says in another one that it is locked", options, async () => {
  await inBrowser(example("web", "whenLocked"), { behind: "globalThis.isOpen = true;", count: 2 }, async (first, second) => {
    assert.deepEqual([await first.run("isOpen"), await second.run("[globalThis.isOpen, failure]")], [true, [null, "locked"]]);
  });
});

test("the example of edits sends one, and confirms it", options, async () => {
  const api = { "/api/photos.rename": { id: "p1", name: "Open sea" } };
  await inBrowser(example("web", "outbox.changed"), { api, behind: "globalThis.cache = cache;" }, async (tab) => {
    await tab.run("until(() => printed.some(([, state]) => state === 'sending'))");
    await tab.run("until(() => cache.port.edits(null).pending.length === 0)");
    const entity = await tab.run("cache.calls.entity.get({ resource_type: 'photo', id: 'p1' }).then(({ entity }) => entity)");
    assert.deepEqual(entity, { id: "p1", name: "Open sea" });
    // While the page is offline, nothing is sent.
    await tab.run("dispatchEvent(new Event('offline'))");
    await tab.run(`cache.calls.optimistic.update({
      pending_id: "late", changes: [{ op: "patch", resource_type: "photo", id: "p1", fields: { name: "Later" } }],
      send: { method: "photos.rename", input: {} } })`);
    const states = await tab.run("cache.calls.outbox.list().then(({ outbox }) => outbox.map(({ state }) => state))");
    assert.deepEqual(states, ["queued"]);
    await tab.run("dispatchEvent(new Event('online'))");
    await tab.run("until(() => cache.port.edits(null).pending.length === 0)");
  });
});

test("every example was run", { skip: browserPath === null ? "no Chromium, or no React of Debian" : false }, () => {
  assert.deepEqual([...run].sort(), examples.map(({ name }) => name).sort());
});

test("npm test runs the runner of the tests, which passes over the helper pages", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.equal(scripts.test, "node scripts/test.mjs");
});

test("the sizes on the page are those of the package", () => {
  const text = readFileSync(pages.client, "utf8");
  const rows = new Map([...text.matchAll(/^\| (.+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)].map(
    ([, name, ...sizes]) => [name, sizes.map(Number)]));
  for (const { name, atOnce, withLists, later } of sizesOf(root, join(root, "bundle"))) {
    const found = [atOnce.compressed, withLists.compressed, atOnce.compressed + later.compressed].map((count) => count / 1_000);
    const said = rows.get(name) ?? [0, 0, 0];
    const isTrue = found.every((size, index) => Math.abs(size - said[index]) <= 0.5);
    assert.ok(isTrue, `the page says of ${name} ${said.join(", ")} kB; it is ${found.map((size) => size.toFixed(1)).join(", ")}`);
  }
});
