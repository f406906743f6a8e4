// Several tabs over one database in Chromium: one writes, the others follow, and nothing that was acknowledged is lost.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser } from "./support/chromium.mjs";
import { browserPath as path, options, startPage } from "./support/page.mjs";

let server;
before(async () => { server = await startPage(); });
after(() => server.end());

const join = (name) => `share('${name}').then((own) => { Object.assign(globalThis, own); return shared.isWriter; })`;

test("two tabs: what one does the other shows, edits, answers and pending marks too", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  assert.equal(await first.run(join("two")), true);
  assert.equal(await second.run(join("two")), false);
  await first.run("shared.ingest(event(1, { id: 'a', n: 1 }))");
  await second.run("until(() => shown() === 'a=1')");
  await second.run("shared.ingest(event(2, { id: 'b', n: 2 })); shared.flush()");
  await first.run("until(() => shown() === 'a=1 b=2')");
  const update = "shared.calls.optimistic.update({ pending_id: 'p', changes: [{ op: 'patch', resource_type: 'photo', id: 'a', fields: { n: 9 } }] })";
  await second.run(update);
  await first.run("until(() => shown() === 'a=9 b=2')");
  await first.run("until(() => shared.port.edits(null).pending.length === 1)");
  await second.run("until(() => shared.port.edits(null).pending.length === 1)");
  assert.equal(await second.run(`${update}.catch((error) => error.code)`), "duplicate_pending");
  await first.run("shared.calls.optimistic.rollback({ pending_id: 'p' })");
  await second.run("until(() => shown() === 'a=1 b=2' && shared.port.edits(null).pending.length === 0)");
  assert.equal(await first.run("shared.calls.cache.stats().then(({ observers }) => observers)"), 2);
  await second.run("shared.close()");
  await first.run(`until(() => {
    shared.calls.cache.stats().then(({ observers }) => { globalThis.observers = observers; });
    return globalThis.observers === 1;
  })`);
  await browser.close();
});

test("the inspector looks at a shared cache from any tab, and goes on when another one writes", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  await first.run(join("inspected"));
  await second.run(join("inspected"));
  await first.run("shared.ingest(event(1, { id: 'a', n: 1 })); shared.ingest('{\"no\":\"event\",}'); shared.flush()");
  const sees = async (page, name, text) => {
    await page.run(`found.open('${name}')`);
    await page.run(`until(() => found.panel().includes('${text}'))`).catch(async (error) => {
      throw new Error(`${name}: ${error.message}; shown: ${(await page.run("found.panel()")).slice(0, 500)}`);
    });
  };
  for (const page of [first, second]) {
    // A background page draws nothing.
    await page.send("Page.bringToFront", {});
    await page.run("globalThis.found = inspectShared(shared); undefined");
    await sees(page, "Now", "live");
    await sees(page, "Entities", "photo");
    await sees(page, "Quarantine", "not_json in line 2");
    await page.run("found.open('Log')");
  }
  // The following tab also observes the log, and later that of the next writing tab.
  await first.run("shared.ingest(event(2, { id: 'b', n: 2 }))");
  await second.run("until(() => found.panel().includes('photo:b'))");
  await first.run("shared.close()");
  await second.run("until(() => shared.isWriter)");
  await second.run("shared.ingest(event(3, { id: 'c', n: 3 }))");
  await second.run("until(() => found.panel().includes('photo:c'))");
  await second.run("found.end()");
  await browser.close();
});

test("five tabs: each that writes is killed in the middle of its commits, and the next one has all that was acknowledged", options, async () => {
  const browser = await Browser.start(path, server.profile());
  let pages = [];
  for (let tab = 0; tab < 5; tab += 1) {
    const page = await browser.page(server.url);
    page.tab = `t${tab}`;
    await page.run(join("five"));
    pages.push(page);
  }
  const acknowledged = new Map();
  for (const page of pages) await page.run(`edit(shared, '${page.tab}')`);
  while (pages.length > 1) {
    const writers = await Promise.all(pages.map((page) => page.run("shared.isWriter")));
    const writer = pages[writers.indexOf(true)];
    assert.equal(writers.filter(Boolean).length, 1);
    for (const page of pages) {
      const before = acknowledged.get(page.tab) ?? 0;
      await page.run(`until(() => acknowledged >= ${before + 10})`);
      acknowledged.set(page.tab, await page.run("acknowledged"));
    }
    writer.crash();
    pages = pages.filter((page) => page !== writer);
    // The others continue by themselves: their requests are repeated, and their observations continue.
    for (const page of pages) await page.run(`until(() => acknowledged > ${acknowledged.get(page.tab) + 2})`);
    const held = await pages[0].run("shared.calls.optimistic.list().then(({ pending }) => pending.map(({ pending_id }) => pending_id))");
    for (const [tab, count] of acknowledged) {
      const own = held.filter((id) => id.startsWith(`${tab}-`)).map((id) => Number(id.split("-")[1]));
      assert.ok(own.length >= count, `${tab}: ${count} edits were acknowledged, ${own.length} are there`);
      assert.deepEqual(own, own.map((_, index) => index + 1), "each edit once, in order");
    }
  }
  // The list that the last tab observed across four writers equals a read.
  const [last] = pages;
  assert.equal(await last.run("shared.isWriter"), true);
  assert.ok(await last.run(`(async () => {
    await shared.close;
    const read = async () => (await shared.calls.query.read({ method: 'photos' })).entities.map(({ id, n }) => id + '=' + n).join(' ');
    return await read() === shown();
  })()`));
  await browser.close();
});

test("events and their places survive the writer: another tab goes on where the database is", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  await first.run(join("events"));
  await second.run(join("events"));
  await first.run("globalThis.acknowledged = 0; write({ ingest: (line) => shared.ingest(line), flush: () => shared.flush() }, 0)");
  await first.run("until(() => acknowledged >= 200)");
  const acknowledged = await first.run("acknowledged");
  first.crash();
  await second.run("until(() => shared.isWriter)");
  const found = await second.run("shared.calls.cache.stats().then(({ libraries }) => libraries[''])");
  assert.ok(found.sequence >= acknowledged, `${acknowledged} was acknowledged, ${found.sequence} is there`);
  assert.deepEqual(found.lost, []);
  await second.run(`shared.ingest(event(${found.sequence + 1}, { id: 'z', n: 1 })); shared.flush()`);
  await second.run("until(() => shown().endsWith('z=1'))");
  await browser.close();
});

test("an observation that the next tab refuses at first goes on as soon as it has room", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  await first.run(join("room"));
  await first.run("shared.ingest(event(1, { id: 'a', n: 1 })); shared.flush()");
  // Time runs a hundred times as fast for the tab with room for one observer.
  await second.run(`share('room', {
    limits: { observerCountMax: 1 },
    clock: {
      now: () => Date.now(),
      schedule: (milliseconds, body) => { const timer = setTimeout(body, milliseconds / 100); return () => clearTimeout(timer); },
    },
  }).then((own) => { Object.assign(globalThis, own); })`);
  await second.run(`shared.calls.entity.observe({ resource_type: 'photo', id: 'a' }).then(() => {
    shared.on('entity.changed', ({ entity }) => { globalThis.heard = entity.n; });
  })`);
  first.crash();
  await second.run("until(() => shared.isWriter)");
  await second.run("shared.ingest(event(2, { id: 'a', n: 2 })); until(() => shown() === 'a=2')");
  assert.equal(await second.run("globalThis.heard ?? null"), null, "there is room for the list alone");
  await second.run("shared.calls.observe.cancel({ subscription: 1 })");
  await second.run("until(() => globalThis.heard === 2)");
  await browser.close();
});

test("a full device in the tab that writes is said to the tab that asks, and reading goes on", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  await first.run(join("full"));
  await second.run(join("full"));
  await first.run("IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }; undefined");
  assert.deepEqual(await second.run(`(async () => {
    const refused = await shared.calls.optimistic.update({ pending_id: 'p', changes: [{ op: 'put', resource_type: 'photo', resource: { id: 'a', n: 1 } }] })
      .catch((error) => error.code);
    const { storage } = await shared.calls.cache.stats();
    return { refused, storage, list: shown() };
  })()`), { refused: "storage_failed", storage: "disk_full", list: "" });
  await browser.close();
});

test("a newer page takes the database: the older one says so, and serves from memory", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  await first.run(join("versions"));
  await first.run("shared.ingest(event(1, { id: 'a', n: 1 })); shared.flush()");
  // A newer version of the page brings a newer format.
  await second.run(`new Promise((resolve) => {
    const request = indexedDB.open('versions', 3);
    request.onsuccess = () => { request.result.close(); resolve(); };
  })`);
  assert.deepEqual(await first.run(`(async () => {
    const refused = await shared.calls.optimistic.update({ pending_id: 'p', changes: [{ op: 'delete', resource_type: 'photo', id: 'a' }] })
      .catch((error) => error.message);
    return { refused: /another page took the database/.test(refused), list: shown() };
  })()`), { refused: true, list: "a=1" });
  assert.equal(await second.run("share('versions').then(() => 'opened', (error) => error.code)"), "newer_format");
  assert.equal(await second.run("new Promise((resolve) => { indexedDB.open('versions').onsuccess = ({ target }) => resolve(target.result.version); })"), 3);
  await browser.close();
});

test("the tab that writes connects its sources before it asks for what waits", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  assert.deepEqual(await page.run(`(async () => {
    let isConnected = false;
    const upstream = {
      async fetch() {
        if (!isConnected) throw new Error('there is no connection');
        return { resource_type: 'photo', resources: [{ id: 'a', n: 1 }] };
      },
    };
    const lead = () => {
      isConnected = true;
      return () => undefined;
    };
    const shared = new SharedCache({ name: 'connected', upstream, lead });
    return (await shared.calls.query.observe({ method: 'photos' })).entities;
  })()`), [{ id: "a", n: 1 }]);
  await browser.close();
});

test("damaged records are left out and named; the rest is there", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const found = await page.run(`(async () => {
    const before = await open('damaged');
    before.ingest(event(1, { id: 'a', n: 1 }));
    await before.calls.optimistic.update({ pending_id: 'p', changes: [{ op: 'patch', resource_type: 'photo', id: 'a', fields: { n: 2 } }] });
    await before.close();
    await damage('damaged', false);
    const cache = await open('damaged');
    const damaged = cache.damage().map(({ store, key }) => store + ' ' + key).sort();
    const { entity } = await cache.calls.entity.get({ resource_type: 'photo', id: 'a' });
    const { pending } = await cache.calls.optimistic.list();
    const cursor = cache.gaps()[''].sequence;
    await cache.close();
    await damage('damaged', true);
    const anew = await open('damaged');
    return { damaged, n: entity.n, pending: pending.map(({ pending_id }) => pending_id), cursor, kept: (await anew.calls.optimistic.list()).pending.length };
  })()`);
  assert.deepEqual(found, {
    damaged: ["entities damaged 1", "entities damaged 2", "evicted damaged 1", "evicted damaged 2", "layers 77", "layers damaged 1", "layers damaged 2",
      "libraries damaged 1", "libraries damaged 2", "queries 78", "queries damaged 1", "queries damaged 2"],
    n: 2, pending: ["p"], cursor: 1, kept: 1,
  });
  await browser.close();
});

test("a private window has a database of its own, which goes with it", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const ordinary = await browser.page(server.url);
  await ordinary.run(join("private"));
  await ordinary.run("shared.ingest(event(1, { id: 'a', n: 1 })); shared.flush()");
  const { browserContextId } = await browser.send("Target.createBrowserContext");
  const hidden = await browser.page(server.url, browserContextId);
  assert.equal(await hidden.run(join("private")), true, "it follows no tab of another window");
  assert.equal(await hidden.run("shown()"), "");
  await hidden.run("shared.ingest(event(1, { id: 'b', n: 2 })); shared.flush()");
  await browser.send("Target.disposeBrowserContext", { browserContextId });
  assert.equal(await ordinary.run("shown()"), "a=1");
  await browser.close();
});
