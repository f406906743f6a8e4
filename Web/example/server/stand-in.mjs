// The part of `tidemark serve` that the page needs, over the client's own cache: /rpc, /stream, /events, /export and
// /healthz.

import { NormalizedCache, CacheError } from "../../client/dist/index.js";
import { textOf } from "../../client/dist/out/value.js";
import { errorOut } from "../../client/dist/methods/errors.js";
import { addInspection } from "../../client/dist/inspection/index.js";

/** A cache over HTTP, for one program on this machine. */
export class StandIn {
  constructor(upstream, token) {
    this.token = token;
    this.cache = new NormalizedCache({ upstream });
    addInspection(this.cache);
    this.streams = new Map();
    this.lastStream = 0;
    this.cache.engine.addSink((notification) => { for (const stream of this.streams.keys()) this.tell(stream, notification); });
  }

  /** Answers a request if its path belongs to this server; returns false otherwise. */
  async handle(request, response, body) {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/healthz") return end(response, 200, "ok");
    if (!["/rpc", "/stream", "/events", "/export"].includes(pathname)) return false;
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      response.setHeader("WWW-Authenticate", "Bearer");
      return end(response, 401, JSON.stringify({ error: { message: "the token is missing or wrong" } }));
    }
    if (pathname === "/stream") return this.open(request, response);
    if (pathname === "/export") return end(response, 200, this.cache.export().map((line) => `${line}\n`).join(""));
    const text = await body();
    return pathname === "/rpc" ? this.perform(request, response, text) : this.take(response, text);
  }

  open(request, response) {
    this.lastStream += 1;
    const id = `s${this.lastStream}`;
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(`event: hello\ndata: {"stream":"${id}"}\n\n`);
    this.streams.set(id, { response, number: 0 });
    request.on("close", () => this.streams.delete(id));
    return true;
  }

  tell(id, { method, params }) {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    stream.number += 1;
    stream.response.write(`id: ${stream.number}\ndata: {"jsonrpc":"2.0","method":"${method}","params":${textOf(params)}}\n\n`);
  }

  perform(request, response, text) {
    const { id, method, params } = JSON.parse(text);
    const stream = request.headers["tidemark-stream"];
    this.cache.port.perform(method, JSON.stringify(params ?? {}), (notification) => this.tell(stream, notification), (outcome) => {
      const member = outcome instanceof CacheError ? `"error":${textOf(errorOut(outcome))}` : `"result":${textOf(outcome)}`;
      response.setHeader("Content-Type", "application/json");
      end(response, 200, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`);
    });
    return true;
  }

  async take(response, text) {
    this.cache.ingest(text);
    await this.cache.flush();
    // A cache without a journal has no commits: applied events count as durable.
    for (const [library_id, { epoch, sequence }] of Object.entries(this.cache.gaps())) {
      if (sequence === null) continue;
      for (const id of this.streams.keys()) this.tell(id, { method: "durable", params: { library_id, epoch, sequence } });
    }
    return end(response, 200, JSON.stringify({ lines: text.split("\n").filter(Boolean).length }));
  }

  /** Cuts all streams, like a server restart. */
  cut() {
    for (const { response } of this.streams.values()) response.destroy();
  }
}

function end(response, status, text) {
  response.writeHead(status);
  response.end(text);
  return true;
}
