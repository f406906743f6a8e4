// Random rules of views, all of which are valid.

const TYPES = ["a", "b", "c"];
const FIELDS = ["n", "s", "t", "r", "x"];

/** The parameters that rules may use, each for one kind of value. */
export const PARAMS = {
  value: (random) => random.pick([1, 2, "x", null]), list: (random) => [random.pick([1, "x"]), 2, null].slice(random.below(3)),
  text: (random) => random.pick(["", "x", "xy"]), one: (random) => random.pick(["1", 2, ["1", "3"]]),
};

/** Returns a random rule with the names of the parameters that it uses. */
export function randomRule(random) {
  const used = new Set();
  const maker = new Maker(random, used);
  const rule = maker.view();
  return { rule, used: [...used] };
}

class Maker {
  constructor(random, used) { Object.assign(this, { random, used, lastAlias: 0 }); }

  /** A view whose rows and order depend on values that only an include reads. */
  ranked() {
    const { random } = this;
    const [from, as] = [this.alias(), this.alias()];
    const aggregates = { n: { count: true }, k: { sum: `${as}/n` }, l: { max: `${as}/s` } };
    const rule = {
      from: { type: random.pick(TYPES), as: from }, include: { i: { type: random.pick(TYPES), as, on: { "/r": `${from}@key` }, aggregates } },
      order: [{ path: `/i/${random.pick(["k", "l"])}`, direction: random.pick(["asc", "desc"]) }], limit: 1 + random.below(4), total: true,
    };
    return random.chance(0.5) ? { ...rule, where: { path: "/i/k", gte: random.pick([0, 1, 2]) } } : rule;
  }

  view() {
    const { random } = this;
    if (random.chance(0.08)) return this.ranked();
    const aliases = [];
    this.sourceCount = 1;
    const from = { type: random.pick(TYPES), as: this.alias() };
    aliases.push(from.as);
    if (random.chance(0.3)) from.where = this.predicate([from.as], 0, true);
    // Two parameters: one tells uses apart, the other one is checked for each.
    else if (random.chance(0.2)) from.where = { all: [{ path: "/n", eq: this.param("value") }, { path: "/s", prefix: this.param("text") }] };
    const rule = { from };
    const joins = this.joins(aliases, random.below(4));
    if (joins.length > 0) rule.joins = joins;
    if (random.chance(0.35)) {
      Object.assign(rule, this.groups(aliases));
      if (random.chance(0.3)) rule.where = this.predicate(aliases, 0);
    } else {
      const include = this.includes(aliases, 0);
      if (include !== null) rule.include = include;
      const decided = deciding(include);
      const wheres = [];
      if (random.chance(0.35)) wheres.push(this.predicate(aliases, 0));
      if (decided.length > 0 && random.chance(0.6)) wheres.push({ path: random.pick(decided), gte: random.below(3) });
      if (wheres.length > 0) rule.where = wheres.length > 1 ? { all: wheres } : wheres[0];
      if (random.chance(0.5)) rule.select = this.select(aliases);
      if (random.chance(0.6)) rule.order = this.order(aliases, decided);
    }
    if (random.chance(0.5)) rule.limit = 1 + random.below(5);
    if (random.chance(0.2)) rule.offset = random.below(3);
    if (random.chance(0.4)) rule.total = true;
    return rule;
  }

  alias() { return `v${this.lastAlias += 1}`; }

  param(name) {
    this.used.add(name);
    return { param: name };
  }

  joins(aliases, count, depth = 0) {
    // A view and each include have at most 8 sources.
    const room = Math.max(0, Math.min(count, 8 - this.sourceCount));
    this.sourceCount += room;
    return Array.from({ length: room }, () => {
      const { random } = this;
      const kind = random.weighted([[4, "inner"], [3, "left"], [3, "exists"], [2, "absent"]]);
      const join = { type: random.pick(TYPES), as: this.alias(), kind };
      join.on = this.on(aliases);
      if (random.chance(0.3)) join.where = this.predicate([join.as, ...aliases], 0, true);
      if (kind === "inner" || kind === "left") {
        aliases.push(join.as);
        if (kind === "inner" && random.chance(0.5)) delete join.kind;
      } else if (depth < 2 && random.chance(0.4)) {
        join.joins = this.joins([...aliases, join.as], 1 + random.below(2), depth + 1);
      }
      return join;
    });
  }

  on(aliases) {
    const { random } = this;
    const other = () => random.pick(aliases);
    const pointer = () => `/${random.pick(FIELDS)}`;
    const one = () => random.weighted([
      [5, () => ["@key", `${other()}/r`]], [4, () => ["/r", `${other()}@key`]], [2, () => [pointer(), `${other()}${pointer()}`]],
      [1, () => ["/t/*", `${other()}/s`]], [1, () => ["/s", `${other()}/t/*`]], [1, () => ["@key", `${other()}@key`]],
      [1, () => ["/t/*", `${other()}/t/*`]], [0.7, () => [pointer(), this.param("value")]], [0.5, () => ["@key", this.param("one")]],
      [0.5, () => ["/r/*", `${other()}@key`]], [0.5, () => ["@key", `${other()}/r/*`]],
    ])();
    const conditions = {};
    for (let left = random.chance(0.25) ? 2 : 1; left > 0; left -= 1) {
      const [name, right] = one();
      conditions[name] = name in conditions ? [conditions[name], right].flat() : right;
    }
    return conditions;
  }

  predicate(aliases, depth, isOwn = false) {
    const { random } = this;
    if (depth < 2 && random.chance(0.3)) {
      const inner = () => Array.from({ length: random.below(3) }, () => this.predicate(aliases, depth + 1, isOwn));
      return random.pick([() => ({ all: inner() }), () => ({ any: inner() }), () => ({ not: this.predicate(aliases, depth + 1, isOwn) })])();
    }
    const path = () => isOwn && random.chance(0.5) ? `/${random.pick(FIELDS)}` : `${random.pick(aliases)}/${random.pick(FIELDS)}`;
    const [operator, operand] = random.weighted([
      [4, () => ["eq", random.pick([1, 2, "x", "xy", null])]], [2, () => ["ne", random.pick([1, "x", null])]],
      [2, () => [random.pick(["lt", "lte", "gt", "gte"]), random.pick([1, 1.5, "x", null, true])]],
      [1, () => ["in", [1, "x", null].slice(random.below(3))]], [1, () => ["exists", random.chance(0.5)]],
      [1, () => ["prefix", random.pick(["", "x"])]], [1.5, () => ["eq", this.param("value")]],
      [0.5, () => [random.pick(["ne", "lt", "gte"]), this.param("value")]], [0.5, () => ["in", this.param("list")]],
      [0.5, () => ["prefix", this.param("text")]], [1, () => [random.pick(["eq", "ne", "lte", "gt"]), { path: path() }]],
      [0.4, () => ["in", { path: path() }]], [0.3, () => ["eq", { value: { param: 1 } }]],
    ])();
    return { path: path(), [operator]: operand };
  }

  path(aliases) { return randomPath(this.random, aliases); }

  select(aliases) { return Object.fromEntries(["p", "q"].slice(this.random.below(2)).map((name) => [name, this.path(aliases)])); }

  order(aliases, decided) {
    const { random } = this;
    return Array.from({ length: 1 + random.below(2) }, () => {
      const path = decided.length > 0 && random.chance(0.6) ? random.pick(decided) : `${random.pick(aliases)}/${random.pick(FIELDS)}`;
      return random.chance(0.5) ? { path, direction: "desc" } : { path };
    });
  }

  groups(aliases, isNested = false) {
    const { random } = this;
    const groups = { aggregates: this.aggregates(aliases) };
    if (random.chance(0.7)) {
      groups.group = Object.fromEntries(["g", "h"].slice(random.below(2)).map((name) => [name, this.path(aliases)]));
      if (random.chance(0.3)) groups.having = { path: "/n", gte: random.below(3) };
      if (random.chance(0.5)) groups.order = [{ path: "/n", direction: random.pick(["asc", "desc"]) }];
      if (isNested && random.chance(0.3)) groups.limit = 1 + random.below(2);
    }
    return groups;
  }

  aggregates(aliases) {
    const { random } = this;
    const aggregates = { n: { count: true } };
    for (const name of ["k", "l"]) {
      if (random.chance(0.5)) continue;
      aggregates[name] = { [random.pick(["count", "count_distinct", "sum", "avg", "min", "max"])]: this.path(aliases) };
      if (random.chance(0.3)) aggregates[name].where = this.predicate(aliases, 1);
    }
    return aggregates;
  }

  includes(outer, depth) {
    const { random } = this;
    const count = random.weighted([[3, 0], [3, 1], [1, 2]]);
    if (count === 0 || depth > 1) return null;
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [["i", "n"][index], this.include([...outer], depth)]));
  }

  include(outer, depth) {
    const { random } = this;
    const include = { type: random.pick(TYPES), as: this.alias(), on: this.on(outer) };
    const own = [include.as];
    this.sourceCount = 1;
    if (random.chance(0.3)) {
      const all = [...outer, include.as];
      const before = all.length;
      include.joins = this.joins(all, 1);
      own.push(...all.slice(before));
    }
    const seen = [...own, ...outer];
    if (random.chance(0.3)) include.where = this.predicate(seen, 1, true);
    switch (random.below(5)) {
      case 0: case 2: return { ...include, aggregates: this.aggregates(own) };
      case 1: return { ...include, ...this.groups(own, true) };
      default: {
        if (random.chance(0.4)) include.one = true;
        else if (random.chance(0.4)) include.limit = 1 + random.below(2);
        if (random.chance(0.2)) include.offset = 1;
        if (random.chance(0.4)) include.select = this.select(own);
        const nested = this.includes(seen, depth + 1);
        if (nested !== null) include.include = nested;
        if (random.chance(0.6)) include.order = this.order(own, deciding(nested));
        return include;
      }
    }
  }
}

/** Returns the paths of the aggregates of includes, which may decide on rows and their order. */
function deciding(include) {
  const alone = Object.entries(include ?? {}).filter(([, own]) => own.aggregates !== undefined && own.group === undefined);
  return alone.flatMap(([name, { aggregates }]) => Object.keys(aggregates).map((own) => `/${name}/${own}`));
}

function randomPath(random, aliases) { return `${random.pick(aliases)}/${random.pick(FIELDS)}`; }
