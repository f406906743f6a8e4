// A running `tidemark serve`, its upstream, and a proxy to it whose connections can be cut.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createWay } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Returns the path of the command; null if it, or the server that it starts, is not built. */
export function command() {
  const builds = [".build/debug", ".build/release"].map((folder) => join(root, folder, "tidemark"));
  const paths = [process.env.TIDEMARK_COMMAND, ...builds];
  return paths.find((path) => path !== undefined && existsSync(path) && existsSync(join(dirname(path), "tidemark-serve"))) ?? null;
}

/** Runs a command of `tidemark` to its end. */
export function run(words) {
  return new Promise((resolve) => {
    const child = spawn(command(), words, { stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (piece) => { output += piece; });
    child.stderr.on("data", (piece) => { errors += piece; });
    child.on("close", (status) => resolve({ status, output, errors }));
  });
}

const listen = (server) => new Promise((resolve) => { server.listen(0, "127.0.0.1", () => resolve(server.address().port)); });

const running = new Set();

/** Kills the servers that a failed test left running: they would keep the run alive. */
export async function closeAll() { await Promise.all([...running].map((stop) => stop())); }

/** A JSON-RPC server that answers a cache's requests. `answer` returns `result` or `error`; undefined is an error. */
async function upstream(answer) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { id, method, params } = JSON.parse(body);
    const told = answer(method, params) ?? { error: { code: -32601, message: "nobody answers" } };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...told }));
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, close: () => { server.close(); server.closeAllConnections(); } };
}

/** A proxy to the server, whose connections can be cut. */
async function way() {
  const sockets = new Set();
  const target = { port: 0 };
  const server = createWay((socket) => {
    const onward = connect(target.port, "127.0.0.1");
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => undefined);
      each.on("close", () => { sockets.delete(each); socket.destroy(); onward.destroy(); });
    }
    socket.pipe(onward).pipe(socket);
  });
  const port = await listen(server);
  const cut = () => { for (const socket of sockets) socket.destroy(); };
  return { port, target, cut, close: () => { server.close(); cut(); } };
}

/** Starts a server. `options` are further ones of `tidemark serve`. */
export async function serve({ database, options = [], answer = () => undefined }) {
  const asked = await upstream(answer);
  const detour = await way();
  const isReader = options.includes("--read-only");
  const child = spawn(command(), ["serve", "--db", database, "--listen", "127.0.0.1:0", "--allow-origin", `http://127.0.0.1:${detour.port}`,
    ...(isReader ? [] : ["--upstream", asked.url]), ...options], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (piece) => { errors += piece; });
  const ended = new Promise((resolve) => { child.on("exit", resolve); });
  const stop = async () => {
    running.delete(stop);
    asked.close();
    detour.close();
    child.kill("SIGTERM");
    return await ended;
  };
  running.add(stop);
  const line = await Promise.race([new Promise((resolve) => { createInterface(child.stdout).once("line", resolve); }), ended]);
  if (typeof line !== "string") throw new Error(`the server did not start: ${errors}`);
  const { serving, token_file } = JSON.parse(line);
  const token = readFileSync(token_file, "utf8").trim();
  detour.target.port = Number(new URL(serving).port);
  const post = async (path, type, body) => {
    const response = await fetch(serving + path, { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": type }, body });
    return { status: response.status, body: await response.json() };
  };
  return {
    serving, token, page: `${serving}/#token=${token}`,
    /** The same page through the proxy, which `cut` interrupts. */
    detour: `http://127.0.0.1:${detour.port}/#token=${token}`, cut: detour.cut,
    get errors() { return errors; },
    feed: async (lines) => {
      const text = lines.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join("");
      const { status, body } = await post("/events", "application/x-ndjson", text);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body;
    },
    call: async (method, params = {}) => (await post("/rpc", "application/json", JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).body,
    /** Ends the server. Returns its status. */
    close: stop,
  };
}
