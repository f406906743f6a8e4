// A scope as a source of a cache, against a small server: resumption, tokens, edits, what left, several scopes.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CacheError, connectScope, joinScopes, MemoryJournal, NormalizedCache } from "./support/client.mjs";
import { ManualClock } from "./support/clock.mjs";
import { Random } from "./support/random.mjs";
import { cached, ScopeLog } from "./support/scope-log.mjs";
import { ScopeServer } from "./support/scope-server.mjs";

const SEED_COUNT = Number(process.env.SCOPE_SEEDS ?? 60);
const closing = [];
after(() => closing.forEach((body) => body()));

async function served(...names) {
  const server = await new ScopeServer().start();
  for (const name of names) server.logs.set(name, new ScopeLog(`server-${name}`));
  closing.push(() => server.close());
  return server;
}

/** Follows a scope with a new cache. */
function following(server, token = "t1", options = {}, journal = undefined) {
  const scope = connectScope(server.url, token, { name: "project", params: { project: "p1" }, random: () => 0, ...options });
  const cache = new NormalizedCache({ journal, upstream: scope });
  const progress = scope.follow(cache);
  closing.push(() => { progress.close(); cache.close(); });
  return { scope, cache, progress };
}

/** Waits until a condition holds. */
async function until(condition, what = String(condition)) {
  for (const end = Date.now() + 10_000; !await condition();) {
    assert.ok(Date.now() < end, `not so: ${what}`);
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}

const issue = (id, more = {}) => ({ type: "issue", put: { id, ...more } });
const isEqual = (cache, scope, log) => JSON.stringify(cached(cache, scope.library)) === JSON.stringify(log.held(scope.library));

test("a cache has what the scope shows, under a name that is known before the first line", async () => {
  const server = await served("project");
  const log = server.logs.get("project");
  log.change([issue("1"), issue("2"), issue("3"), { type: "user", put: { id: "u" } }]);
  const { scope, cache, progress } = following(server);
  assert.equal(scope.library, "project?project=p1");
  await progress.ready;
  assert.deepEqual(cached(cache, scope.library), log.held(scope.library));
  assert.equal(server.requests[0][2].get("project"), "p1");
  log.change([issue("1", { n: 2 }), { leave: "issue:2" }, { delete: "issue:3" }]);
  server.flush();
  await until(() => isEqual(cache, scope, log));
  assert.equal((await cache.calls.entity.get({ library_id: scope.library, resource_type: "issue", id: "3" })).miss, "deleted");
});

test("after a cut it goes on from its position, and a new state only follows where none is served", async () => {
  const server = await served("project");
  const log = server.logs.get("project");
  log.change([issue("1")]);
  const journal = new MemoryJournal();
  const first = following(server, "t1", {}, journal);
  await first.progress.ready;
  server.cut();
  log.change([issue("2")]);
  await until(() => isEqual(first.cache, first.scope, log));
  await first.cache.flush();
  first.progress.close();
  log.change([{ leave: "issue:1" }]);
  const second = following(server, "t1", {}, journal);
  await second.progress.ready;
  assert.deepEqual(cached(second.cache, second.scope.library), log.held(second.scope.library));
  assert.deepEqual(server.places, [null, "1048576", "2097152"]);
  log.epochs.clear();
  server.cut();
  log.change([issue("3")]);
  await until(() => isEqual(second.cache, second.scope, log));
  assert.equal(log.epochs.size, 1);
});

test("a refused token is renewed once; a token that cannot be renewed ends it", async () => {
  const server = await served("project");
  server.logs.get("project").change([issue("1")]);
  const given = ["over", "t1", "t2", "t3"];
  const { cache, scope, progress } = following(server, async () => given.shift());
  await progress.ready;
  assert.deepEqual(server.requests.map(([, , , token]) => token), ["over", "t1"]);
  server.tokens = new Set(["t2"]);
  server.bye("token_expired");
  await until(() => server.streams.size === 1 && [...server.streams][0].token === "t2");
  assert.equal(cached(cache, scope.library).length, 1, "nothing left");
  server.tokens = new Set();
  server.bye("token_revoked");
  await assert.rejects(progress.ended, ({ status }) => status === 401);
});

test("a fixed token that is over ends it, and what the cache has stays", async () => {
  const server = await served("project");
  server.logs.get("project").change([issue("1")]);
  const { cache, scope, progress } = following(server);
  await progress.ready;
  server.bye("token_expired");
  await assert.rejects(progress.ended, ({ status }) => status === 401);
  assert.equal(cached(cache, scope.library).length, 1);
});

test("a token that cannot be fetched now is fetched later", async () => {
  const server = await served("project");
  let count = 0;
  const { progress } = following(server, async () => {
    count += 1;
    if (count < 3) throw new TypeError("offline");
    return "t1";
  });
  await progress.ready;
  assert.equal(count, 3);
});

test("when access ends everything leaves; 403 drops it too, and pending edits stay as failed", async () => {
  const server = await served("project");
  const log = server.logs.get("project");
  log.change([issue("1"), issue("2")]);
  const journal = new MemoryJournal();
  const { cache, scope, progress } = following(server, "t1", {}, journal);
  await progress.ready;
  await cache.calls.outbox.pause();
  await cache.calls.optimistic.update({ library_id: scope.library, pending_id: "e1", send: { method: "rename" },
    changes: [{ op: "patch", resource_type: "issue", id: "1", fields: { title: "mine" } }] });
  server.forbidden.add("project");
  server.cut();
  await assert.rejects(progress.ended, ({ status }) => status === 403);
  assert.deepEqual(cached(cache, scope.library), []);
  const [entry] = (await cache.calls.outbox.list()).outbox;
  assert.deepEqual([entry.pending_id, entry.state, entry.error.code], ["e1", "failed", "scope"]);
  await cache.close();
  server.forbidden.clear();
  const again = following(server, "t1", {}, journal);
  await again.cache.ready;
  assert.deepEqual(cached(again.cache, scope.library), [], "it is dropped on the disk, too");
  await again.progress.ready;
  assert.equal(server.places.at(-1), null, "a state, because nothing is known of what was dropped");
  assert.deepEqual(cached(again.cache, scope.library), log.held(scope.library));
  log.clear();
  server.flush();
  server.bye("forbidden");
  await assert.rejects(again.progress.ended, ({ status }) => status === 403);
  assert.deepEqual(cached(again.cache, scope.library), []);
});

test("an unknown scope ends it, and so does one that is gone", async () => {
  const server = await served("project");
  const unknown = following(server, "t1", { name: "nothing" });
  await assert.rejects(unknown.progress.ready, ({ status }) => status === 404);
  const { progress } = following(server);
  await progress.ready;
  server.bye("not_found");
  await assert.rejects(progress.ended, ({ status }) => status === 404);
});

test("a server that stops or is busy is asked again", async () => {
  const server = await served("project");
  const log = server.logs.get("project");
  const { cache, scope, progress } = following(server);
  await progress.ready;
  server.failing = 503;
  server.bye("shutting_down");
  await until(() => server.requests.length > 3);
  server.failing = null;
  log.change([issue("1")]);
  await until(() => isEqual(cache, scope, log) && cached(cache, scope.library).length === 1);
});

test("a silent server is left, and pauses grow with each failure and are spread", async () => {
  const server = await served("project");
  const clock = new ManualClock(1_000);
  const delays = [];
  const schedule = clock.schedule.bind(clock);
  clock.schedule = (milliseconds, body) => {
    if (milliseconds !== 45_000) delays.push(milliseconds);
    return schedule(milliseconds, body);
  };
  const { progress } = following(server, "t1", { clock, random: () => 0.5 });
  await progress.ready;
  clock.advance(44_999);
  assert.equal(server.requests.length, 1);
  server.failing = 500;
  clock.advance(1);
  for (const count of [1, 2, 3, 4, 5]) {
    await until(() => delays.length === count);
    clock.advance(delays[count - 1]);
  }
  assert.deepEqual(delays, [125, 250, 500, 1_000, 2_000]);
});

test("missing lines are asked for, and if they are gone a state brings what they had", async () => {
  const server = await served("project");
  const log = server.logs.get("project");
  const { cache, scope, progress } = following(server);
  await progress.ready;
  log.change([issue("1"), issue("2"), issue("3")]);
  server.lost.add(2 ** 20 + 2);
  server.flush();
  await until(() => isEqual(cache, scope, log) && cached(cache, scope.library).length === 3);
  assert.ok(server.requests.some(([method, path]) => method === "POST" && path === "/scopes/project"));
  server.isHistoryOver = true;
  log.change([issue("4"), issue("5"), issue("6")]);
  server.lost.add(2 ** 21 + 2);
  server.flush();
  await until(() => cache.gaps()[scope.library].lost.length > 0);
  server.flush();
  await until(() => isEqual(cache, scope, log) && cached(cache, scope.library).length === 6);
  assert.equal(log.epochs.size, 2);
  assert.equal(cache.gaps()[scope.library].state, "live");
});

test("edits go through the scope: confirmed, refused for good, and sent again while the service is busy", async () => {
  const server = await served("project");
  const log = server.logs.get("project");
  log.change([issue("1", { title: "a" })]);
  const { cache, scope, progress } = following(server);
  await progress.ready;
  const bodies = [];
  server.edit = (body) => {
    bodies.push(body);
    if (bodies.length === 1) return { status: 503, body: { error: { message: "busy" } } };
    if (body.method === "never") return { status: 409, body: { error: { message: "no", data: { code: "not_allowed" } } } };
    log.change([issue("1", { title: "b" })], body.pending_id);
    return { status: 200, body: { result: {} } };
  };
  const edit = (pending_id, method) => cache.calls.optimistic.update({ library_id: scope.library, pending_id, send: { method, input: 7, key: method },
    changes: [{ op: "patch", resource_type: "issue", id: "1", fields: { title: "b" } }] });
  await edit("e1", "rename");
  await until(async () => bodies.length === 1 && (await cache.calls.outbox.list()).outbox[0].state === "waiting");
  await cache.calls.optimistic.retry({ library_id: scope.library, pending_id: "e1" });
  await until(() => bodies.length === 2);
  assert.deepEqual(bodies[1], { pending_id: "e1", method: "rename", input: 7,
    changes: [{ op: "patch", resource_type: "issue", id: "1", fields: { title: "b" } }] });
  server.flush();
  await until(async () => (await cache.calls.optimistic.list()).pending.length === 0, "the event settles the edit");
  await edit("e2", "never");
  await until(async () => (await cache.calls.outbox.list()).outbox[0]?.state === "failed");
  const [{ error }] = (await cache.calls.outbox.list()).outbox;
  assert.deepEqual(error, { message: "the server answered 409: no", code: "not_allowed" });
});

test("several scopes are read together: first members win, and an entity leaves with the last scope that shows it", async () => {
  const server = await served("project", "inbox");
  const [project, inbox] = ["project", "inbox"].map((name) => connectScope(server.url, "t1", { name, random: () => 0 }));
  server.logs.get("project").change([issue("1", { title: "of the project" }), issue("2")]);
  server.logs.get("inbox").change([issue("1", { title: "of the inbox", unread: true }), issue("3")]);
  const scopes = joinScopes(project, inbox);
  const cache = new NormalizedCache({ upstream: scopes });
  const progress = scopes.follow(cache);
  closing.push(() => progress.close());
  await progress.ready;
  assert.deepEqual(await scopes.get(cache, "issue", "1"),
    { entity: { id: "1", title: "of the project", unread: true }, pending: false, stale: false, libraries: ["project", "inbox"] });
  assert.deepEqual([...(await scopes.list(cache, "issue")).keys()], ["issue:1", "issue:2", "issue:3"]);
  for (const [name, wanted] of [["project", { id: "1", title: "of the inbox", unread: true }], ["inbox", null]]) {
    server.logs.get(name).change([{ leave: "issue:1" }]);
    server.flush();
    await until(async () => JSON.stringify((await scopes.get(cache, "issue", "1")).entity) === JSON.stringify(wanted), name);
  }
  server.edit = ({ pending_id }, log) => ({ status: 200, body: { result: { library: log.library, pending_id } } });
  await cache.calls.optimistic.update({ library_id: "inbox", pending_id: "e", send: { method: "read" },
    changes: [{ op: "patch", resource_type: "issue", id: "3", fields: { unread: false } }] });
  await until(() => server.requests.some(([, path]) => path === "/scopes/inbox/edits"));
});

test("options and parameters with wrong names are refused", () => {
  assert.throws(() => connectScope("http://h", "t", { name: "a", parms: {} }), CacheError);
  assert.throws(() => connectScope("http://h", "t", { name: "a", params: { after: 1 } }), CacheError);
});

/** Cuts streams at any byte, kills the program, and changes the scope meanwhile. */
async function history(seed) {
  const random = new Random(seed);
  const server = await served("project");
  const log = server.logs.get("project");
  const journal = new MemoryJournal();
  server.mangle = (text) => {
    const isCut = random.chance(0.3);
    return { text: isCut ? text.slice(0, random.below(text.length + 1)) : text, isCut };
  };
  let client = following(server, "t1", {}, journal);
  const step = () => random.chance(0.6) ? issue(String(random.below(9)), { n: random.below(99) })
    : { [random.pick(["leave", "delete"])]: `issue:${random.below(9)}` };
  for (let round = 0; round < 12; round += 1) {
    for (let count = random.below(3); count > 0; count -= 1) {
      log.change(Array.from({ length: 1 + random.below(5) }, step));
      if (random.chance(0.7)) server.flush();
    }
    if (random.chance(0.2)) log.epochs.clear();
    if (random.chance(0.3)) {
      if (random.chance(0.5)) await client.cache.flush();
      client.progress.close();
      await client.cache.close();
      client = following(server, "t1", {}, journal);
    }
    await until(() => {
      if (isEqual(client.cache, client.scope, log) && client.cache.gaps()[client.scope.library]?.state === "live") return true;
      server.flush();
      return false;
    }, `seed ${seed}, round ${round}`);
  }
  client.progress.close();
  server.close();
}

test("after any cuts and restarts a cache has what the scope shows", async () => {
  for (let seed = 1; seed <= SEED_COUNT; seed += 1) await history(seed);
});
