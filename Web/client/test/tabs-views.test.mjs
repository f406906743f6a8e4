// Live views of several tabs over one database in Chromium.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser } from "./support/chromium.mjs";
import { browserPath as path, options, startPage } from "./support/page.mjs";

let server;
before(async () => { server = await startPage(); });
after(() => server.end());

const join = (name) => `share('${name}').then((own) => { Object.assign(globalThis, own); return shared.isWriter; })`;
const view = "{ from: 'photo', where: { path: 'photo/n', gte: 2 }, order: [{ path: 'photo/n', direction: 'desc' }] }";

test("a following tab keeps its views, moved windows and definitions when it becomes the one that writes", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  await first.run(join("views"));
  assert.equal(await second.run(join("views")), false);
  await first.run("shared.ingest(event(1, { id: 'a', n: 1 })); shared.ingest(event(2, { id: 'b', n: 2, in: { x: 1 } })); shared.flush()");
  await second.run("globalThis.told = []; for (const name of ['view.changed', 'view.ended']) shared.on(name, (params) => told.push(params)); undefined");
  await second.run(`shared.calls.view.define({ name: 'some', view: ${view} })`);
  const observed = await second.run("shared.calls.view.observe({ view: 'some', keys: true })");
  assert.deepEqual([observed.rows, observed.keys], [[{ id: "b", n: 2, in: { x: 1 } }], [["photo:b"]]]);
  await first.run("shared.ingest(event(3, { id: 'b', n: 2, in: { x: 2 } })); shared.ingest(event(4, { id: 'c', n: 3 }))");
  await second.run("until(() => told.length === 2)");
  await second.run(`shared.calls.view.move({ subscription: ${observed.subscription}, limit: 1 })`);
  const patches = (await second.run("told.splice(0)")).map(({ subscription, patch }) => [subscription, patch]);
  assert.deepEqual(patches, [
    [{ op: "replace", path: "/0/in/x", value: 2 }], [{ op: "add", path: "/0", value: { id: "c", n: 3 } }], [{ op: "remove", path: "/1" }],
  ].map((patch) => [observed.subscription, patch]));
  await first.run("shared.close()");
  await second.run("until(() => shared.isWriter)");
  assert.deepEqual((await second.run("shared.calls.view.list()")).views.map(({ name, rows }) => [name, rows]), [["some", 2]]);
  // The window is still the moved one: only its row is shown.
  await second.run("shared.ingest(event(5, { id: 'b', n: 2, in: {} })); shared.ingest(event(6, { id: 'd', n: 4 })); shared.flush()");
  assert.deepEqual((await second.run("told.splice(0)")).map(({ patch, keys }) => [patch, keys]), [
    [[{ op: "remove", path: "/0" }, { op: "add", path: "/0", value: { id: "d", n: 4 } }], [["photo:d"]]],
  ]);
  await second.run("shared.calls.view.drop({ name: 'some' })");
  assert.deepEqual((await second.run("told")).map(({ subscription }) => subscription), [observed.subscription]);
  await browser.close();
});

test("a database of the format before views is opened with all that it has", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const page = await browser.page(server.url);
  await page.run(`new Promise((resolve) => {
    const request = indexedDB.open('former', 1);
    request.onupgradeneeded = () => {
      for (const name of ['entities', 'libraries', 'queries', 'layers', 'evicted']) request.result.createObjectStore(name);
      request.transaction.objectStore('entities').put(
        { library: '', type: 'photo', id: 'a', text: '{"id":"a","n":7}', stamp: [null, 0, 0, 'event', false] }, '""/photo:a');
    };
    request.onsuccess = () => { request.result.close(); resolve(); };
  })`);
  await page.run(join("former"));
  await page.run(`shared.calls.view.define({ name: 'some', view: ${view} })`);
  assert.deepEqual((await page.run("shared.calls.view.read({ view: 'some' })")).rows, [{ id: "a", n: 7 }]);
  await page.run("shared.close()");
  const next = await browser.page(server.url);
  await next.run(join("former"));
  assert.deepEqual((await next.run("shared.calls.view.read({ view: 'some' })")).rows, [{ id: "a", n: 7 }]);
  await browser.close();
});
