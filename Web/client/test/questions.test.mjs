// Changes made between a request and its response outlast the response. Protocol/queries.md, while an answer is on its
// way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, NormalizedCache } from "./support/client.mjs";
import { ManualClock } from "./support/clock.mjs";
import { QuestionModel } from "./support/questions.mjs";
import { Random } from "./support/random.mjs";

/** A cache whose upstream responds when the test says so. */
class Rig {
  questions = [];
  clock = new ManualClock(1_700_000_000_000);

  constructor(options = {}) {
    const fetch = (method, input, library) => new Promise((resolve, reject) => { this.questions.push({ method, library, resolve, reject }); });
    this.cache = new NormalizedCache({ upstream: { fetch }, clock: this.clock, fetchTimeout: 1e9, ...options });
  }

  read(method, options = {}) { return this.cache.calls.query.read({ method, policy: "networkOnly", ...options }); }

  cached(method, options = {}) { return this.cache.calls.query.read({ method, policy: "cacheOnly", allow_stale: true, ...options }); }

  async answer(index, resources, parts = {}) {
    this.questions[index].resolve({ resource_type: "file", resources, ...parts });
    await turn();
  }
}

const turn = () => new Promise((resolve) => { setImmediate(resolve); });
const changed = (sequence, id, n) => ({ library_id: "", sequence, event: { ResourceChanged: { resource_type: "file", resource: { id, n } } } });
const event = (sequence, kind) => ({ library_id: "", sequence, event: kind });

const doubts = {
  "cache.invalidate": (rig) => rig.cache.calls.cache.invalidate({ method: "files" }),
  "a Refresh": (rig) => rig.cache.ingest(event(2, "Refresh")),
  "a Refresh without a place": (rig) => rig.cache.ingest("\"Refresh\""),
  "a bulk operation": (rig) => rig.cache.ingest(event(2, { BulkOperation: { resource_type: "file" } })),
  "an Index batch": (rig) => rig.cache.ingest(event(2, { ResourceBatchChanged: { resource_type: "file", resources: [], operation: "Index" } })),
  "a lost range": async (rig) => {
    rig.cache.ingest(changed(4, "z", 1));
    rig.clock.advance(1_000);
  },
  "a new log": (rig) => rig.cache.ingest(event(1, { Reset: { epoch: "e2" } })),
};
for (const [name, happens] of Object.entries(doubts)) {
  test(`${name} makes an answer stale that was asked for before, and nobody joins the older question`, async () => {
    const rig = new Rig();
    rig.cache.ingest(changed(1, "a", 1));
    const first = rig.read("files");
    await turn();
    await happens(rig);
    const second = rig.read("files");
    await turn();
    assert.equal(rig.questions.length, 2);
    await rig.answer(0, [{ id: "a", n: 1 }]);
    assert.equal((await first).stale, true);
    assert.equal((await rig.cached("files")).stale, true);
    await rig.answer(1, [{ id: "a", n: 2 }]);
    assert.equal((await second).stale, false);
    assert.deepEqual((await rig.cached("files")).entities, [{ id: "a", n: 2 }]);
  });
}

test("an older answer that comes last changes neither the newer list nor its entities", async () => {
  const rig = new Rig();
  rig.read("files");
  await turn();
  await rig.cache.calls.cache.invalidate({ all: true });
  rig.read("files");
  await turn();
  await rig.answer(1, [{ id: "a", n: 2 }]);
  await rig.answer(0, [{ id: "a", n: 1 }, { id: "b", n: 1 }]);
  const { entities, stale } = await rig.cached("files");
  assert.deepEqual({ entities, stale }, { entities: [{ id: "a", n: 2 }], stale: false });
});

for (const [name, isRestarted] of [["", false], [", over a restart", true]]) {
  test(`an answer that names a place before a Refresh is stale${name}`, async () => {
    const journal = new MemoryJournal();
    let rig = new Rig({ journal });
    await rig.cache.ready;
    rig.cache.ingest(changed(1, "a", 1));
    rig.cache.ingest(event(2, "Refresh"));
    rig.cache.ingest(event(3, { BulkOperation: { resource_type: "file", hints: { album: 7 } } }));
    if (isRestarted) {
      await rig.cache.close();
      rig = new Rig({ journal });
      await rig.cache.ready;
    }
    const put = (input, as_of) => rig.cache.calls.query.put({ method: "files", input, resource_type: "file", resources: [{ id: "a", n: 1 }], as_of });
    const isStale = async (input) => (await rig.cached("files", { input })).stale;
    await put({ album: 1 }, 1);
    await put({ album: 2 }, 2);
    await put({ album: 7 }, 2);
    await put({ album: 7, page: 2 }, 3);
    assert.deepEqual(
      [await isStale({ album: 1 }), await isStale({ album: 2 }), await isStale({ album: 7 }), await isStale({ album: 7, page: 2 })],
      [true, false, true, false]);
  });
}

test("more places are remembered than there is room for: then every list up to the last one is stale", async () => {
  const rig = new Rig();
  rig.cache.ingest(changed(1, "a", 1));
  for (let sequence = 2; sequence < 300; sequence += 1) {
    rig.cache.ingest(event(sequence, { BulkOperation: { resource_type: "file", hints: { album: sequence } } }));
  }
  assert.ok(rig.cache.engine.state.libraries.get("").doubts.length <= 256);
  await rig.cache.calls.query.put({ method: "files", input: { album: 1 }, resource_type: "file", resources: [], as_of: 1 });
  assert.equal((await rig.cached("files", { input: { album: 1 } })).stale, true);
});

for (const scope of [{}, { library_id: "b" }]) {
  test(`nothing of an answer is stored that was asked for before cache.clear ${JSON.stringify(scope)}; its reader gets it`, async () => {
    const rig = new Rig();
    const told = [];
    rig.cache.on("query.changed", ({ patch, stale }) => told.push({ patch, stale }));
    const read = rig.read("files", scope);
    const observed = rig.cache.calls.query.observe({ method: "files", policy: "networkOnly", ...scope });
    await turn();
    await rig.cache.calls.cache.clear(scope);
    const after = rig.read("files", scope);
    await turn();
    assert.equal(rig.questions.length, 2);
    await rig.answer(0, [{ id: "a", n: 1 }], { included: [{ resource_type: "user", resources: [{ id: "me" }] }] });
    assert.deepEqual((await read).entities, [{ id: "a", n: 1 }]);
    assert.deepEqual((await observed).entities, [{ id: "a", n: 1 }]);
    assert.deepEqual(told, [{ patch: [{ op: "remove", path: "/0" }], stale: true }]);
    assert.deepEqual(rig.cache.export(), []);
    await assert.rejects(rig.cached("files", scope), { code: "cache_miss" });
    await rig.answer(1, [{ id: "c", n: 3 }]);
    assert.deepEqual((await after).entities, [{ id: "c", n: 3 }]);
    assert.deepEqual(told[1], { patch: [{ op: "add", path: "/0", value: { id: "c", n: 3 } }], stale: false });
  });
}

test("cache.clear of one library leaves the answers of another", async () => {
  const rig = new Rig();
  rig.read("files", { library_id: "b" });
  await turn();
  await rig.cache.calls.cache.transaction({ operations: [{ op: "put", resource_type: "file", resource: { id: "a" } }] });
  await rig.cache.calls.cache.clear({ library_id: "" });
  await rig.answer(0, [{ id: "b", n: 1 }]);
  assert.deepEqual((await rig.cached("files", { library_id: "b" })).entities, [{ id: "b", n: 1 }]);
});

test("a confirmation that was asked for before cache.clear stores nothing", async () => {
  let answer = null;
  const cache = new NormalizedCache({ upstream: { send: () => new Promise((resolve) => { answer = resolve; }) } });
  await cache.calls.optimistic.update({
    pending_id: "p", changes: [{ op: "put", resource_type: "file", resource: { id: "a", n: 1 } }], send: { method: "set" },
  });
  await turn();
  await cache.calls.cache.clear({});
  answer({ confirmed: { id: "a", n: 1 }, resource_type: "file" });
  await turn();
  assert.deepEqual((await cache.calls.optimistic.list({})).pending, []);
  assert.deepEqual(cache.export(), []);
});

for (const [name, write] of Object.entries({
  "a transaction": (cache) => cache.calls.cache.transaction({ operations: [{ op: "put", resource_type: "file", resource: { id: "a", n: 9 } }] }),
  "a confirmed edit": async (cache) => {
    await cache.calls.optimistic.update({ pending_id: "p", changes: [{ op: "put", resource_type: "file", resource: { id: "a", n: 8 } }] });
    await cache.calls.optimistic.commit({ pending_id: "p", confirmed: { id: "a", n: 9 }, resource_type: "file" });
  },
})) {
  for (const as_of of [undefined, 1]) {
    test(`${name} after the question wins over its answer, at ${as_of ?? "no place"}; who reads then asks anew`, async () => {
      const rig = new Rig();
      rig.cache.ingest(changed(1, "a", 1));
      rig.read("files");
      await turn();
      await write(rig.cache);
      rig.read("files");
      await turn();
      assert.equal(rig.questions.length, 2);
      await rig.answer(0, [{ id: "a", n: 1 }], { as_of });
      assert.deepEqual((await rig.cached("files")).entities, [{ id: "a", n: 9 }]);
    });
  }
}

// The model

const KEYS = ["m1", "m2"];
const IDS = ["a", "b", "c"];

/** One schedule: changes in an order that the seed determines, with responses to requests anywhere between them. */
async function schedule(seed) {
  const random = new Random(seed);
  const rig = new Rig();
  const model = process.env.SEED === undefined ? new QuestionModel() : traced(new QuestionModel());
  const { cache } = rig;
  const asked = new Map();
  const observed = new Map();
  let last = 0;
  const value = () => last += 1;
  const sequenceOf = (library) => random.chance(0.85) ? (model.of(library).cursor ?? 0) + 1 : null;
  const tell = ({ method, params }) => {
    if (method !== "query.changed") return;
    const list = observed.get(params.subscription);
    const patch = params.patch.map((step) => step.value === undefined ? step : { ...step, value: JSON.parse(step.value.text) });
    for (const { op, path, from, value: added } of patch) {
      const at = Number(path.slice(1));
      if (op === "add") list.entities.splice(at, 0, added);
      else if (op === "remove") list.entities.splice(at, 1);
      else if (op === "replace") list.entities[at] = added;
      else list.entities.splice(at, 0, ...list.entities.splice(Number(from.slice(1)), 1));
    }
  };
  const content = () => ({
    resource_type: "file", resources: IDS.filter(() => random.chance(0.6)).map((id) => ({ id, n: value() })),
    tags: random.pick([undefined, ["x"], ["y"]]),
  });
  const placed = (library, answer) => {
    const { cursor } = model.of(library);
    return { ...answer, as_of: cursor !== null && random.chance(0.4) ? Math.max(0, cursor - random.below(3)) : undefined };
  };
  const kinds = [
    [3, (library) => {
      const [sequence, id, n] = [sequenceOf(library), random.pick(IDS), random.chance(0.8) ? value() : null];
      model.event(library, sequence, id, n);
      const kind = n === null
        ? { ResourceDeleted: { resource_type: "file", resource_id: id } } : { ResourceChanged: { resource_type: "file", resource: { id, n } } };
      cache.ingest({ library_id: library, sequence, event: kind });
    }],
    [1.5, (library) => {
      const [id, n] = [random.pick(IDS), random.chance(0.8) ? value() : null];
      model.write(library, id, n);
      const operation = n === null ? { op: "delete", resource_type: "file", id } : { op: "put", resource_type: "file", resource: { id, n } };
      return cache.calls.cache.transaction({ library_id: library, operations: [operation] });
    }],
    [0.7, async (library) => {
      const [id, n, pending_id] = [random.pick(IDS), value(), `p${value()}`];
      await cache.calls.optimistic.update({ pending_id, library_id: library, changes: [{ op: "put", resource_type: "file", resource: { id, n: 0 } }] });
      model.confirm(library, id, n);
      await cache.calls.optimistic.commit({ pending_id, confirmed: { id, n }, resource_type: "file" });
    }],
    [1.2, (library) => {
      const sequence = sequenceOf(library);
      const [event, concerns] = random.pick([
        ["Refresh", () => true], [{ BulkOperation: { resource_type: "file" } }, () => true],
        [{ BulkOperation: { resource_type: "other" } }, (_key, _tags, isTypeUnknown) => isTypeUnknown === true],
        [{ ResourceBatchChanged: { resource_type: "file", resources: [], operation: "Index" } }, () => true],
      ]);
      model.doubt(library, sequence, concerns, true);
      cache.ingest({ library_id: library, sequence, event });
    }],
    [1, (library) => {
      const [params, concerns] = random.pick([
        [{ all: true }, () => true], [{ method: "m1" }, (key) => key === "m1"], [{ resource_type: "file" }, () => true],
        [{ tags: ["x"] }, (_, tags) => tags === undefined || tags?.includes("x") === true],
      ]);
      model.doubt(library, null, concerns);
      return cache.calls.cache.invalidate({ library_id: library, ...params });
    }],
    [0.4, (library) => {
      const { cursor } = model.of(library);
      if (cursor === null) return;
      // Two events are missing, and are lost when the reorder window ends.
      const [id, n] = [random.pick(IDS), value()];
      model.doubt(library, cursor + 2, () => true);
      model.event(library, cursor + 3, id, n);
      cache.ingest({ library_id: library, sequence: cursor + 3, event: { ResourceChanged: { resource_type: "file", resource: { id, n } } } });
      rig.clock.advance(1_000);
    }],
    [0.2, (library) => {
      model.newLog(library, 1);
      cache.ingest({ library_id: library, sequence: 1, event: { Reset: { epoch: `e${value()}` } } });
    }],
    [0.5, (library) => {
      model.clear(library);
      return cache.calls.cache.clear({ library_id: library });
    }],
    [1, (library) => {
      const [key, answer] = [random.pick(KEYS), placed(library, content())];
      model.answer(library, key, answer, null);
      return cache.calls.query.put({ library_id: library, method: key, ...answer });
    }],
    [5, async (library) => {
      const key = random.pick(KEYS);
      const { question, isNew } = model.ask(library, key);
      const count = rig.questions.length;
      const params = JSON.stringify({ library_id: library, method: key, policy: "networkOnly" });
      const isObserving = random.chance(0.3);
      cache.port.perform(isObserving ? "query.observe" : "query.read", params, tell, (outcome) => {
        if (!isObserving || outcome instanceof Error) return;
        observed.set(outcome.subscription, { library, key, entities: outcome.entities.map((raw) => JSON.parse(raw.text)) });
      });
      await turn();
      assert.equal(rig.questions.length - count, isNew ? 1 : 0, `whether a reader of ${key} asks anew`);
      if (isNew) asked.set(question, rig.questions[count]);
    }],
    [4, () => {
      if (model.running.length === 0) return;
      const question = random.pick(model.running);
      const { resolve, reject } = asked.get(question);
      if (random.chance(0.1)) {
        model.fail(question);
        return reject(new Error("offline"));
      }
      const answer = placed(question.library, content());
      model.answer(question.library, question.key, answer, question);
      resolve(answer);
    }],
  ];
  for (let step = 0; step < 40; step += 1) {
    const library = random.pick(["", "", "b"]);
    await random.weighted(kinds)(library);
    await turn();
    await compare(cache, model, observed);
  }
}

/** Prints the calls of a model: `SEED=17` shows the schedule that failed. */
function traced(model) {
  for (const name of ["event", "write", "confirm", "doubt", "newLog", "clear", "ask", "fail", "answer"]) {
    const inner = model[name];
    model[name] = (...words) => {
      console.log(name, JSON.stringify(words), model.running.indexOf(words.at(-1)));
      return inner.apply(model, words);
    };
  }
  return model;
}

async function compare(cache, model, observed) {
  for (const [library_id, own] of model.libraries) {
    const stored = cache.export().map((line) => JSON.parse(line)).filter((line) => line.library_id === library_id).map(({ resource }) => resource);
    const wanted = [...own.entities].filter(([, { n }]) => n !== null).map(([id, { n }]) => ({ id, n })).sort((left, right) => left.id < right.id ? -1 : 1);
    assert.deepEqual(stored, wanted, `the entities of '${library_id}'`);
    for (const method of KEYS) {
      const list = own.lists.get(method);
      const found = await cache.calls.query.read({ library_id, method, policy: "cacheOnly", allow_stale: true })
        .then(({ keys, stale }) => ({ ids: keys.map((key) => key.slice(5)), isStale: stale }), (error) => error.code);
      assert.deepEqual(found, list === undefined ? "cache_miss" : { ids: list.ids, isStale: list.isStale }, `the list ${method} of '${library_id}'`);
    }
  }
  for (const { library, key, entities } of observed.values()) {
    const own = model.of(library);
    const wanted = (own.lists.get(key)?.ids ?? []).map((id) => ({ id, n: own.entities.get(id).n }));
    assert.deepEqual(entities, wanted, `what an observer of ${key} of '${library}' sees`);
  }
}

const seeds = process.env.SEED !== undefined ? [Number(process.env.SEED)] : Array.from(
  { length: Number(process.env.SCHEDULES ?? 200) }, (_, index) => index + 1);

test("no answer undoes what was known when it was asked for, nor what happened since", async () => {
  for (const seed of seeds) {
    try {
      await schedule(seed);
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
});
