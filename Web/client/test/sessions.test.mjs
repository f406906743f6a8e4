// Every transcript of Protocol/vectors/sessions, except those in vectors-not-run.json.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { MemoryJournal, Session, parseExact, stringifyExact } from "./support/client.mjs";
import { compact, memberOf, elementsOf, kindOf } from "../dist/json/text.js";
import { logUpstream, optionsOf } from "./support/arguments.mjs";
import { Comparison, isPassedOver } from "./support/transcript.mjs";
import { reasonNotRun } from "./support/not-run.mjs";

const folder = new URL("../../../Protocol/vectors/sessions/", import.meta.url);
const PATIENCE = 5_000;

/** A journal that can be cut off: later writes are lost, as when a process is killed. */
class CutJournal {
  isCut = false;

  constructor(journal) { this.journal = journal; }

  open() { return this.journal.open(); }

  commit(batch) { return this.isCut ? new Promise(() => undefined) : this.journal.commit(batch); }

  close() { return this.journal.close(); }
}

/** A session whose output lines are awaited one by one. */
class Rig {
  constructor(header, kept) {
    const journal = this.journal = new CutJournal(kept);
    const { options, upstream } = optionsOf(header.arguments);
    this.lines = [];
    this.isEnded = false;
    const log = header.upstream?.map((line) => typeof line === "string" ? line : stringifyExact(line));
    this.session = new Session({
      ...options, journal, random: () => 0.5,
      upstream: log !== undefined ? logUpstream(log, options.library ?? "") : upstream === "none" ? "none" : "host",
      write: (line) => {
        this.lines.push(compact(line));
        this.wake?.();
      },
    });
  }

  send(text) { this.session.receive(new TextEncoder().encode(text)); }

  async next() {
    const end = Date.now() + PATIENCE;
    while (this.lines.length === 0) {
      if (this.isEnded) return { is: "end" };
      const left = end - Date.now();
      if (left <= 0) return { is: "late" };
      await new Promise((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, Math.min(left, 50));
      });
    }
    return { is: "line", line: this.lines.shift() };
  }

  async end() {
    await this.session.end();
    this.isEnded = true;
    this.wake?.();
  }
}

async function play(lines) {
  const header = parseExact(lines[0]);
  const journal = new MemoryJournal();
  const comparison = new Comparison();
  let rig = new Rig(header, journal);
  let passed = [];
  let ending = null;
  const unexpected = () => rig.lines.filter((line) => !isPassedOver(line));
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const place = `line ${index + 1}`;
    const restart = memberOf(line, "restart");
    if (restart !== null) {
      if (restart === "\"END\"") {
        await rig.end();
        assert.deepEqual(unexpected(), [], place);
      } else {
        rig.journal.isCut = true;
      }
      rig = new Rig(header, journal);
      await rig.session.cache.ready;
      passed = [];
    } else if (memberOf(line, "say") === "\"host\"") {
      if (memberOf(line, "end") !== null || memberOf(line, "signal") !== null) {
        ending = rig.end();
      } else {
        const one = memberOf(line, "line");
        const values = one !== null ? [one] : elementsOf(memberOf(line, "lines"));
        rig.send(values.map((value) => `${comparison.hostLine(value)}\n`).join(""));
        // A host's chunks arrive one after the other, with time between them.
        await new Promise((resolve) => { setImmediate(resolve); });
      }
    } else {
      const unordered = memberOf(line, "unordered");
      const wanted = unordered !== null ? elementsOf(unordered) : [memberOf(line, "line")];
      for (let at = wanted.length - 1; at >= 0; at -= 1) {
        const found = passed.findIndex((known) => comparison.takes(wanted[at], known));
        if (found >= 0) {
          passed.splice(found, 1);
          wanted.splice(at, 1);
        }
      }
      while (wanted.length > 0) {
        const next = await rig.next();
        assert.equal(next.is, "line", `${place}: the cache said nothing more; wanted ${wanted}`);
        const found = wanted.findIndex((value) => comparison.takes(value, next.line));
        if (found >= 0) wanted.splice(found, 1);
        else if (isPassedOver(next.line)) passed.push(next.line);
        else assert.fail(`${place}: found ${next.line}\nwanted ${wanted}`);
      }
    }
  }
  await (ending ?? rig.end());
  assert.deepEqual(unexpected(), [], "at the end");
}

for (const name of readdirSync(folder).sort()) {
  if (reasonNotRun(`sessions/${name}`) !== undefined) continue;
  test(`sessions/${name}`, async () => {
    const lines = readFileSync(new URL(name, folder), "utf8").split("\n").filter(Boolean).map(compact);
    assert.equal(kindOf(lines[0]), "object");
    await play(lines);
  });
}
