// A server of scopes for tests: streams that can be cut anywhere, tokens that end, edits, and missing lines.

import { createServer } from "node:http";

/** Serves `ScopeLog`s by name. */
export class ScopeServer {
  logs = new Map();
  /** The tokens that are accepted. */
  tokens = new Set(["t1"]);
  /** The requests so far: `[method, path, query, token]`. */
  requests = [];
  /** Names of scopes that are answered with 403. */
  forbidden = new Set();
  /** Answers an edit: `{ status, body }`. */
  edit = () => ({ status: 404, body: { error: { message: "nobody takes edits", data: { code: "not_found" } } } });
  /** Lines that are left out of streams, by sequence. */
  lost = new Set();
  /** The status of all answers; null to answer. */
  failing = null;
  streams = new Set();
  /** Called with a stream's lines before they are written; returns the bytes to write and whether to cut behind them. */
  mangle = (text) => ({ text, isCut: false });

  async start() {
    this.http = createServer((request, response) => { this.answer(request, response).catch((error) => response.destroy(error)); });
    await new Promise((resolve) => { this.http.listen(0, "127.0.0.1", resolve); });
    this.url = `http://127.0.0.1:${this.http.address().port}`;
    return this;
  }

  close() {
    this.http.close();
    this.http.closeAllConnections();
  }

  async answer(request, response) {
    const url = new URL(request.url, "http://host");
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    this.requests.push([request.method, url.pathname, url.searchParams, token]);
    let text = "";
    for await (const piece of request) text += piece;
    const refuse = (status, message) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ error: { message } }));
    if (this.failing !== null) return refuse(this.failing, "the server cannot");
    if (!this.tokens.has(token)) return refuse(401, "the token is over");
    const [, , name, rest] = url.pathname.split("/");
    const log = this.logs.get(name);
    if (log === undefined) return refuse(404, `there is no scope ${name}`);
    if (this.forbidden.has(name)) return refuse(403, "not yours");
    if (rest === "edits") {
      const { status, body } = this.edit(JSON.parse(text), log);
      return response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    }
    if (request.method === "POST") return this.answerMissing(JSON.parse(text), url.searchParams.get("epoch"), log, response);
    const [after, epoch] = [url.searchParams.get("after"), url.searchParams.get("epoch")];
    response.writeHead(200, { "Content-Type": "application/x-ndjson" });
    const resumed = after === null ? null : log.resume(epoch, Number(after));
    const lines = resumed ?? log.state();
    const stream = { log, name, token, response, epoch: lines[lines.length - 1].epoch, sent: 0, all: [] };
    stream.sent = resumed === null ? log.number(stream.epoch, log.head) : Math.max(Number(after), log.number(stream.epoch, log.head));
    this.streams.add(stream);
    response.on("close", () => this.streams.delete(stream));
    this.write(stream, lines);
  }

  answerMissing({ id, params: { sequence } }, epoch, log, response) {
    const stream = [...this.all ?? []].filter((one) => one.log === log && one.epoch === epoch).pop();
    const events = stream?.all.filter((line) => line.sequence !== undefined && line.sequence >= sequence) ?? [];
    const result = { events, ...events.length === 0 ? {} : { covered_through: events[events.length - 1].sequence } };
    const answer = this.isHistoryOver === true ? { error: { code: 1, message: "the epoch is over", data: { code: "epoch_over" } } } : { result };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  }

  write(stream, lines) {
    (this.all ??= []).push(stream);
    stream.all.push(...lines);
    const shown = lines.filter(({ sequence }) => sequence === undefined || !this.lost.has(sequence));
    const { text, isCut } = this.mangle(shown.map((line) => `${JSON.stringify(line)}\n`).join(""));
    if (text !== "") stream.response.write(text);
    if (!isCut) return;
    this.streams.delete(stream);
    setImmediate(() => stream.response.destroy());
  }

  /** Sends what changed since to every open stream. */
  flush() {
    for (const stream of this.streams) {
      const { log, epoch } = stream;
      const start = Math.floor(stream.sent / 2 ** 20) + log.epochs.get(epoch) - 1;
      const lines = log.since(epoch, start, stream.sent);
      if (lines.length > 0) stream.sent = lines[lines.length - 1].sequence;
      this.write(stream, [...lines, { library_id: log.library, epoch, event: { Heartbeat: { last_sequence: stream.sent } } }]);
    }
  }

  /** Ends the open streams with a reason. */
  bye(reason) {
    for (const { response } of this.streams) response.end(`${JSON.stringify({ bye: { reason } })}\n`);
  }

  /** Cuts the open streams. */
  cut() { for (const { response } of this.streams) response.destroy(); }

  /** The requests for streams so far, each with the number that it named; null for none. */
  get places() {
    return this.requests.filter(([method, path]) => method === "GET" && path.startsWith("/scopes/")).map(([, , query]) => query.get("after"));
  }
}
