// A small server of /rpc and /stream before a session over pipes, and of the page's files: what `tidemark serve` does, for tests of the page alone.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
const METRICS = "tidemark_flush_seconds_sum 0.42\ntidemark_flush_seconds_count 100\n";

/** Returns the path of the command; null when none is built. */
export function command() {
  return [process.env.TIDEMARK_COMMAND, join(root, ".build/debug/tidemark"), join(root, ".build/release/tidemark")].find((path) => path !== undefined
    && existsSync(path)) ?? null;
}

/** Starts a session and a server before it. `answer` answers the cache's own requests. */
export async function bridge({ database, files, answer = () => undefined, refuses = () => false }) {
  const session = spawn(command(), ["run", "--db", database, "--fetch-timeout", "5"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  const token = "a token of this test";
  let stream = null;
  let streamNumber = 0;
  let lastId = 0;
  let rest = "";
  session.stdout.setEncoding("utf8");
  session.stdout.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) hear(line);
  });

  function hear(line) {
    const message = JSON.parse(line);
    if (message.method !== undefined && message.id !== undefined) {
      const result = answer(message.method, message.params);
      const told = result === undefined ? { error: { code: -32601, message: "nobody answers" } } : result;
      session.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...told })}\n`);
    } else if (message.method !== undefined) {
      lastId += 1;
      stream?.write(`id: ${lastId}\ndata: ${line}\n\n`);
    } else {
      const take = waiting.get(message.id);
      waiting.delete(message.id);
      take?.(line, message);
    }
  }

  function ask(body) {
    lastId += 1;
    const own = `bridge-${lastId}`;
    return new Promise((resolve) => {
      // Numbers are passed on as they are written, so the id alone is exchanged, in the text.
      waiting.set(own, (line) => resolve(line.replace(`"id":"${own}"`, `"id":${JSON.stringify(JSON.parse(body).id)}`)));
      session.stdin.write(`${body.replace(/"id":\s*("[^"]*"|[0-9]+)/, `"id":"${own}"`)}\n`);
    });
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const name = pathname === "/" ? "index.html" : pathname.slice(1);
    const secure = { "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff" };
    if (request.method === "GET" && !name.includes("/") && existsSync(join(files, name))) {
      return response.writeHead(200, { ...secure, "Content-Type": TYPES[name.split(".").pop()] }).end(readFileSync(join(files, name)));
    }
    if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401,
      { "WWW-Authenticate": "Bearer" }).end("{\"error\":{\"code\":401,\"message\":\"no token\"}}");
    if (pathname === "/metrics") return response.writeHead(200, { "Content-Type": "text/plain" }).end(METRICS);
    if (pathname === "/stream") {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
      stream?.end();
      stream = response;
      streamNumber += 1;
      response.write(`event: hello\ndata: {"stream":"s${streamNumber}"}\n\n`);
      return undefined;
    }
    if (pathname !== "/rpc") return response.writeHead(404).end();
    let body = "";
    for await (const piece of request) body += piece;
    const message = JSON.parse(body);
    if (refuses(message.method)) {
      return response.writeHead(403).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: 1000, message: "the database is only read",
        data: { code: "read_only" } } }));
    }
    return response.writeHead(200, { "Content-Type": "application/json" }).end(await ask(body));
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  return {
    url: `http://127.0.0.1:${server.address().port}/`, token,
    feed: (lines) => new Promise((resolve) => {
      session.stdin.write(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""), resolve);
    }),
    call: async (method, params = {}) => JSON.parse(await ask(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))),
    cut: () => { stream?.end(); stream = null; },
    close: async () => {
      stream?.end();
      server.close();
      server.closeAllConnections();
      session.stdin.end();
      await new Promise((resolve) => { session.on("exit", resolve); });
    },
  };
}
