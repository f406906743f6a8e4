// Server-sent events: a stream that is cut, resumed behind the last number, and applied once.
//
//     node docs/recipes/sse.mjs .build/debug/tidemark
//
// The position is not kept by this program: the cache knows it, because it is stored with the data. After a cut the
// stream is asked for what follows that position.
import { spawn } from "node:child_process";
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A host that sends lines and requests to `tidemark run`, and waits for answers. */
class Session {
  #process;
  #answers = new Map();
  #number = 0;

  constructor(command, database) {
    this.#process = spawn(command, ["run", "--db", database, "--upstream", "none"], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#process.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.id === undefined || message.method !== undefined) return;
      const { resolve, reject } = this.#answers.get(message.id);
      this.#answers.delete(message.id);
      if (message.error === undefined) resolve(message.result);
      else reject(new Error(message.error.message));
    });
  }

  line(text) { this.#process.stdin.write(`${text}\n`); }

  call(method, params) {
    const id = ++this.#number;
    this.line(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve, reject) => { this.#answers.set(id, { resolve, reject }); });
  }

  async close() {
    this.#process.stdin.end();
    await once(this.#process, "close");
  }
}

/** Five events. The server cuts the first connection after the second one, in the middle of a line. */
const event = (sequence) => JSON.stringify({
  library_id: "feed", sequence, event: { ResourceChanged: { resource_type: "photo", resource: { id: "1", stars: sequence } } },
});
const resumed = [];
const server = createServer((request, response) => {
  const last = Number(request.headers["last-event-id"] ?? 0);
  resumed.push(last);
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  let text = ": a comment keeps the connection open\n\n";
  for (let number = last + 1; number <= 5; number += 1) text += `id: ${number}\ndata: ${event(number)}\n\n`;
  if (last === 0) {
    response.write(text.slice(0, text.indexOf("id: 3") + 40), () => response.destroy());
  } else {
    response.end(text);
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

/** Reads one connection to its end, and feeds each whole event; an event ends with an empty line. */
async function follow(url, session, position) {
  const headers = position === null ? {} : { "Last-Event-ID": String(position) };
  const response = await fetch(url, { headers });
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      if (data.length > 0) session.line(data.join("\n"));
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "tidemark-sse-"));
const session = new Session((process.argv[2] ?? "tidemark"), join(folder, "cache.db"));
const position = async () => (await session.call("cache.caught_up", { library_id: "feed", sequence: 0 })).cursor;
const url = `http://127.0.0.1:${server.address().port}/`;
// The first answer needs a position: 0 is reached with the first event.
let last = null;
while (last !== 5) {
  await follow(url, session, last).catch(() => {});
  last = await position();
}
assert.deepEqual(resumed, [0, 2]);
const { entity } = await session.call("entity.get", { library_id: "feed", resource_type: "photo", id: "1" });
assert.deepEqual(entity, { id: "1", stars: 5 });
console.log(`photo 1: ${entity.stars} stars, resumed behind ${resumed[1]}`);
await session.close();
server.close();
rmSync(folder, { recursive: true });
