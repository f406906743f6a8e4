// The client in a real browser: the journal under kills, and React with concurrent rendering. Skipped without Chromium.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Browser } from "./support/chromium.mjs";
import { browserPath as path, options, startPage } from "./support/page.mjs";

let server;
before(async () => { server = await startPage(); });
after(() => server.end());

/** Opens the cache of a page, and checks that it equals the result of the log up to its cursor. Returns the cursor. */
async function recovered(page) {
  await page.run("open('kills').then((cache) => { globalThis.cache = cache; })");
  const found = JSON.parse(await page.run(`JSON.stringify({ gaps: cache.gaps(), lines: cache.export() })`));
  const cursor = found.gaps[""]?.sequence ?? 0;
  for (const line of found.lines) {
    const { id, resource, sequence } = JSON.parse(line);
    assert.equal(sequence, resource.n);
    // Each entity equals the result of the log up to the cursor: both are written in one transaction.
    const last = cursor - ((cursor - Number(id.slice(1))) % 50 + 50) % 50;
    assert.equal(resource.n, last, `${id} at cursor ${cursor}`);
  }
  assert.equal(found.lines.length, Math.min(cursor, 50));
  return cursor;
}

/** Writes until some events after a cursor are acknowledged. Returns the last one. */
async function written(page, cursor, count) {
  await page.run(`write(cache, ${cursor})`);
  let acknowledged = 0;
  while ((acknowledged = await page.run("globalThis.acknowledged")) < cursor + count) { /* it is still writing */ }
  return acknowledged;
}

test("a tab that is killed between commits loses nothing acknowledged and applies nothing twice", options, async () => {
  const browser = await Browser.start(path, server.profile());
  let acknowledged = 0;
  for (let round = 0; round < 6; round += 1) {
    const page = await browser.page(server.url);
    const cursor = await recovered(page);
    assert.ok(cursor >= acknowledged, `${acknowledged} was acknowledged, ${cursor} is there`);
    acknowledged = await written(page, cursor, 60 + round * 35);
    page.crash();
  }
  await browser.close();
});

test("a browser that is killed between commits leaves a whole state", options, async () => {
  const profile = server.profile();
  let acknowledged = 0;
  for (let round = 0; round < 4; round += 1) {
    const browser = await Browser.start(path, profile);
    const page = await browser.page(server.url);
    const cursor = await recovered(page);
    // Chromium commits its own list of databases seconds later: killed before that, it loses a new one as a whole.
    assert.ok(cursor >= acknowledged || cursor === 0, `${acknowledged} was acknowledged, ${cursor} is there`);
    acknowledged = await written(page, cursor, 60 + round * 35);
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

test("a device that is really full is said; what waits is written when there is room, and a reload has it", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const quota = (quotaSize) => page.send("Storage.overrideQuotaForOrigin", { origin: server.url, quotaSize });
  await quota(1 << 20);
  await page.run("open('quota').then((cache) => { globalThis.cache = cache; cache.ingest(event(1, { id: 'a', n: 1 })); return cache.flush(); })");
  const said = await page.run(`(async () => {
    // The browser compresses its data: only noise takes space.
    let text = '';
    while (text.length < 1 << 22) text += Math.random().toString(36).slice(2);
    cache.ingest(event(2, { id: 'b', n: 2, text }));
    const refused = await cache.calls.optimistic.update({ pending_id: 'p', changes: [{ op: 'delete', resource_type: 'photo', id: 'a' }] })
      .catch((error) => error.code);
    const { storage } = await cache.calls.cache.stats();
    const { entity } = await cache.calls.entity.get({ resource_type: 'photo', id: 'b', fields: ['n'] });
    return { refused, storage, n: entity?.n };
  })()`);
  assert.deepEqual(said, { refused: "storage_failed", storage: "disk_full", n: 2 });
  await quota(undefined);
  // The browser notices the free space a while later; the cache retries by itself.
  await page.run(`until(() => {
    cache.calls.cache.stats().then(({ storage }) => { globalThis.storage = storage; });
    return globalThis.storage === 'ok';
  }, 60_000)`);
  await page.close();
  const again = await browser.page(server.url);
  assert.deepEqual(await again.run("open('quota').then((cache) => cache.export().map((line) => JSON.parse(line).id))"), ["a", "b"]);
  await browser.close();
});

test("a component that goes while its data is fetched leaves nothing behind; one that suspends shows what comes", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const found = await page.run(`(async () => {
    const app = mountWaiting();
    const answer = (...ids) => ({ resource_type: 'photo', resources: ids.map((id) => ({ id })) });
    const seen = {};
    await until(() => app.asked.length === 1);
    seen.suspended = app.text();
    app.setters.setShown(null);
    await until(() => app.text() === '');
    app.asked[0].resolve(answer('a'));
    await until(() => { app.observers().then((count) => { globalThis.count = count; }); return globalThis.count === 0; });
    seen.gone = app.seen.filter((text) => text !== 'loading').length;
    app.setters.setShown({ album: 2, suspense: true });
    await until(() => app.asked.length === 2);
    app.asked[1].resolve(answer('b', 'c'));
    await until(() => app.text() === 'b c');
    // The next list replaces the first one, which is no longer observed.
    app.setters.setShown({ album: 3, suspense: false });
    await until(() => app.asked.length === 3 && app.text() === 'loading');
    app.asked[2].reject(new Error('the server is down'));
    await until(() => app.text() === 'upstream_failed');
    await until(() => { app.observers().then((count) => { globalThis.count = count; }); return globalThis.count === 0; });
    seen.complaints = app.complaints;
    app.unmount();
    return seen;
  })()`);
  assert.deepEqual(found, { suspended: "…", gone: 0, complaints: [] });
  await browser.close();
});

test("a component asks anew with the input that it gave, and again after a failure", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const found = await page.run(`(async () => {
    const app = mountWaiting();
    const answer = (...ids) => ({ resource_type: 'photo', resources: ids.map((id) => ({ id })) });
    const refetch = async (settle) => {
      const count = app.asked.length;
      let isDone = false;
      const done = app.setters.refetch().then(() => { isDone = true; });
      await until(() => app.asked.length === count + 1);
      const wasEarly = isDone;
      settle(app.asked[count]);
      await done;
      return wasEarly;
    };
    await until(() => app.asked.length === 1);
    app.asked[0].resolve(answer());
    await until(() => app.text() === '');
    app.setters.setShown({ album: 5, suspense: false });
    await until(() => app.asked.length === 2);
    app.asked[1].resolve(answer('a'));
    await until(() => app.text() === 'a');
    const early = [await refetch((one) => one.resolve(answer('a', 'b')))];
    await until(() => app.text() === 'a b');
    early.push(await refetch((one) => one.reject(new Error('the server is down'))));
    await until(() => app.text() === 'upstream_failed');
    early.push(await refetch((one) => one.resolve(answer('c'))));
    await until(() => app.text() === 'c');
    // A list that was never answered.
    app.setters.setShown({ album: 6, suspense: false });
    await until(() => app.asked.length === 6);
    app.asked[5].reject(new Error('the server is down'));
    await until(() => app.text() === 'upstream_failed');
    early.push(await refetch((one) => one.resolve(answer('d'))));
    await until(() => app.text() === 'd');
    app.unmount();
    return { early, inputs: app.asked.slice(1).map(({ input }) => JSON.stringify(input)), complaints: app.complaints };
  })()`);
  const five = "{\"album\":5,\"policy\":\"any\"}";
  const six = "{\"album\":6,\"policy\":\"any\"}";
  assert.deepEqual(found, { early: [false, false, false, false], inputs: [five, five, five, five, six, six], complaints: [] });
  await browser.close();
});

test("the hooks of edits follow the cache and the library, and the newest mutation", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const found = await page.run(`(async () => {
    const app = await mountHooks();
    const seen = [app.text()];
    const show = async (shown, text) => {
      app.handles.setShown(shown);
      await until(() => app.text().startsWith(text), 2_000).catch(() => undefined);
      seen.push(app.text());
    };
    await show({ at: 0, library: 'b' }, 'first-b|');
    await show({ at: 1, library: 'b' }, 'second-b|');
    await show({ at: 1, library: 'a' }, 'second-a|');
    const older = app.handles.mutate().catch(() => undefined);
    const newer = app.handles.mutate();
    await until(() => app.answers.length === 2);
    app.answers[0].reject(new Error('refused'));
    await older;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
    seen.push(app.text());
    app.answers[1].resolve();
    await newer;
    await until(() => !app.text().includes('true'));
    seen.push(app.text());
    app.unmount();
    return seen;
  })()`);
  assert.deepEqual(found, ["first-a|false|", "first-b|false|", "second-b|false|", "second-a|false|", "second-a|true|", "second-a|false|"]);
  await browser.close();
});

test("the inspector's panels work on a cache in the page, and leave nothing when they go", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  await page.run("inspect().then((found) => { Object.assign(globalThis, { found }); })");
  assert.deepEqual(await page.run("found.tabs()"), ["Now", "Entities", "Queries", "Views", "Pending edits", "Quarantine", "Log", "Ask"]);
  for (const [name, text] of [
    ["Now", "live"], ["Entities", "photo"], ["Queries", "photos"], ["Pending edits", "edit-1"], ["Quarantine", "not_json in line 41"], ["Log", "photo:p40"],
    ["Ask", "entity.get"],
  ]) {
    await page.run(`found.open('${name}')`);
    await page.run(`until(() => found.panel().includes('${text}'))`).catch(async (error) => {
      throw new Error(`${name}: ${error.message}; shown: ${(await page.run("found.panel()")).slice(0, 500)}`);
    });
    if (process.env.PICTURES !== undefined) {
      const { data } = await page.send("Page.captureScreenshot", {});
      mkdirSync(process.env.PICTURES, { recursive: true });
      writeFileSync(`${process.env.PICTURES}/panel-${name.replace(" ", "-")}.png`, Buffer.from(data, "base64"));
    }
  }
  assert.deepEqual(await page.run("found.violations"), []);
  await page.run("found.end()");
  assert.equal(await page.run("found.root.childElementCount"), 0);
  await page.run(`until(() => {
    found.cache.calls.cache.stats().then(({ observers }) => { globalThis.count = observers; });
    return globalThis.count === 0;
  })`);
  await browser.close();
});

test("React sees one state in each render, and renders only for what is selected", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  const found = await page.run(`(async () => {
    const app = await mount();
    const { cache, text } = app;
    const seen = { empty: text('list'), one: text('one') };
    cache.ingest(event(1, { id: 'a', n: 1, note: 'x' }));
    cache.ingest(event(2, { id: 'b', n: 2 }));
    await app.shows('a=1 b=2', '0 pending');
    await until(() => text('one') === '1');
    seen.two = text('list');
    seen.loaded = text('one');
    const before = app.renders();
    cache.ingest(event(3, { id: 'a', n: 1, note: 'another' }));
    // Another component shows the event: every component that renders it has done so.
    await until(() => document.getElementById('one').title === 'another');
    seen.rendersForOthers = app.renders() - before;
    for (let step = 0; step < 30; step += 1) {
      app.transition(() => cache.ingest(event(4 + step, { id: 'a', n: 10 + step })));
      await new Promise((resolve) => { setTimeout(resolve, 1); });
    }
    await app.shows('a=39 b=2', '0 pending');
    seen.after = text('list');
    seen.torn = app.tornLog.length;
    let answer;
    globalThis.serverAnswer = new Promise((resolve) => { answer = resolve; });
    const mutation = mutate(99);
    await app.shows('a=99 b=2*', '1 pending');
    seen.optimistic = text('list') + ' ' + text('edits');
    answer();
    await mutation;
    await app.shows('a=99 b=2', '0 pending');
    seen.confirmed = text('list') + ' ' + text('edits');
    seen.refused = await mutate(-1).catch((error) => error.message);
    await app.shows('a=99 b=2', '0 pending');
    seen.rolledBack = text('list');
    app.setters.setShown(false);
    seen.observers = await app.observers(1);
    app.unmount();
    seen.left = await app.observers(0);
    return seen;
  })()`);
  assert.deepEqual(found, {
    empty: "", one: "none", two: "a=1 b=2", loaded: "1", rendersForOthers: 0, after: "a=39 b=2", torn: 0,
    optimistic: "a=99 b=2* 1 pending", confirmed: "a=99 b=2 0 pending", refused: "refused", rolledBack: "a=99 b=2", observers: 1, left: 0,
  });
  await browser.close();
});
