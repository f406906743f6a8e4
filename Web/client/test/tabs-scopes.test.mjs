// Units of several lines and states over one database of several tabs in Chromium, whose writer is killed in between.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser } from "./support/chromium.mjs";
import { browserPath as path, options, startPage } from "./support/page.mjs";

let server;
before(async () => { server = await startPage(); });
after(() => server.end());

const join = (name) => `share('${name}').then((own) => { Object.assign(globalThis, own); return shared.isWriter; })`;
const line = (sequence, event, more = {}) => JSON.stringify(JSON.stringify({ epoch: "e2", sequence, ...more, event }));
const put = (id, n) => ({ ResourceBatchChanged: { resource_type: "photo", resources: [{ id, n }] } });
const place = "shared.calls.cache.stats().then(({ libraries }) => [libraries[''].sequence, libraries[''].state])";

test("a state that the killed writer began goes on in the next tab, and removes what is not in it for both", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const [first, second, third] = [await browser.page(server.url), await browser.page(server.url), await browser.page(server.url)];
  for (const tab of [first, second, third]) await tab.run(join("states"));
  await first.run("for (const [n, id] of ['a', 'b', 'c'].entries()) shared.ingest(event(n + 1, { id, n: 1 })); shared.flush()");
  await third.run("until(() => shown() === 'a=1 b=1 c=1')");
  await first.run(`for (const text of [${line(0, { Reset: { state: true } })}, ${line(1, put("b", 2))}]) shared.ingest(text); shared.flush()`);
  await third.run("until(() => shown() === 'a=1 b=2 c=1')");
  first.crash();
  await second.run("until(() => shared.isWriter)");
  assert.deepEqual(await second.run(place), [1, "stale"]);
  const end = line(9, { Heartbeat: { last_sequence: 9 } }, { prev: 2 });
  await second.run(`for (const text of [${line(2, put("d", 4))}, ${end}]) shared.ingest(text); shared.flush()`);
  for (const tab of [second, third]) await tab.run("until(() => shown() === 'b=2 d=4')");
  assert.deepEqual(await third.run(place), [9, "live"]);
  await browser.close();
});

test("a unit that was open in the killed writer begins anew in the next tab, and no tab shows a part of it", options, async () => {
  const browser = await Browser.start(path, server.profile());
  const first = await browser.page(server.url);
  const second = await browser.page(server.url);
  for (const tab of [first, second]) await tab.run(join("units"));
  await first.run(`shared.ingest(${line(1, put("a", 1))}); shared.ingest(${line(2, put("a", 2), { more: true })}); shared.flush()`);
  await second.run("until(() => shown() === 'a=1')");
  first.crash();
  await second.run("until(() => shared.isWriter)");
  assert.deepEqual(await second.run(place), [1, "live"]);
  await second.run(`shared.ingest(${line(2, put("a", 3), { more: true })}); shared.ingest(${line(3, put("b", 3))}); until(() => shown() === 'a=3 b=3')`);
  await browser.close();
});
