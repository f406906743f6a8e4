// The grammar of views: what is refused, where, and with which nearest name; and the typed builder of rules.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { param, views } from "../dist/rules/index.js";
import { bind } from "../dist/views/binding.js";
import { parseView } from "../dist/views/parse.js";
import { defaultLimits } from "../dist/model/limits.js";
import { CacheError, NormalizedCache } from "./support/client.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const own = (more) => ({ from: "issue", ...more });
const joined = (join, more) => own({ joins: [{ type: "project", ...join }], ...more });
const on = { "@key": "issue/project" };

/** Returns the error of a rule. */
function refusal(rule, limits) {
  try {
    parseView(typeof rule === "string" ? rule : JSON.stringify(rule), limits);
  } catch (error) {
    return error;
  }
  return assert.fail(`accepted: ${JSON.stringify(rule)}`);
}

// Each rule with the place that is refused, and the nearest known name.
const refused = [
  [{ form: "issue" }, "/form", "from"],
  [own({ joinss: [] }), "/joinss", "joins"],
  [own({ from: { type: "issue", wher: {} } }), "/from/wher", "where"],
  [joined({ on, kinds: "left" }), "/joins/0/kinds", "kind"],
  [joined({ on, kind: "lef" }), "/joins/0/kind", "left"],
  [joined({ on: { "@keys": "issue/project" } }), "/joins/0/on/@keys", "@key"],
  [joined({ on: { "/a~1b": "isue/project" } }), "/joins/0/on/~1a~01b", "issue"],
  [joined({ on: { "/a": ["issue/a", "isue/b"] } }), "/joins/0/on/~1a/1", "issue"],
  [joined({ on: { "/a": { parm: "x" } } }), "/joins/0/on/~1a/parm", "param"],
  [own({ where: { path: "isue/n", eq: 1 } }), "/where/path", "issue"],
  [own({ where: { all: [{ path: "issue/n", eqq: 1 }] } }), "/where/all/0/eqq", "eq"],
  [own({ where: { any: [{ not: { pth: "issue/n" } }] } }), "/where/any/0/not/pth", "path"],
  [own({ where: { path: "issue/n", eq: { path: "isue/n" } } }), "/where/eq/path", "issue"],
  [own({ select: { title: "issues/title" } }), "/select/title", "issue"],
  [own({ select: { created: "issue/a" }, order: [{ path: "/b" }] }), "/order/0/path", null],
  [own({ select: { title: "issue/a" }, order: [{ path: "/titel" }] }), "/order/0/path", "title"],
  [own({ order: [{ path: "issue/n", direction: "des" }] }), "/order/0/direction", "desc"],
  [own({ group: { state: "issue/state" }, having: { path: "/stat", eq: 1 } }), "/having/path", "state"],
  [own({ aggregates: { n: { cout: true } } }), "/aggregates/n/cout", "count"],
  [own({ include: { votes: { type: "vote", onn: {} } } }), "/include/votes/onn", "on"],
  [own({ where: { path: "/vote/n", eq: 1 },
    include: { votes: { type: "vote", on: { "/i": "issue@key" }, aggregates: { n: { count: true } } } } }), "/where/path", "votes"],
  [own({ where: { path: "/votes/m", eq: 1 },
    include: { votes: { type: "vote", on: { "/i": "issue@key" }, aggregates: { number: { count: true } } } } }), "/where/path", null],
  [joined({ kind: "exists", on: { "/i": "issue@key" } }, { where: { path: "project/x", eq: 1 } }), "/where/path", null],
  [own({ limit: 0 }), "/limit", null],
  [own({ include: { "a/b": { type: "c", on: {} } } }), "/include/a~1b/on", null],
];

test("unknown names are refused with the pointer to them and the nearest known name", () => {
  for (const [rule, place, nearest] of refused) {
    const error = refusal(rule);
    assert.deepEqual([error.code, error.place, error.nearest], ["invalid_params", place, nearest], JSON.stringify(rule));
    assert.ok(error.message.startsWith(`${place} of the view `), error.message);
    if (nearest !== null) assert.ok(error.message.endsWith(`did you mean "${nearest}"?`), error.message);
  }
});

test("repeated members are refused at any depth", () => {
  assert.equal(refusal("{\"from\":\"a\",\"from\":\"a\"}").place, "/from");
  assert.equal(refusal("{\"from\":\"a\",\"where\":{\"path\":\"a/x\",\"eq\":{\"value\":[{\"b\":1,\"\\u0062\":2}]}}}").place, "/where/eq/value/0/b");
});

test("the limits of rules hold, and one less is accepted", () => {
  const joins = (count) => Array.from({ length: count }, (_, index) => ({ type: "t", as: `t${index}`, on: { "/i": "issue@key" } }));
  parseView(JSON.stringify(own({ joins: joins(7) })));
  assert.equal(refusal(own({ joins: joins(8) })).place, "/joins/7");
  const nested = (depth) => ({ type: "t", as: `t${depth}`, kind: "exists", on: { "/i": "issue@key" }, ...depth > 1 ? { joins: [nested(depth - 1)] } : {} });
  parseView(JSON.stringify(own({ joins: [nested(4)] })));
  assert.equal(refusal(own({ joins: [nested(5)] })).place, "/joins/0/joins/0/joins/0/joins/0/joins/0");
  const include = (depth) => ({ i: { type: "t", as: `t${depth}`, on: { "/i": "issue@key" }, ...depth > 1 ? { include: include(depth - 1) } : {} } });
  parseView(JSON.stringify(own({ include: include(4) })));
  assert.equal(refusal(own({ include: include(5) })).place, "/include/i/include/i/include/i/include/i/include/i");
  const side = (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`i${index}`, { type: "t", on: { "/i": "issue@key" } }]));
  parseView(JSON.stringify(own({ include: side(32) })));
  assert.equal(refusal(own({ include: side(33) })).place, "/include/i32");
  const tests = (count) => own({ where: { all: Array.from({ length: count - 1 }, () => ({ path: "issue/a", eq: 1 })) } });
  parseView(JSON.stringify(tests(1_000)));
  assert.equal(refusal(tests(1_001)).place, "/where/all/999");
  const long = (count) => `{"from":"issue","where":{"path":"issue/a","eq":"${"x".repeat(count)}"}}`;
  const rest = long(0).length;
  parseView(long(65_536 - rest));
  assert.equal(refusal(long(65_537 - rest)).place, "");
  assert.equal(refusal(tests(3), { ...defaultLimits, predicateCountMax: 2 }).place, "/where/all/1");
});

test("rules that differ in white space, escapes and the order of members that does not show are one rule", () => {
  const canonical = (text) => parseView(text).canonical;
  assert.equal(canonical("{\"from\":\"a\",\"limit\":1}"), canonical("{\"limit\":1,\"from\":\"\\u0061\"}"));
  const selecting = (select) => canonical(JSON.stringify({ from: "a", select }));
  assert.notEqual(selecting({ x: "a/x", y: "a/y" }), selecting({ y: "a/y", x: "a/x" }));
});

test("parameters are checked by name and by what they are compared with", () => {
  const where = { all: [{ path: "issue/a", in: { param: "list" } }, { path: "issue/b", prefix: { param: "text" } }] };
  const rule = parseView(JSON.stringify(own({ where })));
  assert.deepEqual(rule.parameters, ["list", "text"]);
  const placeOf = (params) => {
    try {
      bind(rule, JSON.stringify(params));
    } catch (error) {
      return [error.place, error.nearest];
    }
    return null;
  };
  assert.deepEqual(placeOf({ list: [1], text: "x" }), null);
  assert.deepEqual(placeOf({ list: [1] }), ["/text", null]);
  assert.deepEqual(placeOf({ list: [1], text: "x", lists: 1 }), ["/lists", "list"]);
  assert.deepEqual(placeOf({ list: null, text: "x" }), ["/list", null]);
  assert.deepEqual(placeOf({ list: [], text: 1 }), ["/text", null]);
});

test("a misspelt param of a method is refused with the nearest name", async () => {
  const cache = new NormalizedCache();
  const isHelpful = (error) => error instanceof CacheError && /did you mean limit\?/.test(error.message);
  await assert.rejects(cache.call("view.read", { view: { from: "a" }, limits: 3 }), isHelpful);
  await cache.close();
});

// The builder

test("the builder makes the rule that it says", () => {
  const built = views().from("issue", { where: { path: "/archived", ne: true } })
    .join("project", { on: { "@key": "issue/project" } }).leftJoin("user", { as: "owner", on: { "@key": "issue/assignee" } })
    .exists("membership", { on: { "/project": "project@key", "/user": param("me") } })
    .where({ path: "project/status", eq: "active" }).where({ path: "/votes/n", gte: 1 })
    .include("votes", { type: "vote", on: { "/issue": "issue@key" }, aggregates: { n: { count: true } } })
    .select({ id: "issue/id", owner: "owner/name" }).order("issue/created", "desc").order("/id").limit(50, 10).total();
  assert.deepEqual(JSON.parse(JSON.stringify(built.rule)), {
    from: { type: "issue", where: { path: "/archived", ne: true } },
    joins: [
      { type: "project", kind: "inner", on: { "@key": "issue/project" } }, { type: "user", as: "owner", kind: "left", on: { "@key": "issue/assignee" } },
      { type: "membership", kind: "exists", on: { "/project": "project@key", "/user": { param: "me" } } },
    ],
    where: { all: [{ path: "project/status", eq: "active" }, { path: "/votes/n", gte: 1 }] },
    include: { votes: { type: "vote", on: { "/issue": "issue@key" }, aggregates: { n: { count: true } } } },
    select: { id: "issue/id", owner: "owner/name" }, order: [{ path: "issue/created", direction: "desc" }, { path: "/id", direction: "asc" }],
    limit: 50, offset: 10, total: true,
  });
  parseView(JSON.stringify(built.rule));
  const groups = views().from("issue").group({ state: "issue/state" }, { n: { count: true } }).having({ path: "/n", gt: 1 });
  assert.deepEqual(JSON.parse(JSON.stringify(groups.rule)), {
    from: { type: "issue" }, group: { state: "issue/state" }, aggregates: { n: { count: true } }, having: { path: "/n", gt: 1 },
  });
});

test("the compiler finds a misspelt path, and knows the type of the rows", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-views-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules/@tidemark"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/@tidemark/client"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "program.ts"), `
    import { param, views } from "@tidemark/client/views";
    interface Issue { id: string; title: string; project: string; created: number; }
    interface Project { id: string; name: string; team: string; }
    const issues = views<{ issue: Issue; project: Project; }>().from("issue").leftJoin("project", { on: { "@key": "issue/project" } });
    const built = issues.where({ path: "project/team", eq: param("team") }).order("issue/created", "desc")
      .include<"votes", { readonly n: number; }>("votes", { type: "vote", on: { "/issue": "issue@key" }, aggregates: { n: { count: true } } })
      .select({ id: "issue/id", created: "issue/created", project: "project/name" });
    type Row = NonNullable<typeof built.row>;
    const row: Row = { id: "1", created: 1, project: undefined, votes: { n: 1 } };
    const created: number = row.created;
    // @ts-expect-error there is no such source
    views<{ issue: Issue; }>().from("isue");
    // @ts-expect-error there is no such field
    issues.select({ id: "issue/idd" });
    // @ts-expect-error there is no such alias
    issues.where({ path: "owner/name", eq: 1 });
    // @ts-expect-error there is no such pointer in the joined resource
    issues.join("project", { as: "other", on: { "/nam": "issue/title" } });
    // @ts-expect-error the project may be missing
    const name: string = row.project;
    void created; void name;
  `);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, target: "es2020", lib: ["es2020", "dom"], module: "node16", moduleResolution: "node16", types: [] },
    files: ["program.ts"],
  }));
  const run = spawnSync("tsc", ["-p", "."], { cwd: folder, encoding: "utf8" });
  assert.equal(run.stdout, "");
});
