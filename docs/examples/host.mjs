#!/usr/bin/env node
// A host in JavaScript. It runs Tidemark as a child process, sends it events, answers its requests, observes a list and
// makes an edit.
//
// Usage: host.mjs PATH-OF-TIDEMARK
// It needs nothing but Node 18 or later.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// The data of a server. The stream below never carries sequence 2, so Tidemark asks for it.
const photo = (id, name, stars) => ({ ResourceChanged: { resource_type: "photo", resource: { id, name, stars } } });
const log = [
  { sequence: 1, event: photo("p1", "Harbour", 3) },
  { sequence: 2, event: photo("p2", "Dunes", 5) },
  { sequence: 3, event: photo("p1", "Harbour", 4) },
];

/** One session with Tidemark. Requests return promises, and `handlers` answer the requests that Tidemark makes. */
class Tidemark {
  #process;
  #waiting = new Map();
  #nextID = 0;
  #ended;

  constructor(path, database, handlers, onNotification) {
    this.#process = spawn(path, ["run", "--db", database], { stdio: ["pipe", "pipe", "inherit"] });
    this.#ended = new Promise((resolve) => this.#process.on("close", resolve));
    createInterface({ input: this.#process.stdout, crlfDelay: Infinity }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.method === undefined) {
        const { resolve, reject } = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      } else if (message.id !== undefined) {
        const handler = handlers[message.method];
        const answer = handler
          ? { result: handler(message.params) }
          : { error: { code: -32601, message: `no method ${message.method}` } };
        this.send({ jsonrpc: "2.0", id: message.id, ...answer });
      } else {
        onNotification(message.method, message.params);
      }
    });
  }

  send(value) {
    this.#process.stdin.write(JSON.stringify(value) + "\n");
  }

  request(method, params) {
    const id = ++this.#nextID;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.send({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** Ends the session. Tidemark finishes pending work and writes everything to the disk; its exit status is then 0. */
  close() {
    this.#process.stdin.end();
    return this.#ended;
  }
}

/** Applies a JSON Patch (RFC 6902) whose paths name whole elements of a list. Tidemark sends no other paths. */
function applyPatch(elements, patch) {
  for (const { op, path, from, value } of patch) {
    const index = Number(path.slice(1));
    if (op === "add") elements.splice(index, 0, value);
    else if (op === "remove") elements.splice(index, 1);
    else if (op === "replace") elements[index] = value;
    else if (op === "move") elements.splice(index, 0, ...elements.splice(Number(from.slice(1)), 1));
  }
}

if (process.argv.length !== 3) {
  console.error("usage: host.mjs PATH-OF-TIDEMARK");
  process.exit(64);
}
const folder = await mkdtemp(join(tmpdir(), "tidemark-host-"));
const shown = [];
const performed = new Map();
const cache = new Tidemark(
  process.argv[2],
  join(folder, "cache.db"),
  {
    "events.since.v1": ({ sequence }) => ({ events: log.filter((event) => event.sequence >= sequence), covered_through: 3 }),
    // The rule lets events keep the list up to date from now on, with the best photos first.
    "query.fetch": () => ({
      resource_type: "photo", resources: [], as_of: 0,
      membership: { resource_type: "photo", order: [{ path: "/stars", direction: "desc" }] },
    }),
    // A mutation may arrive twice if an answer was lost, so the server performs each pending id only once.
    "mutation.send": ({ pending_id, input }) => {
      if (!performed.has(pending_id)) performed.set(pending_id, { id: input.id, name: "Harbour", stars: input.stars });
      return { confirmed: performed.get(pending_id), sequence: 4 };
    },
  },
  (method, params) => {
    if (method !== "query.changed") return;
    applyPatch(shown, params.patch);
    console.log("changed:", shown.map(({ name }) => name).join(", "));
  },
);
const best = { method: "photos.best", input: { limit: 10 } };
shown.push(...(await cache.request("query.observe", best)).entities);
cache.send(log[0]);
cache.send(log[2]);
const place = await cache.request("cache.caught_up", { library_id: "", sequence: 3 });
const read = await cache.request("query.read", best);
if (JSON.stringify(read.entities) !== JSON.stringify(shown)) throw new Error("patches and reads disagree");
// An edit is visible before the server has it. Tidemark sends it again until the server has answered.
await cache.request("optimistic.update", {
  pending_id: "edit-1", changes: [{ op: "patch", resource_type: "photo", id: "p1", fields: { stars: 6 } }],
  send: { method: "photos.rate", input: { id: "p1", stars: 6 } },
});
while ((await cache.request("optimistic.list", {})).pending.length > 0) {
  await new Promise((resolve) => setTimeout(resolve, 10));
}
console.log("cursor:", place.cursor, "state:", place.state);
console.log("best:", shown.map(({ name, stars }) => `${name} ${stars}`).join(", "));
const status = await cache.close();
await rm(folder, { recursive: true });
process.exit(status);
