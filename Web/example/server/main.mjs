// The example: bundles the page, and serves it, the photo service, and a cache between the two.
// With TIDEMARK_COMMAND the cache is `tidemark serve`; without it, a stand-in in this program.

import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { lists, ruleOf } from "../page/lists.js";
import { Albums } from "./albums.mjs";
import { PhotoService } from "./service.mjs";
import { StandIn } from "./stand-in.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const BODY_LENGTH_MAX = 1 << 20;

/**
 * Starts everything on a port of this machine; 0 selects a free one. Returns its address and a function that stops it.
 * Without a page, nothing is bundled.
 */
export async function start({ port = 0, command = process.env.TIDEMARK_COMMAND, hasPage = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-example-"));
  if (hasPage) bundle(folder);
  const token = randomBytes(32).toString("hex");
  const serve = { url: "", token };
  const service = new PhotoService((event) => void publish(serve, event));
  // Albums of two people, which only the command serves.
  const albums = command ? new Albums((event) => publish(serve, event)) : null;
  const standIn = command ? null : new StandIn(upstreamOf(service), token);
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      response.writeHead(error.status ?? 500, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ error: { code: error.code ?? -32000, message: error.message, data: error.data } }));
    });
  });
  const answer = async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const body = () => read(request);
    if (standIn !== null && await standIn.handle(request, response, body)) return;
    if (request.method === "POST" && path.startsWith("/service")) {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(await serviceAnswer(service, path, await body())));
      return;
    }
    if (albums !== null && request.method === "POST" && path.startsWith("/albums/")) {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(await albums.answer(path, await body())));
      return;
    }
    const file = files(folder, serve, albums !== null)[path];
    if (file === undefined) throw Object.assign(new Error("there is nothing here"), { status: 404 });
    const connections = serve.url === own(server) ? "" : ` ${serve.url}`;
    response.writeHead(200, {
      "Content-Type": file.type, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
      "Content-Security-Policy": `default-src 'self'; connect-src 'self'${connections}; frame-ancestors 'none'`,
    });
    response.end(file.text ?? readFileSync(file.path));
  };
  let child = null;
  const end = async () => {
    child?.kill();
    server.closeAllConnections?.();
    await new Promise((resolve) => { server.close(resolve); });
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await new Promise((resolve, reject) => { server.once("error", reject).listen(port, "127.0.0.1", resolve); });
    serve.url = own(server);
    if (command) child = await startServe(command, folder, serve, albums);
    // The cache starts with the photos of the service, and maintains the lists of the page by their rules.
    await publish(serve, ...service.log);
    await albums?.begin();
    for (const { input } of lists) {
      await rpc(serve, "query.put", { method: "photos", input, resource_type: "photo", local: true, membership: ruleOf(input) });
    }
  } catch (error) {
    await end();
    throw error;
  }
  return { url: own(server), service, standIn, albums, serve: serve.url, end };
}

function own(server) { return `http://127.0.0.1:${server.address().port}`; }

/** Bundles the two pages. */
function bundle(folder) {
  // The client as an installed package.
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@tidemark"), { recursive: true });
  symlinkSync(join(root, "../client"), join(modules, "@tidemark/client"));
  const environment = { ...process.env, NODE_PATH: [modules, process.env.NODE_PATH ?? "/usr/share/nodejs"].join(delimiter) };
  for (const [source, page] of [["main", "page"], ["people", "people"]]) {
    execFileSync("esbuild", [
      join(root, `page/${source}.jsx`), "--bundle", "--minify", "--format=esm", "--target=es2022", "--jsx=automatic", "--log-level=error",
      `--outfile=${join(folder, `${page}.js`)}`, "--define:process.env.NODE_ENV=\"production\"",
    ], { env: environment });
  }
}

function files(folder, serve, hasScopes) {
  return {
    "/": { type: "text/html; charset=utf-8", path: join(root, "page/index.html") },
    "/style.css": { type: "text/css", path: join(root, "page/style.css") },
    "/icon.svg": { type: "image/svg+xml", path: join(root, "page/icon.svg") },
    "/page.js": { type: "text/javascript", path: join(folder, "page.js") },
    "/people": { type: "text/html; charset=utf-8", path: join(root, "page/people.html") },
    "/people.js": { type: "text/javascript", path: join(folder, "people.js") },
    "/page.css": { type: "text/css", path: join(root, "page/style.css") },
    "/config.json": { type: "application/json", text: JSON.stringify({ serve: serve.url, token: serve.token, hasScopes }) },
  };
}

async function read(request) {
  let text = "";
  request.setEncoding("utf8");
  for await (const piece of request) {
    text += piece;
    if (text.length > BODY_LENGTH_MAX) throw Object.assign(new Error("the body is too long"), { status: 413 });
  }
  return text;
}

/** Answers the page and the cache (JSON-RPC at /service), and simulates other users for the buttons of the page. */
async function serviceAnswer(service, path, text) {
  const message = JSON.parse(text || "{}");
  switch (path) {
    case "/service": {
      try {
        return { jsonrpc: "2.0", id: message.id, result: await service.answer(message.method, message.params ?? {}) };
      } catch (error) {
        return { jsonrpc: "2.0", id: message.id, error: { code: error.code ?? -32000, message: error.message, data: error.data } };
      }
    }
    case "/service/rename": service.rename(message.id, message.title); return {};
    case "/service/add": service.add(message.title); return {};
    case "/service/lose":
      service.isLosing = true;
      service.delay = message.delay ?? 0;
      return {};
    default: throw Object.assign(new Error("there is nothing here"), { status: 404 });
  }
}

function upstreamOf(service) {
  return {
    async eventsSince(library, sequence) {
      const { events, covered_through } = await service.answer("events.since.v1", { library_id: library, sequence });
      return { events, coveredThrough: covered_through };
    },
  };
}

async function publish(serve, ...events) {
  if (serve.url === "") return;
  try {
    await fetch(`${serve.url}/events`, {
      method: "POST", body: events.map((event) => `${JSON.stringify(event)}\n`).join(""),
      headers: { Authorization: `Bearer ${serve.token}`, "Content-Type": "application/x-ndjson" },
    });
  } catch {
    // The cache notices the gap at the next event, and requests the missing one.
  }
}

async function rpc(serve, method, params) {
  const response = await fetch(`${serve.url}/rpc`, {
    method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    headers: { Authorization: `Bearer ${serve.token}`, "Content-Type": "application/json" },
  });
  const { error } = await response.json();
  if (error !== undefined) throw new Error(error.message);
}

/**
 * Starts `tidemark serve`, which admits the page at `serve.url`; then sets the URL and the token of the server in
 * `serve`.
 */
async function startServe(command, folder, serve, albums) {
  const child = spawn(command, [
    "serve", "--db", join(folder, "cache.db"), "--listen", "127.0.0.1:0", "--allow-origin", serve.url, "--upstream", "none",
    ...albums.options(folder, serve.url),
  ], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("error", ({ message }) => reject(new Error(`${command} serve cannot be started: ${message}`)));
    child.once("exit", (code, signal) => reject(new Error(`${command} serve ended at once with ${signal ?? `code ${code}`}`)));
  });
  const { serving, token_file } = JSON.parse(line);
  serve.url = serving;
  serve.token = readFileSync(token_file, "utf8").trim();
  return child;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { url } = await start({ port: Number(process.env.PORT ?? 7430) });
    console.log(`The photo library: ${url} (open it in two tabs; Ctrl-C ends it)`);
    console.log(`Albums of two people: ${url}/people`);
  } catch (error) {
    console.error(`the example cannot start: ${error.message}`);
    process.exitCode = 1;
  }
}
