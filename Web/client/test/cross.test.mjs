// Random walks through both implementations: all answers, notifications and final states are compared. SEEDS=1000
// FROM=1 runs more of them; without a built `tidemark` the test is skipped.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Session } from "../dist/session/index.js";
import { MemoryJournal } from "../dist/index.js";
import { compact } from "../dist/json/text.js";
import { canonical } from "../dist/json/canonical.js";
import { runSession, tidemark } from "./support/binary.mjs";
import { hasPolicy, walk } from "./support/walk.mjs";
import { policyOf } from "../dist/policy/index.js";

const command = tidemark();
const count = Number(process.env.SEEDS ?? 40);
const first = Number(process.env.FROM ?? 1);
const kept = JSON.parse(readFileSync(new URL("cross-seeds.json", import.meta.url), "utf8"));

/**
 * Returns the part of a line that is compared: without the words of messages, and what depends on the disk or on time.
 * Answers are compared regardless of their order.
 */
function parts(lines) {
  const answers = new Map();
  const notifications = [];
  const logged = [];
  for (const line of lines) {
    const value = JSON.parse(line);
    if (value.method === "durable" || value.method === "library.state") continue;
    if (value.method === "log.event") {
      // The number of events in a notification depends on how the lines were delivered.
      logged.push(...value.params.events.map((event) => JSON.stringify({ ...event, at: 0, of: value.params.subscription })));
      continue;
    }
    const text = canonical(compact(line)).replace(/"(written_at|age|received_at|stored_at|created_at|stale_since)":\d+/g, "\"$1\":0")
      .replace(/"message":"(?:[^"\\]|\\.)*"/g, "\"message\":\"\"")
      // If several fields or entities are too old, the oldest is named, which depends on the clock.
      .replace(/"expired":\{"field":"[^"]*",/g, "\"expired\":{")
      .replace(/expired: [^"]* was written at \d+, maxAge/g, "expired: maxAge");
    if (value.method === undefined) answers.set(value.id, text);
    else notifications.push(text);
  }
  return { answers, notifications: inOrder(notifications), logged: logged.sort() };
}

/** Entities that one step changed have no defined order: sorts neighbouring notifications by observer. */
function inOrder(notifications) {
  const ordered = [];
  let run = [];
  const subscription = (text) => Number(/"subscription":(\d+)/.exec(text)?.[1] ?? 0);
  const end = () => {
    ordered.push(...run.sort((left, right) => subscription(left) - subscription(right)));
    run = [];
  };
  for (const text of notifications) {
    if (!text.includes("\"entity.changed\"")) end();
    run.push(text);
    if (!text.includes("\"entity.changed\"")) end();
  }
  end();
  return ordered;
}

const policyFile = fileURLToPath(new URL("support/policy.graphql", import.meta.url));
/** The rules of the policy file, as `tidemark policy check --json` prints them. */
const policyReport = JSON.parse(readFileSync(new URL("support/policy.json", import.meta.url), "utf8"));
const policy = policyOf(policyReport);

async function ownLines(lines, options) {
  const said = [];
  const session = new Session({ ...options, journal: new MemoryJournal(), upstream: "none", write: (line) => said.push(line) });
  await session.cache.ready;
  session.receive(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
  await session.end();
  return said;
}

async function compare(seed) {
  const steps = walk(seed);
  const lines = steps.map((step) => step.line);
  const folder = mkdtempSync(join(tmpdir(), "tidemark-cross-"));
  try {
    const [theirs, ours] = await Promise.all([
      runSession(command, ["--db", join(folder, "a.db"), "--upstream", "none", ...hasPolicy(seed) ? ["--policy", policyFile] : []], lines),
      ownLines(lines, hasPolicy(seed) ? { policy } : {}),
    ]);
    const wanted = parts(theirs);
    const found = parts(ours);
    for (const [id, answer] of wanted.answers) {
      const request = lines.find((line) => line.startsWith(`{"jsonrpc":"2.0","id":${id},`));
      assert.equal(found.answers.get(id), answer, `seed ${seed}: the answer to ${request}`);
    }
    assert.equal(found.answers.size, wanted.answers.size, `seed ${seed}: the number of answers`);
    assert.deepEqual(found.notifications, wanted.notifications, `seed ${seed}: notifications`);
    assert.deepEqual(found.logged, wanted.logged, `seed ${seed}: the log`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the rules of the policy are those that the command prints", { skip: command === null ? "no command is built" : false }, () => {
  assert.deepEqual(JSON.parse(execFileSync(command, ["policy", "check", "--json", policyFile], { encoding: "utf8" })), policyReport);
});

test("both implementations say the same in random walks", { skip: command === null ? "no command is built" : false }, async (context) => {
  const seeds = [...kept, ...Array.from({ length: count }, (_, index) => first + index)];
  let done = 0;
  const failed = [];
  const worker = async () => {
    while (done < seeds.length) {
      const seed = seeds[done];
      done += 1;
      try {
        await compare(seed);
      } catch (error) {
        failed.push(error);
      }
    }
  };
  await Promise.all([worker(), worker()]);
  context.diagnostic(`${seeds.length} seeds, ${failed.length} with a difference`);
  if (failed.length > 0) assert.fail(failed.slice(0, Number(process.env.SHOW ?? 3)).map((error) => error.message).join("\n\n"));
});
