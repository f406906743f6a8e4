// Real ids that only the server knows: renamings, and their use in every request. Protocol/optimistic.md, temporary
// ids.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, NormalizedCache } from "../dist/index.js";
import { Renamings } from "../dist/layers/renamings.js";
import { loadParts } from "../dist/parts/index.js";
import { Changes } from "../dist/state/changes.js";
import { ManualClock } from "./support/clock.mjs";
import { Random } from "./support/random.mjs";

await loadParts();

const turn = () => new Promise((resolve) => { setImmediate(resolve); });

/** Returns the results of a table of renamings for all possible arguments. */
function answers(renamings, libraries, ids, types) {
  return libraries.flatMap((library) => ids.flatMap((id) => [
    ...types.map((type) => renamings.find(id, type, library)?.json ?? null),
    renamings.findNamed(id, new Set(), library)?.json ?? null,
    renamings.findNamed(id, new Set(types), library)?.json ?? null,
    ...ids.map((real) => renamings.isKnown({ temporary: id, real }, library)),
    ...ids.map((real) => renamings.isEnded({ temporary: id, real }, types[0], library)),
  ]));
}

/** A naive table of renamings that scans all of them. */
class Model {
  list = [];

  of(temporary, library) { return this.list.filter((one) => one.temporary === temporary && one.library === library); }

  find(temporary, type, library) {
    const all = this.of(temporary, library);
    const found = all.find((one) => one.type === type) ?? all.find((one) => one.type === null) ?? null;
    return found === null || found.isEnded ? null : found;
  }

  findNamed(temporary, types, library) {
    const all = this.of(temporary, library).filter(({ type }) => types.size === 0 || type === null || types.has(type));
    return all.length > 0 && new Set(all.map(({ real }) => real)).size === 1 && !all.some(({ isEnded }) => isEnded) ? all[0] : null;
  }

  isKnown({ temporary, real }, library) { return this.of(temporary, library).some((one) => one.real === real); }

  isEnded({ temporary, real }, type, library) {
    return this.of(temporary, library).some((one) => one.real === real && one.isEnded && (one.type === null || one.type === type));
  }

  learn(renaming) {
    const known = this.of(renaming.temporary, renaming.library).find(({ type }) => type === renaming.type);
    if (known?.real === renaming.real && known.json === renaming.json) return;
    this.list = [...this.list.filter((one) => one !== known), { ...renaming }];
  }

  end(temporary, type, library) {
    for (const one of this.of(temporary, library)) if (one.type === null || one.type === type) one.isEnded = true;
  }
}

test("renamings are those of a list that looks at all of them, from a journal too", () => {
  const libraries = [{ name: "" }, { name: "a/b" }];
  const ids = ["1", "2", "3", "b/1"];
  const types = ["file", "tag"];
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = new Random(seed);
    let renamings = new Renamings();
    const model = new Model();
    const kept = new Map();
    for (let number = 1; number <= 60; number += 1) {
      const changes = new Changes();
      const library = random.pick(libraries);
      const [temporary, type] = [random.pick(ids), random.pick([...types, null])];
      if (random.chance(0.3)) {
        renamings.end(temporary, type ?? "file", library, changes);
        model.end(temporary, type ?? "file", library);
      } else {
        const real = random.pick(ids);
        const renaming = { number, library, type, temporary, real, json: random.pick([real, `"${real}"`]), isEnded: false };
        renamings.learn({ ...renaming }, changes);
        model.learn(renaming);
      }
      for (const removed of changes.removedLayers) kept.delete(removed);
      for (const changed of changes.layers) kept.set(changed.number, { ...changed });
      if (random.chance(0.1)) {
        renamings = new Renamings();
        for (const one of [...kept.values()].sort((left, right) => left.number - right.number)) renamings.restore(one);
      }
      assert.deepEqual(answers(renamings, libraries, ids, types), answers(model, libraries, ids, types), `seed ${seed}, step ${number}`);
    }
  }
});

test("of more than 10,000 renamings, or 4 MiB, the oldest is forgotten, in the journal too", () => {
  const library = { name: "" };
  const changes = new Changes();
  const renamings = new Renamings();
  const learn = (number, text) => renamings.learn(
    { number, library, type: "file", temporary: `t${number}${text}`, real: `R${number}`, json: `"R${number}"`, isEnded: false }, changes);
  for (let number = 1; number <= 10_003; number += 1) learn(number, "");
  assert.equal(renamings.size, 10_000);
  assert.deepEqual([...changes.removedLayers], [1, 2, 3]);
  assert.deepEqual([renamings.find("t3", "file", library), renamings.find("t4", "file", library).real], [null, "R4"]);
  const long = "x".repeat(1_000_000);
  for (let number = 20_001; number <= 20_010; number += 1) learn(number, long);
  assert.equal(renamings.size, 4);
  assert.equal(changes.layers.size, 4);
});

test("a renaming that is known is not one of a newer entity under the same temporary id", async () => {
  const cache = new NormalizedCache();
  const edit = (pending_id, changes) => cache.calls.optimistic.update({ pending_id, changes });
  const put = (id, n) => [{ op: "put", resource_type: "file", resource: { id, n } }];
  const shown = async () => (await cache.calls.optimistic.list()).pending.map(
    ({ pending_id, changes: [{ id, resource }] }) => `${pending_id} ${id ?? resource.id}`);
  await edit("p1", put("t", 1));
  await cache.calls.optimistic.commit({ pending_id: "p1", confirmed: { id: "R", n: 1 }, id_map: { t: "R" } });
  await edit("p2", [{ op: "patch", resource_type: "file", id: "t", fields: { n: 2 } }]);
  await edit("p3", put("t", 3));
  await edit("p4", [{ op: "patch", resource_type: "file", id: "t", fields: { n: 4 } }]);
  assert.deepEqual(await shown(), ["p2 R", "p3 t", "p4 t"]);
  await cache.calls.optimistic.commit({ pending_id: "p1", id_map: { t: "R" } });
  assert.deepEqual(await shown(), ["p2 R", "p3 t", "p4 t"]);
  await cache.calls.optimistic.commit({ pending_id: "p3", id_map: { t: "S" } });
  assert.deepEqual(await shown(), ["p2 R", "p3 S", "p4 S"]);
  await edit("p5", [{ op: "delete", resource_type: "file", id: "t" }]);
  assert.deepEqual(await shown(), ["p2 R", "p3 S", "p4 S", "p5 S"]);
  await cache.close();
});

test("real ids that would fill the room of all edits twice are refused, and change nothing", async () => {
  const cache = new NormalizedCache({ limits: { layerByteCountMax: 1_500 } });
  const patch = (n) => ({ op: "patch", resource_type: "file", id: "t", fields: { n } });
  const shown = async () => (await cache.calls.optimistic.list()).pending.map(({ changes }) => changes[0].id);
  await cache.calls.optimistic.update({ pending_id: "p1", changes: [patch(1), patch(2), patch(3)] });
  const commit = (real) => cache.calls.optimistic.commit({ pending_id: "p1", id_map: { t: real } });
  await assert.rejects(commit("R".repeat(1_000)), { code: "limit_exceeded" });
  assert.deepEqual(await shown(), ["t"]);
  // An event that reveals such an id settles its edit; the other edits keep the temporary id.
  await cache.calls.optimistic.update({ pending_id: "p2", changes: [{ op: "put", resource_type: "file", resource: { id: "t", n: 1 } }] });
  cache.ingest({ mutation_id: "p2", event: { ResourceChanged: { resource_type: "file", resource: { id: "S".repeat(1_000), n: 1 } } } });
  assert.deepEqual(await shown(), ["t"]);
  await commit("R".repeat(200));
  assert.deepEqual(await shown(), ["R".repeat(200)]);
  await cache.close();
});

test("a renaming of one type concerns the inputs of requests whose edits mean that type", async () => {
  const sent = [];
  const cache = new NormalizedCache({ upstream: { send: async (mutation) => { sent.push(mutation); return { confirmed: [] }; } } });
  await cache.calls.outbox.pause();
  const edit = (pending_id, resource_type, op = {}) => cache.calls.optimistic.update({
    pending_id, changes: [{ op: "patch", resource_type, id: "t", fields: { n: 1 }, ...op }],
    send: { method: "m", input: { id: "t", text: "t" }, ids: ["/id", "/absent"], key: pending_id },
  });
  await edit("p1", "file", { op: "put", id: undefined, fields: undefined, resource: { id: "t", n: 1 } });
  await edit("p2", "file");
  await edit("p3", "tag");
  await edit("p4", "tag", { id: "other" });
  // The event reveals only the file's real id: whether an edit that names no such entity means it is unknown.
  cache.ingest({ mutation_id: "p1", event: { ResourceChanged: { resource_type: "file", resource: { id: 7, n: 1 } } } });
  // A later edit that names none refers to the only entity that had the id.
  await edit("p5", "tag", { id: "other" });
  await cache.calls.outbox.resume();
  for (let left = 20; left > 0; left -= 1) await turn();
  assert.deepEqual(sent.map(({ pending_id, input }) => [pending_id, input.id, input.text]),
    [["p2", 7, "t"], ["p3", "t", "t"], ["p4", "t", "t"], ["p5", 7, "t"]]);
  await cache.close();
});

test("an event tells no real id of an entity that was there before", async () => {
  for (const [name, before, resource, id] of [
    ["stored, with other fields", [{ id: "R", n: 9 }], { id: "R", n: 10 }, "t"],
    ["stored, with the fields of the edit", [{ id: "R", n: 1 }], { id: "R", n: 1 }, "R"],
    ["new", [], { id: "R", n: 7 }, "R"],
    ["under the temporary id itself", [], { id: "t", n: 7 }, "t"],
  ]) {
    const cache = new NormalizedCache();
    for (const resource of before) cache.ingest({ sequence: 1, event: { ResourceChanged: { resource_type: "file", resource } } });
    await cache.calls.optimistic.update({ pending_id: "p1", changes: [{ op: "put", resource_type: "file", resource: { id: "t", n: 1 } }] });
    await cache.calls.optimistic.update({ pending_id: "p2", changes: [{ op: "patch", resource_type: "file", id: "t", fields: { m: 2 } }] });
    cache.ingest({ sequence: 2, mutation_id: "p1", event: { ResourceChanged: { resource_type: "file", resource } } });
    const { pending } = await cache.calls.optimistic.list();
    assert.deepEqual(pending.map(({ pending_id, changes }) => [pending_id, changes[0].id]), [["p2", id]], name);
    await cache.close();
  }
});

test("a late event tells the real id as well", async () => {
  const cache = new NormalizedCache();
  const ingest = (sequence, id, mutation_id) => cache.ingest(
    { sequence, mutation_id, event: { ResourceChanged: { resource_type: "file", resource: { id, n: sequence } } } });
  ingest(1, "a");
  await cache.calls.optimistic.update({ pending_id: "p1", changes: [{ op: "put", resource_type: "file", resource: { id: "t", n: 1 } }] });
  await cache.calls.optimistic.update({ pending_id: "p2", changes: [{ op: "patch", resource_type: "file", id: "t", fields: { m: 2 } }] });
  ingest(3, "b");
  await cache.endOfInput();
  assert.deepEqual((await cache.calls.cache.stats()).libraries[""].lost, [[2, 2]]);
  ingest(2, "R", "p1");
  const { pending } = await cache.calls.optimistic.list();
  assert.deepEqual(pending.map(({ pending_id, changes }) => [pending_id, changes[0].id]), [["p2", "R"]]);
  await cache.close();
});

/** A server that assigns real ids, performs each mutation once, and loses requests and responses. */
class RenamingServer {
  process = 0;
  isReliable = false;
  first = new Map();
  answers = new Map();
  /** The values by the JSON of ids. */
  values = new Map();
  /** The lines of the log. */
  posted = [];
  deliveredCount = 0;
  problems = [];

  constructor(seed) { this.random = new Random(seed); }

  /** Returns the server as an upstream of the current process. */
  connection() {
    const own = this.process;
    const cut = () => own !== this.process;
    return {
      send: async (mutation) => {
        const fate = this.isReliable ? 5 : this.random.below(6);
        const answer = cut() || fate === 0 ? null : this.perform(mutation);
        for (let pause = this.random.below(12); pause > 0; pause -= 1) await turn();
        if (answer === null || fate === 1 || cut()) throw new TypeError("the connection is lost");
        return answer;
      },
    };
  }

  /** Kills the current process; the next one reads the log from its beginning. */
  beginProcess() {
    this.process += 1;
    this.deliveredCount = 0;
  }

  takePosted() {
    const lines = this.posted.slice(this.deliveredCount);
    this.deliveredCount = this.posted.length;
    return lines;
  }

  perform({ pending_id, method, input, changes }) {
    const sent = JSON.stringify([method, input, changes]);
    const known = this.first.get(pending_id);
    if (known !== undefined) {
      if (known !== sent) this.problems.push(`${pending_id} left as ${known}, then as ${sent}`);
      return this.answers.get(pending_id) ?? null;
    }
    this.first.set(pending_id, sent);
    const number = Number(pending_id.slice(1));
    let id = input[0];
    const answer = { resource_type: "file" };
    if (method === "create") {
      const isInteger = this.random.chance(0.5);
      id = isInteger ? 1_000 + this.values.size : `R${this.values.size}`;
      answer.id_map = { [input[0]]: id };
    } else if (!this.values.has(JSON.stringify(id))) {
      this.problems.push(`${pending_id} is about ${JSON.stringify(id)}, which nobody knows`);
      return null;
    }
    const last = this.values.get(JSON.stringify(id));
    if (last > number) this.problems.push(`${number} came after ${last}`);
    this.values.set(JSON.stringify(id), number);
    answer.sequence = this.posted.length + 1;
    answer.confirmed = { id, n: number };
    this.posted.push({ sequence: answer.sequence, mutation_id: pending_id, event: { ResourceChanged: { resource_type: "file", resource: answer.confirmed } } });
    this.answers.set(pending_id, answer);
    return answer;
  }
}

/** A journal that writes nothing once its process is killed. */
class CutJournal {
  isCut = false;

  constructor(kept) { this.kept = kept; }

  open() { return this.kept.open(); }

  commit(batch) { return this.isCut ? new Promise(() => undefined) : this.kept.commit(batch); }

  close() { return this.kept.close(); }
}

for (let seed = 1; seed <= 30; seed += 1) {
  test(`every request has the real id, and leaves unchanged under its pending id, seed ${seed}`, async () => {
    const random = new Random(seed);
    const server = new RenamingServer(seed + 1_000);
    const kept = new MemoryJournal();
    const clock = new ManualClock(1_000);
    let journal;
    let cache;
    const open = async () => {
      journal = new CutJournal(kept);
      cache = new NormalizedCache({ journal, upstream: server.connection(), clock, random: () => random.next() });
      await cache.ready;
    };
    const deliver = () => { for (const line of server.takePosted()) cache.ingest(line); };
    const edit = async (pending_id, method, id, changes) => {
      const answered = cache.calls.optimistic.update({
        pending_id, changes, send: { method, input: [id, Number(pending_id.slice(1))], key: id, ids: method === "rename" ? ["/0"] : [] },
      });
      // A journal is written when its timer fires.
      let isDone = false;
      const end = answered.then(() => { isDone = true; });
      while (!isDone) {
        clock.advance(5);
        await Promise.race([turn(), end]);
      }
    };
    await open();
    const made = [];
    for (let number = 0; number < 40; number += 1) {
      await random.weighted([
        [4, async () => {
          const id = `t${made.length}`;
          await edit(`p${number}`, "create", id, [{ op: "put", resource_type: "file", resource: { id, n: number } }]);
          made.push(id);
        }],
        [8, async () => {
          if (made.length === 0) return;
          const id = random.pick(made);
          await edit(`p${number}`, "rename", id, [{ op: "patch", resource_type: "file", id, fields: { n: number } }]);
        }],
        [3, async () => deliver()],
        [1, async () => {
          server.beginProcess();
          journal.isCut = true;
          await open();
        }],
      ])();
      for (let turns = random.below(12); turns > 0; turns -= 1) {
        clock.advance(random.below(400));
        await turn();
      }
    }
    server.isReliable = true;
    for (let left = 3_000; (await cache.calls.outbox.list()).outbox.length > 0; left -= 1) {
      assert.ok(left > 0, `${JSON.stringify(await cache.calls.outbox.list())} ${server.problems.join("\n")}`);
      deliver();
      clock.advance(1_000);
      await turn();
    }
    deliver();
    assert.deepEqual(server.problems, []);
    for (const [json, n] of server.values) {
      const id = JSON.parse(json);
      assert.deepEqual((await cache.calls.entity.get({ resource_type: "file", id })).entity, { id, n });
    }
    server.beginProcess();
    journal.isCut = true;
  });
}
