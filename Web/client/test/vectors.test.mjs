// Every vector of Protocol/vectors for ingesting: valid, invalid and traces.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { NormalizedCache, MemoryJournal, CacheError, parseExact } from "./support/client.mjs";
import { compact } from "../dist/json/text.js";
import { optionsOf, logUpstream } from "./support/arguments.mjs";
import { differences } from "./support/compare.mjs";
import { reasonNotRun } from "./support/not-run.mjs";

const root = new URL("../../../Protocol/", import.meta.url);

/** The members of a summary that a vector may name. */
async function summary(cache) {
  const stats = await cache.call("cache.stats");
  return { ...stats };
}

function inputBytes(run) {
  if (run.input !== undefined) return new TextEncoder().encode(run.input.map((line) => `${line}\n`).join(""));
  if (run.input_base64 !== undefined) return new Uint8Array(Buffer.from(run.input_base64, "base64"));
  return new Uint8Array(readFileSync(new URL(run.input_file, new URL("vectors/valid/", root))));
}

function fileLines(run, folder) {
  if (run.upstream !== undefined) return run.upstream;
  if (run.upstream_file !== undefined) return readFileSync(new URL(run.upstream_file, folder), "utf8").split("\n").filter(Boolean);
  return undefined;
}

/** Splits bytes at fixed distances, so that lines and characters are cut anywhere. */
function* pieces(bytes, size) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

for (const folder of ["valid", "invalid", "traces"]) {
  for (const name of readdirSync(new URL(`vectors/${folder}/`, root)).sort()) {
    const path = `${folder}/${name}`;
    if (reasonNotRun(path) !== undefined) continue;
    for (const size of [Infinity, 7]) {
      test(`${path}${size === 7 ? " in pieces" : ""}`, async () => {
        const vector = parseExact(compact(readFileSync(new URL(`vectors/${path}`, root), "utf8")));
        const journal = new MemoryJournal();
        const quarantine = [];
        let cache;
        for (const run of vector.runs) {
          const lines = fileLines(run, new URL(`vectors/${folder}/`, root));
          const { options, isStrict } = optionsOf(run.arguments);
          cache = new NormalizedCache({
            ...options, journal, random: () => 0, upstream: lines === undefined ? undefined : logUpstream(lines, options.library ?? ""),
          });
          await cache.ready;
          const bytes = inputBytes(run);
          if (size === Infinity) cache.ingest(bytes);
          else for (const piece of pieces(bytes, size)) cache.ingest(piece);
          await cache.endOfInput();
          await cache.flush();
          const found = await summary(cache);
          const problems = differences(run.summary ?? {}, found, { open: true, whole: ["libraries"] });
          assert.deepEqual(problems, []);
          const { events } = found;
          assert.equal(found.lines, found.blank + found.control + found.messages
            + events.applied + events.duplicate + events.ignored + events.quarantined + events.held);
          const isUnclean = events.quarantined + found.members_quarantined > 0;
          assert.equal(run.exit, isStrict && isUnclean ? 65 : 0);
          quarantine.push(...cache.quarantine());
          await cache.close();
        }
        if (vector.export !== undefined) assert.deepEqual(cache.export(), vector.export);
        if (vector.quarantine !== undefined) {
          const found = quarantine.map((record) => ({
            line: record.line, offset: record.offset, reason: record.reason, library_id: record.library,
            sequence: record.sequence, member: record.kind === "member",
          }));
          assert.equal(found.length, vector.quarantine.length, JSON.stringify(found));
          vector.quarantine.forEach((wanted, index) => {
            const { member, ...rest } = wanted;
            assert.deepEqual(differences(rest, found[index], { open: true }), []);
            if (member !== undefined) assert.ok(found[index].member);
          });
        }
      });
    }
  }
}

test("a closed cache takes nothing", async () => {
  const cache = new NormalizedCache();
  await cache.close();
  assert.throws(() => cache.ingest("{}"), CacheError);
  assert.equal(parseExact("18446744073709551616").text, "18446744073709551616");
});
