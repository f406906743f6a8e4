// The parts of the page without a page: JSON as it is written, patches, differences, server-sent events.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { test } from "node:test";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tidemark-inspector-model-"));

// One bundle: two of them would have two classes of each name.
const entry = join(folder, "entry.ts");
const paths = { json: "model/json", diff: "model/diff", sse: "link/sse", format: "ui/format" };
writeFileSync(entry, Object.entries(paths).map(([name, path]) => `export * as ${name} from ${JSON.stringify(join(root, "src", path))};`).join("\n"));
const bundle = join(folder, "bundle.mjs");
execFileSync("esbuild", [entry, "--bundle", "--format=esm", `--outfile=${bundle}`, "--log-level=error"]);
const { json, diff, sse: { SseReader }, format } = await import(pathToFileURL(bundle).href);

test("JSON is written as it was read: numbers, the order of members, names that JavaScript uses itself", () => {
  for (const text of [
    "{\"2\":1.10,\"1\":1e400,\"__proto__\":{\"a\":9007199254740993}}", "[]", "{}", "null", "\"\\u0000ä\"", "[true,false,-0.0]", "{\"a\":1,\"a\":2}",
  ]) assert.equal(json.stringify(json.parse(text)), text.replace("\\u0000ä", "\\u0000ä"));
  assert.equal(json.member(json.parse("{\"a\":1,\"a\":2}"), "a").text, "2");
  assert.equal({}.a, undefined);
});

test("what is no JSON is refused with its place", () => {
  for (const [text, offset] of [["{\"a\":1,}", 7], ["[1", 2], ["", 0], ["{} x", 3], ["\"a", 2], ["{\"a\" 1}", 5], ["01", 1], ["[\"\n\"]", 2]]) {
    assert.throws(() => json.parse(text), (error) => error instanceof json.JsonError && error.offset === offset, `${text} ${offset}`);
  }
  assert.throws(() => json.parse("[".repeat(100_000)), json.JsonError);
});

test("JSON agrees with JSON.parse on random values", () => {
  let seed = 7;
  const random = (count) => { seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31; return Math.floor(seed / 2 ** 31 * count); };
  const value = (depth) => {
    switch (random(depth > 3 ? 4 : 6)) {
      case 0: return null;
      case 1: return random(2) === 0;
      case 2: return (random(2_000) - 1_000) / 8;
      case 3: return String.fromCharCode(...Array.from({ length: random(6) }, () => random(0x3000)));
      case 4: return Array.from({ length: random(4) }, () => value(depth + 1));
      default: return Object.fromEntries(Array.from({ length: random(4) }, (_, index) => [`k${index}${random(9)}`, value(depth + 1)]));
    }
  };
  for (let round = 0; round < 2_000; round += 1) {
    const text = JSON.stringify(value(0), null, random(3));
    assert.equal(json.stringify(json.parse(text)), JSON.stringify(JSON.parse(text)));
  }
});

test("patches lead to the list that they describe", () => {
  const elements = ["a", "b", "c"];
  const patch = json.parse(JSON.stringify([
    { op: "add", path: "/1", value: "x" }, { op: "move", from: "/3", path: "/0" }, { op: "remove", path: "/3" }, { op: "replace", path: "/1", value: "A" },
  ]));
  const changed = diff.applyPatch(elements, patch, (value) => value);
  assert.deepEqual(elements, ["c", "A", "x"]);
  assert.deepEqual(changed, ["x", "c", "A"]);
});

test("differences name the members that changed, came and went", () => {
  const changes = diff.differences(json.parse("{\"a\":1,\"b\":[1],\"c\":2}"), json.parse("{\"a\":1.0,\"b\":[1],\"d\":3}"));
  const found = changes.map(({ name, before, after }) => [name, before?.text, after?.text]);
  assert.deepEqual(found, [["a", "1", "1.0"], ["d", undefined, "3"], ["c", "2", undefined]]);
  assert.deepEqual(diff.differences(undefined, json.parse("{\"a\":1}")).map(({ name }) => name), ["a"]);
});

test("server-sent events may be cut anywhere", () => {
  const text = "event: hello\ndata: {\"stream\":\"s\"}\n\n: comment\n\nid: 7\ndata: a\ndata: b\n\n";
  for (let size = 1; size < text.length; size += 1) {
    const told = [];
    const reader = new SseReader((...event) => told.push(event));
    for (let start = 0; start < text.length; start += size) reader.append(text.slice(start, start + size));
    assert.deepEqual(told, [["hello", "{\"stream\":\"s\"}", null], ["message", "a\nb", "7"]], `${size}`);
  }
});

test("sizes, times and rates are short", () => {
  assert.deepEqual([0, 999, 1_000, 123_456, 7_654_321].map(format.bytes), ["0 B", "999 B", "1.0 kB", "123 kB", "7.7 MB"]);
  assert.deepEqual([5, 1_500, 59_000, 3_600_000, 172_800_000].map(format.duration), ["5 ms", "1.5 s", "59 s", "1 h", "2 d"]);
  assert.equal(format.rate(0.25), "0.3");
});
