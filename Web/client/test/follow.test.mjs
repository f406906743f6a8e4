// A cache that follows a server: the stand-in of the example, and `tidemark serve` if it is built.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { StandIn } from "../../example/server/stand-in.mjs";
import { ServeError, connectServe, followServe } from "../dist/index.js";
import { NormalizedCache } from "./support/client.mjs";
import { tidemark } from "./support/binary.mjs";

const changed = (sequence, id, n, more = {}) => ({ sequence, ...more, event: { ResourceChanged: { resource_type: "file", resource: { id, n } } } });
const deleted = (sequence, id) => ({ sequence, event: { ResourceDeleted: { resource_type: "file", resource_id: id } } });

/** Starts the stand-in on a port of this machine. */
async function startStandIn() {
  const standIn = new StandIn(undefined, "t0ken");
  const sockets = new Set();
  const server = createServer(async (request, response) => {
    const body = async () => {
      let text = "";
      for await (const piece of request) text += piece;
      return text;
    };
    if (!await standIn.handle(request, response, body)) response.writeHead(404).end();
  });
  server.on("connection", (socket) => sockets.add(socket));
  const listen = (port) => new Promise((resolve) => { server.listen(port, "127.0.0.1", resolve); });
  await listen(0);
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}`, token: "t0ken", standIn,
    end: () => new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(resolve);
    }),
  };
}

/** Starts `tidemark serve` on a database of its own. */
async function startServe(command) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-follow-"));
  const words = ["serve", "--db", join(folder, "a.db"), "--listen", "127.0.0.1:0", "--upstream", "none"];
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "ignore"] });
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`serve ended with ${code}`)));
  });
  const { serving, token_file } = JSON.parse(line);
  return {
    url: serving, token: readFileSync(token_file, "utf8").trim(),
    end: async () => {
      child.kill("SIGKILL");
      await new Promise((resolve) => { child.once("close", resolve); });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function post({ url, token }, ...events) {
  const response = await fetch(`${url}/events`, {
    method: "POST", body: events.map((event) => `${JSON.stringify(event)}\n`).join(""),
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" },
  });
  assert.equal(response.status, 200);
}

const entities = (cache) => cache.export().map((line) => JSON.parse(line).resource);

/** Resolves when a cache has exactly these entities. */
async function until(cache, wanted, isSo = () => true) {
  for (let turn = 0; turn < 500; turn += 1) {
    if (JSON.stringify(entities(cache)) === JSON.stringify(wanted) && isSo()) return;
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
  assert.deepEqual(entities(cache), wanted);
  assert.ok(isSo(), String(isSo));
}

const command = tidemark();
const servers = { "the stand-in": startStandIn, ...command === null ? {} : { "tidemark serve": () => startServe(command) } };
for (const [name, start] of Object.entries(servers)) {
  test(`a cache follows ${name}: its state, its log, and what went while nobody followed`, async () => {
    const server = await start();
    const cache = new NormalizedCache();
    try {
      cache.ingest({ event: { ResourceChanged: { resource_type: "file", resource: { id: "old", n: 0 } } } });
      await post(server, changed(1, "a", 1), changed(2, "b", 2));
      const first = followServe(server.url, server.token, cache);
      await first.ready;
      assert.deepEqual(entities(cache), [{ id: "a", n: 1 }, { id: "b", n: 2 }]);
      assert.equal(cache.gaps()[""].sequence, 2);
      // A pending edit settles with the event that names it.
      await cache.calls.optimistic.update({ pending_id: "p", changes: [{ op: "patch", resource_type: "file", id: "a", fields: { n: 3 } }] });
      await post(server, changed(3, "a", 3, { mutation_id: "p" }), deleted(4, "b"), changed(5, "c", 5));
      await until(cache, [{ id: "a", n: 3 }, { id: "c", n: 5 }], () => cache.gaps()[""].sequence === 5);
      assert.deepEqual((await cache.calls.optimistic.list({})).pending, []);
      // A batch with more entities than the log names.
      const resources = Array.from({ length: 12 }, (_, index) => ({ id: `d${String(index).padStart(2, "0")}`, n: index }));
      await post(server, { sequence: 6, event: { ResourceBatchChanged: { resource_type: "file", resources } } });
      await until(cache, [{ id: "a", n: 3 }, { id: "c", n: 5 }, ...resources], () => cache.gaps()[""].sequence === 6);
      first.close();
      await first.ended;
      await cache.calls.query.put({ method: "files", resource_type: "file", resources: [{ id: "a" }] });
      await post(server, ...resources.map(({ id }, index) => deleted(7 + index, id)), changed(19, "a", 19));
      assert.equal(cache.gaps()[""].sequence, 6);
      const second = followServe(`${server.url}/`, server.token, cache);
      await second.ready;
      await until(cache, [{ id: "a", n: 19 }, { id: "c", n: 5 }]);
      assert.deepEqual(cache.gaps()[""], { epoch: "", sequence: 19, state: "live", lost: [] });
      const { stale } = await cache.calls.query.read({ method: "files", policy: "cacheOnly", allow_stale: true });
      assert.equal(stale, true);
      second.close();
      await second.ended;
    } finally {
      await cache.close();
      await server.end();
    }
  });

  test(`a wrong token or path of ${name} is said, and nobody asks again`, async () => {
    const server = await start();
    const cache = new NormalizedCache();
    try {
      for (const [url, token, status] of [[server.url, "wrong", 401], [`${server.url}/nowhere`, server.token, 404]]) {
        const connection = connectServe(url, token);
        const refused = new Promise((resolve) => { connection.onRefused(resolve); });
        await assert.rejects(connection.call("cache.stats"), (error) => error instanceof ServeError && error.status === status);
        assert.equal((await refused).status, status);
        await assert.rejects(connection.call("cache.stats"), { status });
        connection.close();
        const following = followServe(url, token, cache);
        await assert.rejects(following.ready, { name: "ServeError", status });
        await assert.rejects(following.ended, { name: "ServeError", status });
      }
    } finally {
      await cache.close();
      await server.end();
    }
  });
}

test("a server that is busy, or not there yet, is asked again", async () => {
  const cache = new NormalizedCache();
  const asked = [];
  const answers = [() => { throw new TypeError("fetch failed"); }, () => new Response("{}", { status: 503 }), () => new Response("{}", { status: 401 })];
  const following = followServe("http://nowhere.invalid", "t", cache, {
    random: () => 0, fetch: async (url) => {
      asked.push(url);
      return answers[Math.min(asked.length, answers.length) - 1]();
    },
  });
  await assert.rejects(following.ended, { status: 401 });
  assert.equal(asked.length, 3);
  await cache.close();
});

test("what waits for a connection is refused when it is closed", async () => {
  const connection = connectServe("http://nowhere.invalid", "t", { fetch: () => new Promise(() => undefined) });
  const call = connection.call("cache.stats");
  connection.close();
  await assert.rejects(call, { code: "upstream_failed", message: "the connection is closed: open another one" });
});
