// Random walks of a session, printed as lines of a host: events in every disorder, queries with rules, observers, edits.
// Half of the keys are hot. Weights vary with the seed, so that some walks are nearly all of one kind.

import { Random } from "./random.mjs";

const TYPES = ["file", "tag"];
const KINDS = ["image", "video", "note"];
const DIRECTORIES = ["/Photos", "/Photos/2024", "/Docs", "/"];
const NUMBERS = ["0", "1", "2", "10", "1.0", "1.5", "-1", "1e1", "18446744073709551616", "18446744073709551615", "0.1"];

/** Returns the lines of one walk: `[{ line, isRequest }]`; request ids count from 1. */
export function walk(seed, stepCount = 60) {
  return new Walk(seed).steps(stepCount);
}

/** True if a walk uses a cache with a policy: its resources refer to others, which are deleted along with them. */
export function hasPolicy(seed) { return seed % 4 === 0; }

class Walk {
  constructor(seed) {
    this.random = new Random(seed);
    this.sends = new Random(seed ^ 0x5eed5);
    this.hasPolicy = hasPolicy(seed);
    this.looks = new Random(seed ^ 0x100c5);
    this.keyed = new Random(seed ^ 0x4e7ed);
    this.references = new Random(seed ^ 0x2efe2);
    this.merges = new Random(seed ^ 0x3e26e);
    this.renames = new Random(seed ^ 0x4e2a3e);
    this.nextId = 1;
    this.sequences = new Map();
    this.pendingIds = [];
    this.lastPending = 0;
    this.subscriptions = 0;
    this.methods = ["m1", "m2", "m3", "m4"];
    this.libraries = this.random.chance(0.3) ? ["", "b"] : [""];
    this.weights = Object.fromEntries(["event", "query", "layer", "write", "odd"].map((name) => [name, this.random.next() ** 2 + 0.05]));
    this.isDisordered = this.random.chance(0.5);
    this.hasEpochs = this.random.chance(0.2);
    this.epoch = 0;
    this.lines = [];
  }

  steps(count) {
    if (this.looks.chance(0.3)) this.request("log.observe", this.looks.pick([{}, { types: ["file"] }, { bins: ["applied", "quarantined"] }]));
    for (let step = 0; step < count; step += 1) {
      const { event, query, layer, write, odd } = this.weights;
      this.random.weighted([
        [event * 3, () => this.event()], [query, () => this.query()], [layer, () => this.layer()], [write, () => this.write()],
        [odd, () => this.odd()],
      ])();
      if (this.looks.chance(0.05)) this.lookAround();
    }
    // The end: reads everything that can be read.
    for (const library_id of this.libraries) {
      for (const resource_type of TYPES) this.request("entity.list", { resource_type, library_id, limit: 1000 });
      for (const method of this.methods) this.request("query.read", { method, library_id, policy: "cacheOnly", allow_stale: true });
    }
    this.request("optimistic.list", {});
    this.request("outbox.list", {});
    this.request("query.list", {});
    return this.lines;
  }

  raw(line, isRequest = false) { this.lines.push({ line, isRequest }); }

  request(method, params) {
    this.raw(`{"jsonrpc":"2.0","id":${this.nextId},"method":${JSON.stringify(method)},"params":${this.json(params)}}`, true);
    this.nextId += 1;
  }

  /** Returns a value as JSON; a text after `#` is copied unchanged, so that numbers keep their spelling. */
  json(value) {
    if (typeof value === "string") return value.startsWith("#") ? value.slice(1) : JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map((element) => this.json(element)).join(",")}]`;
    if (value !== null && typeof value === "object") {
      const members = Object.entries(value).filter(([, own]) => own !== undefined);
      return `{${members.map(([name, own]) => `${JSON.stringify(name)}:${this.json(own)}`).join(",")}}`;
    }
    return JSON.stringify(value);
  }

  /**
   * Calls one of the methods for looking at a cache, except those that read the disk, which may see later lines. Uses
   * random numbers of its own, so that existing walks do not change.
   */
  lookAround() {
    const { looks } = this;
    const id = `k${looks.below(6)}`;
    looks.weighted([
      [2, () => this.request("entity.get", { resource_type: "file", id, base: true, fields: looks.pick([undefined, ["n", "kind"]]) })],
      [2, () => this.request("query.list", { limit: 1 + looks.below(5), resource_type: looks.pick([undefined, "file"]) })],
      [1, () => this.request("cache.explain", { resource_type: "file", id, max_ages: looks.pick([undefined, { file: 0 }, { "file.n": 5 }]) })],
    ])();
  }

  library() { return this.random.pick(this.libraries); }

  type() { return this.random.chance(0.85) ? "file" : "tag"; }

  id() { return this.random.chance(0.7) ? `k${this.random.below(4)}` : `k${this.random.below(12)}`; }

  number() { return `#${this.random.pick(NUMBERS)}`; }

  /** A resource, or some fields of one. */
  fields(isPartial = false) {
    const { random } = this;
    const fields = {};
    const wants = (share) => random.chance(isPartial ? share / 2 : share);
    if (wants(0.9)) fields.n = this.number();
    if (wants(0.7)) fields.kind = random.pick(KINDS);
    if (wants(0.5)) fields.sd_path = this.path();
    if (wants(0.3)) fields.meta = random.pick([{ a: 1 }, { b: this.number() }, { Tag: 1 }, { Other: 2 }, null, [1, 2]]);
    if (this.hasPolicy) this.refer(fields);
    if (wants(0.2)) fields.name = random.pick(["é", "a", "Z", "\u{1f600}", "\uffee", ""]);
    return fields;
  }

  /** References of each form, for the cascades of a policy. */
  refer(fields) {
    const { references } = this;
    const id = () => `k${references.below(6)}`;
    if (references.chance(0.4)) fields.parent = references.pick([id(), { id: id() }, { id: null, uuid: id() }, null, 1.5]);
    if (references.chance(0.3)) fields.tags = [id(), { id: id(), kind: "note" }, [id()]].slice(0, references.below(4));
  }

  path() {
    const text = `${this.random.pick(DIRECTORIES)}/${this.id()}.jpg`;
    return this.random.chance(0.7) ? text : { Physical: { device_slug: this.random.pick(["mac", "nas"]), path: text } };
  }

  // Events

  event() {
    const { random } = this;
    const library = this.library();
    const envelope = library === "" && random.chance(0.5) ? {} : { library_id: library };
    const last = this.sequences.get(library) ?? 0;
    if (random.chance(0.85)) {
      let sequence = last + 1;
      if (this.isDisordered && random.chance(0.25)) sequence = Math.max(0, last + random.pick([-3, -1, 0, 2, 3]));
      this.sequences.set(library, Math.max(last, sequence));
      envelope.sequence = sequence;
      if (random.chance(0.1)) envelope.prev = Math.max(0, sequence - 1 - random.below(3));
      if (envelope.prev !== undefined && envelope.prev >= sequence) delete envelope.prev;
    }
    if (this.hasEpochs && random.chance(0.3)) envelope.epoch = `e${this.epoch}`;
    if (this.pendingIds.length > 0 && random.chance(0.2)) envelope.mutation_id = random.pick(this.pendingIds);
    const line = { ...envelope, event: this.kind(envelope) };
    this.raw(this.json(line));
  }

  kind(envelope) {
    const { random } = this;
    const resource_type = this.type();
    const metadata = random.chance(0.35)
      ? { no_merge_fields: random.chance(0.2) ? ["meta"] : undefined, alternate_ids: random.chance(0.2) ? [this.id()] : undefined } : undefined;
    const resource = () => ({ id: this.id(), ...this.fields(metadata !== undefined) });
    return random.weighted([
      [10, () => ({ ResourceChanged: { resource_type, resource: resource(), metadata } })],
      [3, () => ({
        ResourceBatchChanged: {
          resource_type, resources: Array.from({ length: random.below(4) }, resource), metadata,
          operation: random.chance(0.1) ? "Index" : undefined,
        },
      })],
      [3, () => ({ ResourceDeleted: { resource_type, resource_id: this.id() } })],
      [0.4, () => ({ BulkOperation: { resource_type, hints: random.chance(0.5) ? { a: random.below(3) } : undefined } })],
      [0.2, () => "Refresh"],
      [0.5, () => "Party"],
      [0.4, () => ({ Heartbeat: { last_sequence: Math.max(0, (this.sequences.get(envelope.library_id ?? "") ?? 0) + random.pick([0, 0, 0, 1, -1])) } })],
      [this.hasEpochs ? 0.3 : 0, () => {
        this.epoch += 1;
        this.sequences.set(envelope.library_id ?? "", 0);
        return { Reset: { epoch: `e${this.epoch}` } };
      }],
    ])();
  }

  // Queries

  query() {
    const { random } = this;
    const method = random.pick(this.methods);
    const library_id = this.library();
    const resource_type = this.type();
    random.weighted([
      [4, () => {
        const count = random.below(5);
        const ids = new Set(Array.from({ length: count }, () => this.id()));
        const membership = random.chance(0.7) ? this.rule(resource_type) : undefined;
        const local = membership !== undefined && random.chance(0.4);
        this.request("query.put", {
          method, library_id, resource_type, membership, local: local || undefined,
          resources: local ? undefined : [...ids].map((id) => ({ id, ...this.fields() })),
          as_of: random.chance(0.3) ? Math.max(0, (this.sequences.get(library_id) ?? 0) + random.pick([-2, -1, 0, 1])) : undefined,
          tags: random.chance(0.3) ? { a: random.below(3) } : undefined,
        });
      }],
      [2, () => {
        this.request("query.observe", {
          method, library_id, policy: "cacheOnly", allow_stale: true, select: random.chance(0.3) ? { file: ["id", "n"] } : undefined,
        });
      }],
      [1, () => this.request("entity.observe", { resource_type, id: this.id(), library_id, fields: random.chance(0.3) ? ["n"] : undefined })],
      [1, () => this.request("query.read", { method, library_id, policy: "cacheOnly", allow_stale: random.chance(0.5) || undefined })],
      [1, () => this.request("entity.get", { resource_type, id: this.id(), library_id })],
      [0.5, () => this.request("observe.cancel", { subscription: 1 + random.below(6) })],
      [0.5, () => this.request("cache.invalidate", {
        library_id, ...random.pick([{ all: true }, { method }, { tags: { a: 1 } }, { hints: { a: 1 } }, { resource_type }]),
      })],
    ])();
  }

  rule(resource_type) {
    const { random } = this;
    return {
      resource_type,
      where: random.chance(0.7) ? this.predicate(0) : undefined,
      order: random.chance(0.6) ? [{ path: random.pick(["/n", "/name", "/kind", "/meta"]), direction: random.chance(0.4) ? "desc" : undefined }] : undefined,
      limit: random.chance(0.4) ? 1 + random.below(3) : undefined,
      scope: random.chance(0.25) ? { path: random.pick(DIRECTORIES), recursive: random.chance(0.5) || undefined } : undefined,
    };
  }

  predicate(depth) {
    const { random } = this;
    const path = random.pick(["/kind", "/n", "/meta/a", "/name", "/missing", "/sd_path"]);
    return random.weighted([
      [3, () => ({ path: "/kind", eq: random.pick(KINDS) })],
      [2, () => ({ path: "/n", [random.pick(["lt", "lte", "gt", "gte", "eq", "ne"])]: this.number() })],
      [1, () => ({ path: "/kind", in: [random.pick(KINDS), random.pick(KINDS)] })],
      [1, () => ({ path, exists: random.chance(0.5) })],
      [1, () => ({ path, prefix: random.pick(["/Photos", "i", ""]) })],
      [depth < 2 ? 2 : 0, () => ({ [random.pick(["all", "any"])]: [this.predicate(depth + 1), this.predicate(depth + 1)] })],
      [depth < 2 ? 1 : 0, () => ({ not: this.predicate(depth + 1) })],
    ])();
  }

  // Edits and writes

  operation() {
    const usual = this.usualOperation();
    return this.merges.chance(0.12) ? this.merge() : usual;
  }

  /**
   * A merge by path, into objects of one type or of several. Uses random numbers of its own, so that existing walks do
   * not change.
   */
  merge() {
    const { merges } = this;
    const inner = () => merges.pick([
      { a: merges.below(3) }, { b: { c: merges.below(3) } }, { b: { d: [1] } }, { __typename: "T", a: 1 }, { __typename: "U", b: 2 },
    ]);
    const meta = merges.pick([inner(), { ...inner(), ...inner() }, { a: null }, null, { __ref: "tag:k1" }]);
    return { op: "merge", resource_type: "file", id: `k${merges.below(6)}`, fields: merges.chance(0.7) ? { meta } : { meta, n: merges.below(5), "a.b": 1 } };
  }

  usualOperation() {
    const { random } = this;
    const resource_type = this.type();
    return random.weighted([
      [3, () => {
        const id = this.id();
        return this.keyed.chance(0.15)
          ? { op: "put", resource_type, id, resource: this.keyed.chance(0.5) ? { isbn: id, ...this.fields() } : { id: "other", ...this.fields() } }
          : { op: "put", resource_type, resource: { id, ...this.fields() } };
      }],
      [4, () => ({ op: "patch", resource_type, id: this.id(), fields: this.fields(true), unset: random.chance(0.2) ? ["kind"] : undefined })],
      [1, () => ({ op: "remove_field", resource_type, id: this.id(), field: random.pick(["n", "kind"]) })],
      [2, () => ({ op: "delete", resource_type, id: this.id() })],
    ])();
  }

  operations() { return Array.from({ length: 1 + this.random.below(3) }, () => this.operation()); }

  layer() {
    const { random } = this;
    random.weighted([
      [4, () => {
        this.lastPending += 1;
        const pending_id = `p${this.lastPending}`;
        const depends_on = this.pendingIds.length > 0 && random.chance(0.2) ? random.pick(this.pendingIds) : undefined;
        this.request("optimistic.update", { pending_id, changes: this.operations(), depends_on, library_id: this.library(), send: this.send() });
        this.pendingIds.push(pending_id);
      }],
      [2, () => this.settle("optimistic.rollback", {})],
      [1, () => this.settle("optimistic.commit", { sequence: random.chance(0.7) ? (this.sequences.get("") ?? 0) + random.below(3) : undefined })],
      [1, () => this.settle("optimistic.commit", {
        confirmed: { id: this.id(), ...this.fields() }, resource_type: "file",
        sequence: random.chance(0.5) ? (this.sequences.get("") ?? 0) + random.below(2) : undefined,
      })],
      [0.5, () => this.settle("optimistic.commit", { id_map: this.idMap() })],
    ])();
  }

  /**
   * The request of an edit, with ids that a commit may replace. Uses random numbers of its own, so that existing walks
   * do not change.
   */
  send() {
    const { sends } = this;
    if (sends.chance(0.5)) return undefined;
    const id = `k${sends.below(4)}`;
    return {
      method: sends.pick(["set", "move"]), input: sends.chance(0.2) ? id : { id, to: [id, { "x~/": `k${sends.below(4)}` }], n: 1 },
      ids: sends.chance(0.6) ? ["/id", "/to/0", "/to/1/x~0~1", "", "/absent"].filter(() => sends.chance(0.7)) : undefined,
      key: sends.chance(0.5) ? `q${sends.below(3)}` : undefined, coalesce: sends.chance(0.4) ? "replace" : undefined,
      on_failure: sends.chance(0.3) ? "continue" : undefined, discard: sends.chance(0.2) ? true : undefined,
      retry: sends.chance(0.2) ? { attempts: 1 + sends.below(3), for: 2.5 } : undefined,
    };
  }

  /** A temporary id with its real one, which is sometimes an integer. */
  idMap() { return { [this.id()]: this.renames.chance(0.2) ? `#${this.renames.pick([2, 30, 1_000])}` : this.id() }; }

  /**
   * A commit of any edit, including settled ones, and one that confirms deletes. Uses random numbers of its own, so
   * that existing walks do not change.
   */
  commitLate() {
    const { renames } = this;
    const id = () => `k${renames.below(5)}`;
    const params = renames.pick([{ id_map: { [id()]: id() } }, { confirmed: [] }, { confirmed: [], id_map: { [id()]: id() } }]);
    this.request("optimistic.commit", {
      pending_id: `p${1 + renames.below(this.lastPending + 1)}`, ...params, library_id: renames.chance(0.3) ? "" : undefined,
      sequence: renames.chance(0.3) ? (this.sequences.get("") ?? 0) + renames.below(3) - 1 : undefined,
    });
  }

  settle(method, params) {
    if (this.renames.chance(0.15)) this.commitLate();
    if (this.sends.chance(0.2)) this.request("outbox.list", this.sends.chance(0.3) ? { library_id: "" } : {});
    if (this.sends.chance(0.1)) this.request("optimistic.retry", { pending_id: `p${1 + this.sends.below(this.lastPending + 1)}` });
    if (this.sends.chance(0.1)) this.request(this.sends.pick(["outbox.pause", "outbox.resume"]), {});
    if (this.pendingIds.length === 0) return;
    const index = this.random.below(this.pendingIds.length);
    this.request(method, { pending_id: this.pendingIds[index], ...params });
    if (this.random.chance(0.9)) this.pendingIds.splice(index, 1);
  }

  write() {
    const { random } = this;
    const library_id = this.library();
    random.weighted([
      [4, () => this.request("cache.transaction", { operations: this.operations(), library_id })],
      [1, () => this.request("cache.remove", {
        resource_type: this.type(), ids: [this.id(), this.id()], library_id, cascade: this.hasPolicy && this.references.chance(0.5) || undefined,
      })],
      [0.4, () => this.request("cache.remove", { matching: `K${random.below(4)}`, library_id })],
      [0.1, () => this.request("cache.clear", { library_id })],
    ])();
  }

  odd() {
    const { random } = this;
    random.weighted([
      [2, () => this.raw(random.pick([
        "nonsense", "{\"sequence\":", "{}", "[]x", "{\"event\":{\"ResourceChanged\":{\"resource_type\":\"file\"}}}", "", "\"Pong\"",
      ]))],
      [1, () => this.request("entity.list", { resource_type: this.type(), library_id: this.library(), limit: 1 + random.below(4) })],
      [1, () => this.request("cache.explain", { resource_type: "file", id: this.id(), library_id: this.library() })],
    ])();
  }
}
