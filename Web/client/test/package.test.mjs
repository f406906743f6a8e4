// The published package: what npm would pack, installed for a program that imports every entry of it.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BYTE_COUNT_MAX, bundled, installed, sizesOf } from "../scripts/size.mjs";
import { after, before, test } from "node:test";

const root = fileURLToPath(new URL("..", import.meta.url));
const description = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-package-"));
  const target = join(folder, "node_modules/@tidemark/client");
  mkdirSync(target, { recursive: true });
  for (const name of [...description.files.filter((file) => !file.includes("*")), "package.json"]) {
    cpSync(join(root, name), join(target, name), { recursive: true });
  }
  assert.ok(description.files.includes("dist/**/*.d.ts"));
  cpSync(join(root, "dist"), join(target, "dist"), { recursive: true, filter: (path) => !path.endsWith(".js") });
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("each entry of the package exists, with its types", () => {
  for (const [entry, places] of Object.entries(description.exports)) {
    for (const path of typeof places === "string" ? [places] : [places.types, places.default]) assert.ok(existsSync(join(root, path)), `${entry}: ${path}`);
  }
  assert.equal(description.dependencies, undefined);
  assert.equal(description.sideEffects, false);
});

test("a program uses the package by its name, from a database to a list and a policy", () => {
  writeFileSync(join(folder, "program.mjs"), `
    import { MemoryJournal, NormalizedCache } from "@tidemark/client";
    import { addInspection } from "@tidemark/client/inspection";
    import { policyOfRules } from "@tidemark/client/policy";
    import { Session } from "@tidemark/client/session";
    import { SharedCache } from "@tidemark/client/tabs";
    const cache = new NormalizedCache({ journal: new MemoryJournal(), policy: policyOfRules([{ type: "photo", maxAge: 60 }]) });
    await cache.ready;
    addInspection(cache);
    cache.ingest({ sequence: 1, event: { ResourceChanged: { resource_type: "photo", resource: { id: "a", size: 2n ** 60n } } } });
    const { entities, read } = await cache.call("entity.find", { resource_type: "photo" });
    const { fields } = await cache.calls.cache.explain({ resource_type: "photo", id: "a" });
    await cache.close();
    console.log(JSON.stringify([entities[0].size.text, read, fields[0].rule, typeof Session, typeof SharedCache]));
  `);
  const said = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" });
  assert.deepEqual(JSON.parse(said), ["1152921504606846976", 1, "schema_type", "function", "function"]);
});

test("a program in TypeScript has the types of the package", () => {
  writeFileSync(join(folder, "program.ts"), `
    import { NormalizedCache } from "@tidemark/client";
    import type { CacheOptions } from "@tidemark/client";
    const options: CacheOptions = { limits: { entityCountMax: 10 } };
    const cache = new NormalizedCache(options);
    const miss: Promise<string | null> = cache.calls.entity.get({ resource_type: "a", id: 1 }).then((answer) => answer.miss);
    // @ts-expect-error an id is missing
    void cache.calls.entity.get({ resource_type: "a" });
    void miss;
  `);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, target: "es2020", lib: ["es2020", "dom"], module: "node16", moduleResolution: "node16", types: [] },
    files: ["program.ts"],
  }));
  const run = spawnSync("tsc", ["-p", "."], { cwd: folder, encoding: "utf8" });
  assert.equal(run.stdout, "");
  assert.equal(run.status, 0);
});

test("no name that is stored, sent or given out is shortened: scopes, all transcripts and vectors run on the bundle", () => {
  // The runner marks its own processes; this one is an independent run.
  const { NODE_TEST_CONTEXT: _mark, ...env } = process.env;
  const run = spawnSync(process.execPath, ["--test", "test/scopes.test.mjs", "test/sessions.test.mjs", "test/vectors.test.mjs"],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, env: { ...env, CLIENT: "bundle" } });
  assert.match(run.stdout, /^# pass [1-9][0-9]{2}/m);
  assert.equal(run.status, 0, run.stdout.split("\n").filter((line) => line.startsWith("not ok") || line.includes("error:")).join("\n"));
});

test("the maps of the bundle name the sources", () => {
  const parts = readdirSync(join(root, "bundle/parts")).map((name) => `parts/${name}`);
  const names = [...readdirSync(join(root, "bundle")), ...parts].filter((name) => name.endsWith(".map"));
  assert.ok(names.length >= 6);
  for (const name of names) for (const source of JSON.parse(readFileSync(join(root, "bundle", name), "utf8")).sources) assert.match(source, /^tidemark\//);
});

test("the cache takes at most 25 kB at once, and all parts together less than twice what one file takes", () => {
  const [{ atOnce, withLists, later, whole }] = sizesOf(root, join(root, "bundle"));
  assert.equal(BYTE_COUNT_MAX, 25_000);
  assert.ok(atOnce.compressed <= BYTE_COUNT_MAX, `${atOnce.compressed} bytes`);
  assert.ok(atOnce.compressed < withLists.compressed && withLists.compressed < atOnce.compressed + later.compressed);
  assert.ok(atOnce.compressed + later.compressed < 2 * whole.compressed);
});

test("what is counted as loaded at once is enough for events, entities and observers", () => {
  const place = mkdtempSync(join(tmpdir(), "tidemark-at-once-"));
  try {
    installed(root, join(root, "bundle"), place);
    const { rest } = bundled(`
      import { NormalizedCache } from "@tidemark/client";
      (async () => {
      const cache = new NormalizedCache();
      const event = (sequence, n) => ({ sequence, event: { ResourceChanged: { resource_type: "photo", resource: { id: "a", n } } } });
      const heard = [];
      cache.on("entity.changed", ({ entity }) => heard.push(entity.n));
      cache.ingest(event(1, 1));
      const { entity } = await cache.calls.entity.observe({ resource_type: "photo", id: "a" });
      cache.ingest(new TextEncoder().encode(JSON.stringify(event(2, 2)) + "\\n"));
      await cache.flush();
      const list = await cache.calls.query.read({ method: "photos" }).catch(({ code }) => code);
      console.log(JSON.stringify([entity.n, heard, cache.gaps()[""].sequence, list]));
      await cache.close();
      })();
    `, place, join(place, "out"));
    assert.ok(rest.length >= 5);
    for (const name of rest) rmSync(join(place, "out", name));
    writeFileSync(join(place, "out/package.json"), JSON.stringify({ type: "module" }));
    const said = execFileSync(process.execPath, [join(place, "out/stdin.js")], { encoding: "utf8" });
    assert.deepEqual(JSON.parse(said), [1, [2], 2, "storage_failed"]);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
