// A cache with random entities, edits and views, and what a naive model says of them.

import assert from "node:assert/strict";
import { MemoryJournal, NormalizedCache, stringifyExact } from "../client.mjs";
import { applyPatch } from "./patch.mjs";
import { ViewModel } from "./model.mjs";
import { PARAMS, randomRule } from "./random-rule.mjs";

const TYPES = ["a", "b", "c"];
const IDS = ["1", "2", "3", "4", "5"];

/** Values of fields, hot ones more often. */
function resource(random, id) {
  const own = { id: random.chance(0.3) && /^[0-9]$/.test(id) ? Number(id) : id };
  const add = (name, choices) => { const value = random.weighted(choices)(); if (value !== undefined) own[name] = value; };
  add("n", [[6, () => random.pick([0, 1, 2, 2.5, -1, 0.1, 10])], [1, () => null], [1, () => undefined], [1, () => "x"]]);
  add("s", [[6, () => random.pick(["x", "xy", "y", ""])], [1, () => null], [1, () => undefined], [1, () => 1]]);
  const texts = () => Array.from({ length: random.below(4) }, () => random.pick(["x", "xy", "y", 1, null]));
  add("t", [[4, texts], [1, () => "x"], [1, () => undefined]]);
  const id1 = () => random.chance(0.9) ? random.pick(IDS) : "9";
  add("r", [
    [4, id1], [2, () => ({ id: Number(id1()) })], [2, () => ({ __ref: `${random.pick(TYPES)}:${id1()}` })],
    [2, () => [id1(), { uuid: id1() }, Number(id1())]], [1, () => null], [1, () => undefined], [0.3, () => 1.5], [0.3, () => ({ id: null })],
  ]);
  add("x", [[3, () => ({ y: random.below(2), z: [random.below(2)] })], [2, () => random.chance(0.5)], [2, () => random.below(3)], [2, () => undefined]]);
  return own;
}

/** One observer, with the rows and keys that its notifications lead to. */
class Observation {
  constructor(rule, params, window, name, answer) {
    Object.assign(this, { rule, params, window, name });
    this.rows = structured(answer.rows);
    this.keys = [...answer.keys];
    this.told = toldIn(answer);
    this.notices = [];
  }

  /** Follows a notification. */
  hear(notice) {
    this.notices.push(notice);
    const added = [...notice.keys];
    const ofRows = notice.patch.filter(({ path, op }) => depth(path) === 1 && op !== "replace");
    this.keys = applyPatch(this.keys, ofRows.map((step) => step.op === "add" ? { ...step, value: added.shift() } : step));
    assert.deepEqual(added, [], "keys are those of added rows");
    this.rows = applyPatch(this.rows, structured(notice.patch));
    assert.ok(notice.patch.length > 0 || !same(toldIn(notice), this.told), "a notification without a change");
    this.told = toldIn(notice);
  }
}

const depth = (path) => path.split("/").length - 1;
const structured = (value) => JSON.parse(JSON.stringify(value));
const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);
const toldIn = ({ total, stale, pending, missing }) => ({ total, stale, pending, missing });

/** The world of one seed. */
export class ViewWorld {
  constructor(random) {
    this.random = random;
    this.base = new Map(TYPES.map((type) => [type, new Map()]));
    this.deleted = new Set();
    this.layers = [];
    this.lastLayer = 0;
    this.sequence = 0;
    this.definitions = new Map();
    this.journal = new MemoryJournal();
    this.log = [];
  }

  async open() {
    this.observations = new Map();
    this.cache = new NormalizedCache({ journal: this.journal });
    await this.cache.ready;
    this.cache.on("view.changed", (notice) => this.observations.get(notice.subscription).hear(notice));
    this.cache.on("view.ended", ({ subscription }) => this.observations.delete(subscription));
  }

  call(method, params) {
    this.log.push(`${method} ${stringifyExact(params)}`);
    return this.cache.call(method, params);
  }

  send(event) {
    this.sequence += 1;
    this.log.push(JSON.stringify({ sequence: this.sequence, event }));
    this.cache.ingest({ sequence: this.sequence, event });
  }

  // What is visible

  /** Returns the visible entities, and the keys of those that the cache knows to be deleted. */
  visible() {
    const entities = new Map([...this.base].map(([type, own]) => [type, new Map(own)]));
    const known = new Set(this.deleted);
    for (const { changes } of this.layers) {
      for (const change of changes) {
        const own = entities.get(change.resource_type);
        const id = String(change.id ?? change.resource.id);
        if (change.op === "put") own.set(id, change.resource);
        else if (change.op === "patch" && own.has(id)) own.set(id, { ...own.get(id), ...change.fields });
        else if (change.op === "delete") {
          if (own.has(id)) own.delete(id);
          known.add(`${change.resource_type}:${id}`);
        }
      }
    }
    // What the cache stores under a layer is known, too.
    for (const [type, own] of this.base) for (const id of own.keys()) if (!entities.get(type).has(id)) known.add(`${type}:${id}`);
    return { entities, known };
  }

  covered() {
    const keys = this.layers.flatMap(({ changes }) => changes.map((change) => `${change.resource_type}:${change.id ?? change.resource.id}`));
    return new Set(keys);
  }

  // Steps

  write(type, id) {
    const own = resource(this.random, id);
    this.base.get(type).set(id, own);
    this.deleted.delete(`${type}:${id}`);
    return own;
  }

  remove(type, id, isDeleted) {
    this.base.get(type).delete(id);
    if (isDeleted) this.deleted.add(`${type}:${id}`);
  }

  async step() {
    const { random } = this;
    const type = random.pick(TYPES);
    const id = random.pick(IDS);
    await random.weighted([
      [8, () => this.send({ ResourceChanged: { resource_type: type, resource: this.write(type, id) } })],
      [3, () => {
        const resources = Array.from({ length: 1 + random.below(4) }, () => this.write(type, random.pick(IDS)));
        this.send({ ResourceBatchChanged: { resource_type: type, resources } });
      }],
      [4, () => {
        this.remove(type, id, true);
        this.send({ ResourceDeleted: { resource_type: type, resource_id: id } });
      }],
      [2, () => this.transaction()],
      [9, () => this.patchField(type)],
      [1.5, async () => {
        this.remove(type, id, false);
        await this.call("cache.remove", { resource_type: type, ids: [id] });
      }],
      [3, () => this.edit()],
      [3, () => this.settleEdit()],
      [2, () => this.observe()],
      [1, () => this.cancel()],
      [2, () => this.move()],
      [1, () => this.define()],
      [0.5, () => this.drop()],
      [0.3, () => this.restart()],
      [0.2, async () => {
        for (const own of this.base.values()) own.clear();
        this.deleted.clear();
        await this.call("cache.clear", {});
      }],
    ])();
  }

  async transaction() {
    const { random } = this;
    const operations = Array.from({ length: 1 + random.below(4) }, () => {
      const type = random.pick(TYPES);
      const id = random.pick(IDS);
      if (random.chance(0.3) && this.base.get(type).has(id)) {
        this.remove(type, id, true);
        return { op: "delete", resource_type: type, id };
      }
      return { op: "put", resource_type: type, resource: this.write(type, id) };
    });
    await this.call("cache.transaction", { operations });
  }

  /** Changes one field: most changes of a program are like that. */
  async patchField(resource_type) {
    const { random } = this;
    const own = this.base.get(resource_type);
    if (own.size === 0) return;
    const id = random.pick([...own.keys()]);
    const field = random.weighted([[4, "n"], [2, "s"], [1, "r"], [1, "t"], [1, "x"]]);
    const value = resource(random, id)[field];
    if (value === undefined) return;
    own.set(id, { ...own.get(id), [field]: value });
    await this.call("cache.transaction", { operations: [{ op: "patch", resource_type, id, fields: { [field]: value } }] });
  }

  async edit() {
    const { random } = this;
    const changes = Array.from({ length: 1 + random.below(3) }, () => {
      const resource_type = random.pick(TYPES);
      const id = random.pick(IDS);
      const own = resource(random, id);
      const { id: _id, ...fields } = own;
      return random.weighted([
        [2, { op: "put", resource_type, resource: own }], [4, { op: "patch", resource_type, id, fields }], [2, { op: "delete", resource_type, id }],
      ]);
    });
    const pending_id = `e${this.lastLayer += 1}`;
    this.layers.push({ pending_id, changes });
    await this.call("optimistic.update", { pending_id, changes });
  }

  async settleEdit() {
    if (this.layers.length === 0) return;
    const { random } = this;
    const [layer] = this.layers.splice(random.below(this.layers.length), 1);
    const { pending_id } = layer;
    if (random.chance(0.5) || this.sequence === 0) {
      await this.call("optimistic.rollback", { pending_id });
    } else if (random.chance(0.5)) {
      // An edit whose event has come: it ends.
      await this.call("optimistic.commit", { pending_id, sequence: this.sequence });
    } else {
      // The server's answer replaces the fields that it has.
      const resource_type = random.pick(TYPES);
      const confirmed = resource(random, random.pick(IDS));
      const id = String(confirmed.id);
      this.base.get(resource_type).set(id, { ...this.base.get(resource_type).get(id), ...confirmed });
      this.deleted.delete(`${resource_type}:${id}`);
      await this.call("optimistic.commit", { pending_id, resource_type, confirmed });
    }
  }

  params(used) { return Object.fromEntries(used.map((name) => [name, PARAMS[name](this.random)])); }

  window() {
    const { random } = this;
    return { ...random.chance(0.3) ? { limit: 1 + random.below(4) } : {}, ...random.chance(0.3) ? { offset: random.below(3) } : {} };
  }

  async observe() {
    const { random } = this;
    if (this.observations.size >= 6) return;
    const names = [...this.definitions.keys()];
    const observed = [...this.observations.values()];
    let view;
    let name = null;
    let made;
    if (names.length > 0 && random.chance(0.4)) {
      view = name = random.pick(names);
      made = this.definitions.get(name);
    } else if (observed.length > 0 && random.chance(0.5)) {
      // Another use of a rule that somebody observes.
      const { rule, used } = random.pick(observed).made;
      made = { rule, used };
      view = rule;
    } else {
      made = randomRule(random);
      view = made.rule;
    }
    const params = this.params(made.used);
    const window = this.window();
    const answer = await this.call("view.observe", { view, params, keys: true, ...window });
    const observation = new Observation(made.rule, params, window, name, answer);
    observation.made = made;
    this.observations.set(answer.subscription, observation);
  }

  async cancel() {
    const [subscription] = this.observations.keys();
    if (subscription === undefined) return;
    await this.call("observe.cancel", { subscription });
    this.observations.delete(subscription);
  }

  async move() {
    const numbers = [...this.observations.keys()];
    if (numbers.length === 0) return;
    const subscription = this.random.pick(numbers);
    const window = this.window();
    Object.assign(this.observations.get(subscription).window, window);
    await this.call("view.move", { subscription, ...window });
  }

  async define() {
    const { random } = this;
    const name = random.pick(["one", "two"]);
    const former = this.definitions.get(name);
    const made = former !== undefined && random.chance(0.5)
      ? { rule: { ...former.rule, limit: 1 + random.below(4) }, used: former.used } : randomRule(random);
    this.definitions.set(name, made);
    await this.call("view.define", { name, view: made.rule });
    for (const observation of this.observations.values()) {
      if (observation.name !== name) continue;
      Object.assign(observation, { rule: made.rule, made });
      if (made.rule.total !== true) observation.told.total = undefined;
    }
  }

  async drop() {
    const [name] = this.definitions.keys();
    if (name === undefined) return;
    this.definitions.delete(name);
    await this.call("view.drop", { name });
  }

  async restart() {
    await this.call("cache.flush", {});
    this.log.push("restart");
    if (this.random.chance(0.5)) await this.cache.close();
    await this.open();
  }

  // The comparison

  /** Compares every observer, a fresh read, and the model. */
  async check() {
    const { entities, known } = this.visible();
    const covered = this.covered();
    const compare = async (view, rule, params, window, of) => {
      const found = await this.cache.call("view.read", { view, params, keys: true, ...window });
      const wanted = new ViewModel(rule, params, entities, known).result(window.offset, window.limit);
      const read = structured(found);
      assert.deepEqual(read.rows, structured(wanted.rows), `${of}: rows`);
      assert.deepEqual(structured(found.keys), structured(wanted.keys), `${of}: keys`);
      const pending = wanted.behind.some((keys) => [...keys].some((key) => covered.has(key)));
      const told = { total: rule.total === true ? wanted.total : undefined, stale: false, pending, missing: wanted.missing };
      assert.deepEqual(toldIn(found), told, `${of}: numbers`);
      assert.equal(found.as_of ?? 0, this.sequence, `${of}: as_of`);
      return { found, told };
    };
    for (const [name, { rule, used }] of this.definitions) if (used.length === 0) await compare(name, rule, {}, {}, `the view ${name}`);
    for (const [subscription, { rule, params, window, rows, keys, told, notices }] of this.observations) {
      const of = `observer ${subscription}`;
      const { found, told: wanted } = await compare(rule, rule, params, window, of);
      assert.deepEqual(rows, structured(found.rows), `${of}: the folded patches`);
      assert.deepEqual(structured(keys), structured(found.keys), `${of}: the folded keys`);
      assert.deepEqual(told, wanted, `${of}: what it was told`);
      assert.ok(notices.length <= 1, `${of}: one change for each step`);
      notices.length = 0;
    }
  }
}
