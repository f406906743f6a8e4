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

// One bundle, because two would have two classes of each name.
const entry = join(folder, "entry.ts");
const paths = {
  address: "model/address", curl: "model/curl", edit: "views/entity-edit", names: "model/names", rows: "model/rows",
  json: "model/json", diff: "model/diff", patch: "model/patch", place: "model/place", why: "model/why", sse: "link/sse", format: "ui/format",
};
writeFileSync(entry, Object.entries(paths).map(([name, path]) => `export * as ${name} from ${JSON.stringify(join(root, "src", path))};`).join("\n"));
const bundle = join(folder, "bundle.mjs");
execFileSync("esbuild", [entry, "--bundle", "--format=esm", `--outfile=${bundle}`, "--log-level=error"]);
const { address, curl, edit, names, rows, json, diff, patch, place, why, sse: { SseReader }, format } = await import(pathToFileURL(bundle).href);

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
  const steps = json.parse(JSON.stringify([
    { op: "add", path: "/1", value: "x" }, { op: "move", from: "/3", path: "/0" }, { op: "remove", path: "/3" }, { op: "replace", path: "/1", value: "A" },
  ]));
  const changed = diff.applyPatch(elements, steps, (value) => value);
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

test("libraries have short names, each another", () => {
  const uuids = ["0b7e5a1c-1111-4000-8000-000000000001", "0b7e5a1c-1111-4000-8000-000000000002", "9c7e5a1c-1111-4000-8000-000000000009"];
  const shown = names.shortNames(["", "archive", ...uuids, "tenant-of-somebody-1", "tenant-of-somebody-2"]);
  assert.deepEqual([...shown.values()].sort(), ["(default)", "9c7e5a1c…", "archive", "…00000001", "…00000002", "…mebody-1", "…mebody-2"].sort());
  assert.equal(new Set(shown.values()).size, 7);
  const hard = Array.from({ length: 500 }, (_, number) => `${"x".repeat(20)}${String(number).padStart(4, "0")}${"y".repeat(20)}`);
  const hardShown = names.shortNames(hard);
  assert.equal(new Set(hardShown.values()).size, 500);
  assert.deepEqual([...hardShown.keys()].sort(), [...hard].sort());
  assert.deepEqual([...names.shortNames(["abcdefgh…", "abcdefghijklmnopqrst"]).values()], ["abcdefgh…", "…mnopqrst"]);
});

test("an address leads to what it was made of", () => {
  const views = ["Now", "Entities", "Pending edits"];
  for (const [view, place] of [["Now", {}], ["Entities", { key: "photo:a/b?c=d&e", in: "", find: "ä %" }], ["Pending edits", { edit: "p 1" }]]) {
    const found = address.placeAt(address.addressOf(view, place), views);
    assert.equal(views[found.index], view);
    assert.deepEqual(found.place, Object.fromEntries(Object.entries(place).filter(([, value]) => value !== "")));
  }
  assert.deepEqual(address.placeAt("", views), { index: 0, place: {} });
  assert.equal(address.placeAt("nothing?x=1", views).index, 0);
  assert.equal(address.addressOf("Entities", { key: "photo:p1" }), "entities?key=photo:p1");
});

test("a page that is read again takes its place among the rows, under random changes", () => {
  let seed = 3;
  const random = (count) => { seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31; return Math.floor(seed / 2 ** 31 * count); };
  const sorted = (map) => [...map].sort(([left], [right]) => left < right ? -1 : 1)
    .map(([key, summary]) => ({ library: "", key, summary: String(summary), changedAt: 0 }));
  for (let round = 0; round < 3_000; round += 1) {
    const cache = new Map(Array.from({ length: random(12) }, () => [`k${String(random(20)).padStart(2, "0")}`, random(3)]));
    let shown = sorted(cache).slice(0, random(14));
    for (let change = 0; change < random(4); change += 1) {
      const key = `k${String(random(20)).padStart(2, "0")}`;
      if (random(3) === 0) cache.delete(key);
      else cache.set(key, random(3));
    }
    const now = sorted(cache);
    const start = random(shown.length + 1);
    const first = start === 0 ? 0 : now.findIndex(({ key }) => key > shown[start - 1].key);
    const page = first < 0 ? [] : now.slice(first, first + 4);
    const isLast = first < 0 || first + 4 >= now.length;
    const { rows: next, hasRest } = rows.renewed(shown, start, page, isLast, 9);
    assert.equal(new Set(next.map(({ key }) => key)).size, next.length, "no row is there twice");
    assert.deepEqual(next.slice(start, start + page.length).map(({ key, summary }) => [key, summary]), page.map(({ key, summary }) => [key, summary]));
    if (isLast) assert.equal(hasRest, false);
    for (const row of next.slice(start, start + page.length)) {
      const old = shown.find(({ key }) => key === row.key);
      assert.equal(row.changedAt, old !== undefined && old.summary === row.summary ? 0 : 9);
    }
    shown = next;
  }
});

test("an edit is the difference of two versions", () => {
  const change = (before, after) => {
    const found = edit.changeOf("photo:a:1", json.parse(before), json.parse(after));
    return found === null ? null : json.stringify(found);
  };
  assert.equal(change("{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":2.0,\"d\":null}"),
    "{\"op\":\"patch\",\"resource_type\":\"photo\",\"id\":\"a:1\",\"fields\":{\"b\":2.0,\"d\":null},\"unset\":[\"c\"]}");
  assert.equal(change("{}", "{\"a\":1}"), "{\"op\":\"put\",\"resource_type\":\"photo\",\"id\":\"a:1\",\"resource\":{\"a\":1}}");
  assert.equal(change("{\"a\":1}", "{\"a\":1}"), null);
});

test("a command for a shell is what the shell takes for one word each", () => {
  const words = execFileSync("sh", ["-c", `curl() { for word in "$@"; do printf '%s\\n' "$word"; done; }
    TOKEN_FILE=/dev/null; ${curl.methodCurl("http://h", "entity.get", "{\"id\":\"it's $HOME\"}")}`], { encoding: "utf8" }).split("\n");
  assert.deepEqual(words.slice(2), ["-H", "Content-Type: application/json", "--data-raw",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"entity.get\",\"params\":{\"id\":\"it's $HOME\"}}", "http://h/rpc", ""]);
  assert.match(curl.entityCurl("http://h", "a b", "photo:x/y"), / 'http:\/\/h\/entities\/photo\/x%2Fy\?library_id=a%20b'$/);
});

test("the patch of a view moves whole rows, which keep their keys, and changes others inside", () => {
  const row = (value, key) => ({ value: json.parse(value), key: json.parse(key), changedAt: 0 });
  const rows = [row("{\"a\":1,\"list\":[1,2,3]}", "[\"t:1\"]"), row("{\"a\":2}", "[\"t:2\"]"), row("{\"a\":3}", "[\"t:3\"]")];
  const steps = [
    { op: "remove", path: "/1" }, { op: "add", path: "/0", value: { a: 9 } }, { op: "move", from: "/2", path: "/0" },
    { op: "replace", path: "/2/list/1", value: 5 }, { op: "move", from: "/2/list/0", path: "/2/list/2" }, { op: "add", path: "/2/~1", value: null },
    { op: "remove", path: "/2/a" },
  ];
  assert.equal(patch.patchRows(rows, json.parse(JSON.stringify(steps)), json.parse("[[\"t:9\"]]"), 7), 6);
  const found = rows.map(({ value, key, changedAt }) => [json.stringify(value), json.stringify(key), changedAt]);
  assert.deepEqual(found, [["{\"a\":3}", "[\"t:3\"]", 7], ["{\"a\":9}", "[\"t:9\"]", 7], ["{\"list\":[5,3,1],\"/\":null}", "[\"t:1\"]", 7]]);
});

test("a pointer into a rule leads to its place in the text", () => {
  const rule = "{\"from\": \"photo\",\n  \"joins\": [{\"on\": {\"/a~b\": \"x\\\"}\"}}, 7], \"limit\": -1e3}";
  const at = (pointer) => {
    const span = place.placeOf(rule, pointer);
    return span === null ? null : rule.slice(span.start, span.end);
  };
  assert.deepEqual(["/limit", "/joins/0/on/~1a~0b", "/joins/1", "/joins/1/more", "/nothing", "/from/x"].map(at),
    ["\"limit\": -1e3", "\"/a~b\": \"x\\\"}\"", "7", "7", null, "\"from\": \"photo\""]);
  assert.equal(at(""), rule);
  assert.equal(place.lineAndColumn(rule, place.placeOf(rule, "/joins").start), "line 2, column 3");
  assert.equal(place.placeOf("{\"a\":1,\"a\":2}", "/a").start, 7, "the last of repeated members");
});

test("an explanation is a sentence, and a rule names its parameters", () => {
  const words = (explanation) => why.whyNot("t:1", json.parse(JSON.stringify({ in: false, why: explanation })))
    .map((part) => typeof part === "string" ? part : part.key ?? part.value).join("");
  assert.equal(words({ at: "/joins/0/on/~1u", condition: { "/u": "t@key" }, entity: "u:2" }),
    "t:1 is in no row: there is no value of u:2, and the condition at /joins/0/on/~1u is {\"/u\":\"t@key\"}.");
  assert.equal(words({ at: "/joins/0", entity: "u:2" }), "t:1 is in no row: at /joins/0 there may be no match, and u:2 is one.");
  assert.equal(words({ at: "/joins/1" }), "t:1 is in no row: nothing matches at /joins/1.");
  assert.equal(words({ at: "/limit" }), "t:1 is in no row: its row is outside the window of the rule.");
  assert.equal(words({ at: "/joins/0/on/@key", miss: true, entity: "u:2" }), "t:1 is in no row: the cache does not show u:2.");
  const joins = [{ on: { "/u": { param: "me" }, "/v": { value: { param: "not" } } } }];
  const rule = { where: { path: "t/a", in: { param: "list" } }, joins, limit: { param: "list" } };
  assert.deepEqual(why.parametersOf(json.parse(JSON.stringify(rule))), ["list", "me"]);
  assert.deepEqual(["[]", "[\"a:1\",null]", "[3]"].map((key) => why.rowName(json.parse(key))), ["all", "a:1 + none", "3"]);
});
