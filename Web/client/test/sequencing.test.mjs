// Every case of the table of Protocol/sequencing.md: a state, an input, and the whole outcome.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { defaultLimits, loadParts } from "../dist/index.js";
import { compact, elementsOf, kindOf, memberOf, membersOf, stringValue } from "../dist/json/text.js";
import { take } from "../dist/state/take.js";
import { storeAnswer } from "../dist/state/answers.js";
import { setLineAside } from "../dist/state/aside.js";
import { applyAnswer, expireGaps, failReconcile, resumeReconcile } from "../dist/state/reconcile.js";
import { State } from "../dist/state/state.js";
import { statusOf } from "../dist/state/watch.js";
import { EventDecoder } from "../dist/wire/decoder.js";
import { LineFramer } from "../dist/wire/framer.js";
import { placeOf } from "../dist/wire/salvage.js";

await loadParts();
const WINDOW = 50;
const bins = ["applied", "duplicate", "ignored", "quarantined", "held", "reconciled"];

/** One library, driven input by input: no engine, no clock, and an upstream whose responses the case defines. */
class Fixture {
  constructor(hasUpstream, limits) {
    this.limits = { ...defaultLimits, ...limits };
    this.state = new State({
      limits: this.limits, defaultLibrary: "", aliases: new Map(), hasUpstream, reorderWindow: WINDOW, evictIgnore: [],
    });
    this.decoder = new EventDecoder(this.limits, new Map(), () => placeOf);
    this.framer = this.newFramer();
    this.now = 1_000;
    this.begin();
  }

  newFramer() { return new LineFramer(this.limits.lineByteCountMax, this.limits.quarantineByteCountMax); }

  /** The library of the cases is the first one. */
  get library() { return [...this.state.libraries.values()][0]; }

  lines(texts) {
    const lines = [];
    const framer = this.newFramer();
    framer.append(new TextEncoder().encode(texts.map((text) => `${text}\n`).join("")), (line) => lines.push(line));
    return lines;
  }

  perform(step) {
    const number = (name) => memberOf(step, name) === null ? null : Number(memberOf(step, name));
    const text = (json) => kindOf(json) === "string" ? stringValue(json) : json;
    const attempt = number("attempt") ?? 1;
    const { state, now } = this;
    switch (membersOf(step)[0].name) {
      case "line":
        this.framer.append(new TextEncoder().encode(`${text(memberOf(step, "line"))}\n`), (line) => this.take(line));
        this.requests.push(...expireGaps(state, "endless", now));
        break;
      case "window_ms":
        this.now += number("window_ms");
        this.requests.push(...expireGaps(state, "window", this.now));
        break;
      case "pass_ms": this.now += number("pass_ms"); break;
      case "end": this.requests.push(...expireGaps(state, "none", now)); break;
      case "answer": {
        const answered = this.lines(elementsOf(memberOf(step, "answer")).map(text)).map((line) => ({
          decoded: this.decoder.decode(line), source: { ...sourceOf(line), isUpstream: true },
        }));
        this.requests.push(...applyAnswer(state, answered, number("covered_through"), this.library, attempt, 0.5, now));
        break;
      }
      case "fail":
        this.requests.push(...failReconcile(state, this.library, number("fail"), memberOf(step, "final") === "true", 0.5, now));
        break;
      case "pause_ends": this.requests.push(...resumeReconcile(state, this.library, number("pause_ends"), now)); break;
      case "query_answered":
        storeAnswer(state, {
          key: { library: "a", method: "all", input: "{}" }, timeToLive: null, asOf: null, rule: null, ruleText: "", tags: "", isLocal: false,
          groups: [{ type: "file", members: [] }],
        }, null, now);
        break;
      default: assert.fail(step);
    }
  }

  take(line) {
    const decoded = this.decoder.decode(line);
    if (decoded.is === "event") take(this.state, decoded.event, sourceOf(line), this.now);
    else if (decoded.is === "unusable") setLineAside(this.state, line, decoded.line, this.now);
  }

  /** Marks the point from which on changes belong to the case. */
  begin() {
    this.before = { ...this.state.counts };
    this.entitiesBefore = new Set(this.entities);
    this.requests = [];
  }

  get entities() {
    const tables = [...this.state.libraries.values()].flatMap((library) => [...library.types.values()]);
    return tables.flatMap((table) => [...table.slots.values()]).filter((slot) => slot.text !== null).map((slot) => slot.id);
  }

  get outcome() {
    const { phase, cursor, epoch, lost } = statusOf(this.state, this.library.name);
    const written = this.entities.filter((id) => !this.entitiesBefore.has(id)).sort();
    return [
      `${phase} ${cursor ?? "-"}`,
      ...epoch ? [`epoch ${epoch}`] : [],
      ...lost.length > 0 ? [`lost ${lost.map((range) => `${range.first}-${range.last}`).join(" ")}`] : [],
      ...bins.map((name) => [name, this.state.counts[name] - this.before[name]]).filter(([, count]) => count !== 0).map(([name, count]) => `${name} ${count}`),
      ...written.length > 0 ? [`wrote ${written.join(" ")}`] : [],
      ...this.requests.map((request) => request.is === "ask"
        ? `ask from ${request.from}, attempt ${request.attempt}` : `wait ${request.milliseconds}, attempt ${request.attempt}`),
    ].join("; ");
  }
}

function sourceOf(line) {
  return { isUpstream: false, line: line.number, offset: line.offset, byteCount: line.byteCount, text: line.text };
}

const file = compact(readFileSync(new URL("../../../Protocol/vectors/sequencing.json", import.meta.url), "utf8"));
const states = memberOf(file, "states");

test("sequencing.json: every case", async (context) => {
  for (const one of elementsOf(memberOf(file, "cases"))) {
    const text = (name) => memberOf(one, name) === null ? "" : stringValue(memberOf(one, name));
    await context.test([text("cell"), text("note"), text("from")].filter(Boolean).join(", "), () => {
      const limits = {};
      if (memberOf(one, "held_events") !== null) limits.heldEventCountMax = Number(memberOf(one, "held_events"));
      if (memberOf(one, "held_bytes") !== null) limits.heldByteCountMax = Number(memberOf(one, "held_bytes"));
      const fixture = new Fixture(memberOf(one, "upstream") === "true", limits);
      for (const step of elementsOf(memberOf(states, text("from")))) fixture.perform(step);
      fixture.begin();
      for (const step of elementsOf(memberOf(one, "steps"))) fixture.perform(step);
      assert.equal(fixture.outcome, text("gives"));
    });
  }
});
