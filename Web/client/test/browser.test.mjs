// The client in a real browser: the journal under kills, and React with concurrent rendering. Skipped without Chromium.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser } from "./support/chromium.mjs";
import { browserPath as path, options, startPage } from "./support/page.mjs";

let server;
before(async () => { server = await startPage(); });
after(() => server.end());

test("a browser that is killed between commits loses nothing acknowledged and applies nothing twice", options, async () => {
  const profile = server.profile();
  let acknowledged = 0;
  for (let round = 0; round < 4; round += 1) {
    const browser = await Browser.start(path, profile);
    const page = await browser.page(server.url);
    await page.run("open('kills').then((cache) => { globalThis.cache = cache; })");
    const found = JSON.parse(await page.run(`JSON.stringify({ gaps: cache.gaps(), lines: cache.export() })`));
    const cursor = found.gaps[""]?.sequence ?? 0;
    assert.ok(cursor >= acknowledged, `${acknowledged} was acknowledged, ${cursor} is there`);
    for (const line of found.lines) {
      const { id, resource, sequence } = JSON.parse(line);
      assert.equal(sequence, resource.n);
      // Each entity is what the log up to the cursor makes of it: cursor and entities are of one transaction.
      const last = cursor - ((cursor - Number(id.slice(1))) % 50 + 50) % 50;
      assert.equal(resource.n, last, `${id} at cursor ${cursor}`);
    }
    await page.run(`write(cache, ${cursor})`);
    const wanted = cursor + 60 + round * 35;
    while ((acknowledged = await page.run("globalThis.acknowledged")) < wanted) { /* it is still writing */ }
    await browser.kill();
  }
});

test("two tabs: one writes, the other waits or is told, and takes over; a newer database is refused", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  await first.run("open('tabs').then((cache) => { globalThis.cache = cache; cache.ingest(event(1, { id: 'a', n: 1 })); return cache.flush(); })");
  assert.equal(await second.run("open('tabs', { whenLocked: 'fail' }).catch((error) => error.code)"), "locked");
  await second.run("globalThis.opening = open('tabs').then((cache) => cache.export()); undefined");
  await first.close();
  assert.deepEqual((await second.run("opening")).map((line) => JSON.parse(line).id), ["a"]);
  const newer = await second.run(`new Promise((resolve) => {
    const request = indexedDB.open('newer', 99);
    request.onsuccess = () => { request.result.close(); resolve(open('newer').then(() => 'opened', (error) => error.code)); };
  })`);
  assert.equal(newer, "newer_format");
  await browser.close();
});

test("a full device is said, and the cache goes on serving", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const said = await page.run(`(async () => {
    const cache = await open('full');
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
    cache.ingest(event(1, { id: 'a', n: 1 }));
    const refused = await cache.calls.optimistic.update({ pending_id: 'p', changes: [{ op: 'delete', resource_type: 'photo', id: 'a' }] })
      .catch((error) => error.code);
    const { storage } = await cache.calls.cache.stats();
    const { entity } = await cache.calls.entity.get({ resource_type: 'photo', id: 'a' });
    IDBObjectStore.prototype.put = put;
    await cache.flush();
    const { storage: later } = await cache.calls.cache.stats();
    return { refused, storage, n: entity.n, later };
  })()`);
  assert.deepEqual(said, { refused: "storage_failed", storage: "disk_full", n: 1, later: "ok" });
  await browser.close();
});

test("React sees one state in each render, and renders only for what is selected", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const found = await page.run(`(async () => {
    const app = await mount();
    const { cache, settle, text } = app;
    const seen = { empty: text('list'), one: text('one') };
    cache.ingest(event(1, { id: 'a', n: 1, note: 'x' }));
    cache.ingest(event(2, { id: 'b', n: 2 }));
    await settle();
    seen.two = text('list');
    seen.loaded = text('one');
    const before = app.renders();
    cache.ingest(event(3, { id: 'a', n: 1, note: 'another' }));
    await settle();
    seen.rendersForOthers = app.renders() - before;
    for (let step = 0; step < 30; step += 1) {
      app.transition(() => cache.ingest(event(4 + step, { id: 'a', n: 10 + step })));
      await new Promise((resolve) => { setTimeout(resolve, 1); });
    }
    await settle();
    seen.after = text('list');
    seen.torn = app.tornLog.length;
    let answer;
    globalThis.serverAnswer = new Promise((resolve) => { answer = resolve; });
    const mutation = mutate(99);
    await settle();
    seen.optimistic = text('list') + ' ' + text('edits');
    answer();
    await mutation;
    await settle();
    seen.confirmed = text('list') + ' ' + text('edits');
    seen.refused = await mutate(-1).catch((error) => error.message);
    await settle();
    seen.rolledBack = text('list');
    app.setters.setShown(false);
    await settle();
    seen.observers = (await cache.calls.cache.stats()).observers;
    app.unmount();
    await settle();
    seen.left = (await cache.calls.cache.stats()).observers;
    return seen;
  })()`);
  assert.deepEqual(found, {
    empty: "", one: "none", two: "a=1 b=2", loaded: "1", rendersForOthers: 0, after: "a=39 b=2", torn: 0,
    optimistic: "a=99 b=2* 1 pending", confirmed: "a=99 b=2 0 pending", refused: "refused", rolledBack: "a=99 b=2", observers: 1, left: 0,
  });
  await browser.close();
});
