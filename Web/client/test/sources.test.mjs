// Sources: sequences, server-sent events, and a connection to `tidemark serve`, simulated by a server in this file.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { NormalizedCache, connectServe, feed, feedWebSocket } from "../dist/index.js";
import { SseReader } from "../dist/sources/sse.js";
import { Random } from "./support/random.mjs";

const event = (sequence, id) => ({ sequence, event: { ResourceChanged: { resource_type: "file", resource: { id, n: sequence } } } });

test("a cache is fed from any sequence of lines, bytes and events", async () => {
  const cache = new NormalizedCache();
  const bytes = new TextEncoder().encode(`${JSON.stringify(event(3, "é"))}\n`);
  async function* source() {
    yield JSON.stringify(event(1, "a"));
    yield event(2, "b");
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  await feed(cache, source());
  assert.deepEqual(cache.export().map((line) => JSON.parse(line).id), ["a", "b", "é"]);
  assert.deepEqual(cache.gaps()[""], { epoch: "", sequence: 3, state: "live", lost: [] });
  await cache.close();
});

test("messages of a WebSocket are whole lines; bytes that are no UTF-8 are set aside as they came", async () => {
  const cache = new NormalizedCache();
  const socket = new EventTarget();
  const stop = feedWebSocket(cache, socket);
  const send = (data) => socket.dispatchEvent(new MessageEvent("message", { data }));
  const bytes = (...parts) => Uint8Array.from(parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part)).buffer;
  const line = (...words) => JSON.stringify(event(...words));
  assert.equal(socket.binaryType, "arraybuffer");
  send(line(1, "a"));
  send(`${line(2, "b")}\n${line(3, "ü")}`);
  send(bytes(line(4, "d"), "\n", line(5, "é")));
  send(bytes(line(6, "f"), "\n"));
  send(bytes());
  send(bytes("{\"sequence\":7,\"x\":\"", [0xff, 0xfe], "\"}"));
  send(line(8, "h"));
  stop();
  send(line(9, "i"));
  await cache.calls.cache.caught_up({ sequence: 8 });
  assert.deepEqual(cache.quarantine().map(({ reason, line }) => [reason, line]), [["invalid_utf8", 7]]);
  assert.deepEqual(cache.export().map((entity) => JSON.parse(entity).id), ["a", "b", "d", "f", "h", "é", "ü"]);
  assert.deepEqual(cache.gaps()[""].sequence, 8);
  await cache.close();
});

test("a gap is asked for, and what nobody has is lost", async () => {
  const asked = [];
  const cache = new NormalizedCache({
    reorderWindow: 1, random: () => 0,
    upstream: {
      async eventsSince(library, sequence) {
        asked.push([library, sequence]);
        return { events: [event(2, "b")], coveredThrough: 3 };
      },
      async fetch(method, input) { return { resource_type: "file", resources: [{ id: input.id, n: 9007199254740993n }] }; },
    },
  });
  cache.ingest(event(1, "a"));
  cache.ingest(event(4, "d"));
  await cache.calls.cache.caught_up({ sequence: 4 });
  assert.deepEqual(asked, [["", 2]]);
  assert.deepEqual(cache.gaps()[""], { epoch: "", sequence: 4, state: "live", lost: [] });
  const { entities, source } = await cache.calls.query.read({ method: "one", input: { id: "z" } });
  assert.equal(source, "upstream");
  assert.equal(entities[0].n.text, "9007199254740993");
  await cache.close();
});

test("server-sent events are read however they are cut", () => {
  const text = ": hello\nevent: hello\ndata: {\"stream\":\"s\"}\n\nid: 1\ndata: a\ndata: b\n\r\n\nid: 2\r\ndata:c\r\n\r\n";
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = new Random(seed);
    const events = [];
    const reader = new SseReader((name, data, id) => events.push([name, data, id]));
    for (let at = 0; at < text.length;) {
      const end = at + 1 + random.below(6);
      reader.append(text.slice(at, end));
      at = end;
    }
    assert.deepEqual(events, [["hello", "{\"stream\":\"s\"}", null], ["message", "a\nb", "1"], ["message", "c", "2"]], `seed ${seed}`);
  }
});

test("a connection goes on after a cut, and says when it has to begin anew", async () => {
  const streams = [];
  const said = [];
  let cut;
  const server = createServer((request, response) => {
    assert.equal(request.headers.authorization, "Bearer t0ken");
    if (request.url.startsWith("/stream")) {
      streams.push({ url: request.url, last: request.headers["last-event-id"] });
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      if (streams.length === 1) {
        response.write("event: hello\ndata: {\"stream\":\"s1\"}\n\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"durable\",\"params\":{\"sequence\":1}}\n\n");
        cut = () => response.destroy();
      } else {
        response.write("event: gone\ndata: {}\n\nevent: hello\ndata: {\"stream\":\"s2\"}\n\n");
      }
      return;
    }
    assert.equal(request.headers["tidemark-stream"], streams.length === 1 ? "s1" : "s2");
    let body = "";
    request.on("data", (piece) => { body += piece; });
    request.on("end", () => {
      const { id, method } = JSON.parse(body);
      response.end(JSON.stringify(method === "entity.get" ? { jsonrpc: "2.0", id, result: { entity: { id: "a" } } }
        : { jsonrpc: "2.0", id, error: { code: 1007, message: "changed", data: { code: "conflict" } } }));
    });
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  const connection = connectServe(`http://127.0.0.1:${server.address().port}/`, "t0ken", { random: () => 0.01 });
  const heard = new Promise((resolve) => {
    connection.on("durable", (params) => {
      said.push(params);
      resolve();
    });
  });
  const gone = new Promise((resolve) => { connection.onGone(resolve); });
  assert.deepEqual(await connection.call("entity.get", { id: "a" }), { entity: { id: "a" } });
  await heard;
  cut();
  await gone;
  await assert.rejects(connection.call("cache.transaction", {}), { code: "conflict" });
  assert.deepEqual(said, [{ sequence: 1 }]);
  assert.deepEqual(streams, [{ url: "/stream", last: undefined }, { url: "/stream?stream=s1", last: "7" }]);
  connection.close();
  server.closeAllConnections();
  await new Promise((resolve) => { server.close(resolve); });
});
