// A naive model of views: a rule is evaluated over a map of entities, with nested loops and no index.

import { average, total } from "./decimal.mjs";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NONE = undefined;

/** Returns an id as a text; undefined for what is no id. */
function idText(value) {
  if (typeof value === "string") return value === "" ? NONE : UUID.test(value) ? value.toLowerCase() : value;
  return Number.isInteger(value) ? String(value) : NONE;
}

/** Returns the ids of the entities of a type to which a value refers. */
function references(value, type) {
  const one = (own) => {
    if (own === null || typeof own !== "object") return idText(own);
    if (Array.isArray(own)) return NONE;
    if ("__ref" in own) {
      const [of, ...id] = String(own.__ref).split(":");
      return of === type && id.join(":") !== "" ? id.join(":") : NONE;
    }
    return idText(own.id ?? own.uuid);
  };
  return (Array.isArray(value) ? value.map(one) : [one(value)]).filter((id) => id !== NONE);
}

function at(value, pointer) {
  let found = value;
  for (const token of pointer.split("/").slice(1).map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"))) {
    if (Array.isArray(found)) found = /^(0|[1-9][0-9]*)$/.test(token) ? found[Number(token)] : NONE;
    else if (found !== null && typeof found === "object") found = Object.hasOwn(found, token) ? found[token] : NONE;
    else return NONE;
  }
  return found;
}

/** Returns a value as a text that equal values have in common, and that is shown in groups. */
export function shown(value) {
  if (Array.isArray(value)) return `[${value.map(shown).join(",")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${shown(value[name])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

const ranks = { undefined: 0, null: 1, false: 2, true: 3, number: 4, string: 5, other: 6 };
const rank = (value) => value === null || typeof value === "boolean" || value === NONE ? ranks[String(value)] : ranks[typeof value] ?? ranks.other;

/** Compares two values in the order of lists. The texts of the tests are ASCII. */
function compare(left, right) {
  if (rank(left) !== rank(right)) return rank(left) - rank(right);
  if (rank(left) !== ranks.number && rank(left) !== ranks.string) return 0;
  return left < right ? -1 : left > right ? 1 : 0;
}

const kind = (value) => value === null ? "null" : Array.isArray(value) ? "other" : typeof value;

function test(operator, value, operand) {
  if (operator === "exists") return (value !== NONE) === operand;
  if (value === NONE || operand === NONE) return operator === "ne";
  switch (operator) {
    case "eq": return shown(value) === shown(operand);
    case "ne": return shown(value) !== shown(operand);
    case "in": return Array.isArray(operand) && operand.some((one) => shown(one) === shown(value));
    case "prefix": return typeof value === "string" && typeof operand === "string" && value.startsWith(operand);
    default: {
      if (kind(value) !== kind(operand) || ["object", "other"].includes(kind(value))) return false;
      const order = compare(value, operand);
      return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator];
    }
  }
}

/** A rule over entities: `entities` are maps of resources by type and id, `known` the keys of deleted ones. */
export class ViewModel {
  constructor(rule, params, entities, known) {
    Object.assign(this, { rule, params, entities, known, missing: new Set() });
  }

  /** Returns rows, keys, total and missing of the result, and the entities behind each row. */
  result(offset, limit) {
    const { rule } = this;
    const from = typeof rule.from === "string" ? { type: rule.from } : rule.from;
    this.isAsking = true;
    let rows = this.joined([{ ...from, kind: "from" }, ...rule.joins ?? []], 0, {});
    this.isAsking = false;
    const read = (env) => (path) => this.read(path, env, (own) => at(this.aggregates(own, env), own));
    rows = rows.filter((env) => rule.where === undefined || this.holds(rule.where, read(env)));
    const made = this.made(rule, rows, aliases([{ ...from, kind: "from" }, ...rule.joins ?? []]), null);
    const start = offset ?? rule.offset ?? 0;
    const cut = made.slice(start, start + (limit ?? rule.limit ?? Infinity));
    const shownRows = cut.map((row) => row.render());
    return {
      rows: shownRows.map(({ value }) => value), keys: cut.map(({ key }) => key), total: made.length, missing: this.missing.size,
      behind: shownRows.map(({ behind }) => behind),
    };
  }

  // Joins

  joined(steps, index, env) {
    if (index >= steps.length) return [env];
    const step = steps[index];
    const alias = step.as ?? step.type;
    const found = this.matches(step, env);
    if (step.kind === "exists" || step.kind === "absent") {
      // Questions count inside, too.
      const inner = found.flatMap((one) => this.joined(step.joins ?? [], 0, { ...env, [alias]: one }));
      return (inner.length > 0) === (step.kind === "exists") ? this.joined(steps, index + 1, env) : [];
    }
    if (found.length === 0 && step.kind === "left") return this.joined(steps, index + 1, { ...env, [alias]: null });
    return found.flatMap((one) => this.joined(steps, index + 1, { ...env, [alias]: one }));
  }

  matches(step, env) {
    const conditions = Object.entries(step.on ?? {}).flatMap(([left, right]) => [right].flat().map((one) => [left, one]));
    if (this.isAsking) for (const [left, right] of conditions) if (left === "@key") this.ask(step.type, right, env);
    const found = [];
    for (const [id, resource] of this.entities.get(step.type) ?? []) {
      const entity = { type: step.type, id, resource };
      const own = { ...env, [step.as ?? step.type]: entity };
      const isMatch = conditions.every(([left, right]) => this.fulfils(entity, left, right, env));
      const read = (path) => this.read(path, own, (pointer) => at(resource, pointer));
      if (isMatch && (step.where === undefined || this.holds(step.where, read))) found.push(entity);
    }
    return found.sort((left, right) => left.id < right.id ? -1 : 1);
  }

  ask(type, right, env) {
    if (typeof right === "string" && right.endsWith("@key")) return;
    for (const value of this.side(right, env)) {
      for (const id of references(value, type)) {
        if (!(this.entities.get(type)?.has(id) ?? false) && !this.known.has(`${type}:${id}`)) this.missing.add(`${type}:${id}`);
      }
    }
  }

  /** Returns the values of the right side of a condition. */
  side(right, env) {
    if (typeof right === "object") return [this.params[right.param]];
    if (!right.endsWith("/*")) {
      const value = this.read(right, env);
      return value === NONE ? [] : [value];
    }
    const list = this.read(right.slice(0, -2), env);
    return Array.isArray(list) ? list : [];
  }

  fulfils(entity, left, right, env) {
    const isEntity = typeof right === "string" && right.endsWith("@key");
    const other = isEntity ? env[right.slice(0, -4)] : null;
    if (left === "@key") {
      if (isEntity) return other !== null && other.type === entity.type && other.id === entity.id;
      return this.side(right, env).some((value) => references(value, entity.type).includes(entity.id));
    }
    const each = left.endsWith("/*");
    const value = at(entity.resource, each ? left.slice(0, -2) : left);
    const own = (each ? Array.isArray(value) ? value : [] : [value]).filter((one) => one !== NONE);
    if (isEntity) return other !== null && own.some((one) => references(one, other.type).includes(other.id));
    return own.some((one) => one !== null && this.side(right, env).some((two) => two !== null && shown(one) === shown(two)));
  }

  // Values

  /** Returns the value of a path; `slash` returns that of a path that begins with a slash. */
  read(path, env, slash) {
    if (path === "" || path.startsWith("/")) return slash(path);
    const cut = path.indexOf("/");
    const entity = env[cut < 0 ? path : path.slice(0, cut)];
    return entity === null || entity === NONE ? NONE : at(entity.resource, cut < 0 ? "" : path.slice(cut));
  }

  holds(predicate, value) {
    if (predicate.all !== undefined) return predicate.all.every((one) => this.holds(one, value));
    if (predicate.any !== undefined) return predicate.any.some((one) => this.holds(one, value));
    if (predicate.not !== undefined) return !this.holds(predicate.not, value);
    const { path, ...tests } = predicate;
    return Object.entries(tests).every(([operator, operand]) => test(operator, value(path), this.operand(operand, value)));
  }

  operand(operand, value) {
    if (operand === null || typeof operand !== "object" || Object.keys(operand).length !== 1) return operand;
    if ("param" in operand) return this.params[operand.param];
    if ("path" in operand) return value(operand.path);
    return "value" in operand ? operand.value : operand;
  }

  // Results

  /** Returns the rows of a body in their order, each with its key and a function that renders it. `main`: an include's alias. */
  made(body, envs, names, main) {
    const path = (own, env) => this.read(own, env, (pointer) => at(env[main]?.resource, pointer));
    if (body.group !== undefined || body.aggregates !== undefined) return this.groups(body, envs, path, names);
    const rows = envs.map((env) => ({ key: keysOf(env, names), env, render: () => this.render(body, env, names, path) }));
    const orders = body.order ?? [];
    for (const row of rows) {
      row.values = orders.map(({ path: own }) => this.read(own, row.env, (pointer) => this.output(body, row.env, names, path, pointer)));
    }
    return rows.sort((left, right) => this.byOrder(orders, left, right) || compareKeys(left.key, right.key));
  }

  byOrder(orders, left, right) {
    for (const [index, { direction }] of orders.entries()) {
      const order = compare(left.values[index], right.values[index]);
      if (order !== 0) return direction === "desc" ? -order : order;
    }
    return 0;
  }

  /** Returns a value of the output row. */
  output(body, env, names, path, pointer) {
    const name = pointer.split("/")[1];
    if (body.include !== undefined && name in body.include) return at(this.aggregates(pointer, env, body), pointer);
    return at(this.own(body, env, names, path), pointer);
  }

  own(body, env, names, path) {
    if (body.select !== undefined) return members(Object.entries(body.select).map(([name, own]) => [name, path(own, env)]));
    if (names.length === 1) return env[names[0]].resource;
    return members(names.map((name) => [name, env[name]?.resource ?? NONE]));
  }

  /** Returns an object with the aggregates of the include that a pointer names. */
  aggregates(pointer, env, body = this.rule) {
    const name = pointer.split("/")[1];
    const former = this.isAsking;
    this.isAsking = false;
    const value = this.include(body.include[name], env).value;
    this.isAsking = former;
    return { [name]: value };
  }

  render(body, env, names, path) {
    const behind = new Set(keysOf(env, names).filter((key) => key !== null));
    const value = { ...this.own(body, env, names, path) };
    for (const [name, include] of Object.entries(body.include ?? {})) {
      delete value[name];
      this.isAsking = true;
      const own = this.include(include, env);
      this.isAsking = false;
      value[name] = own.value;
      for (const key of own.behind) behind.add(key);
    }
    return { value, behind };
  }

  include(include, env) {
    const alias = include.as ?? include.type;
    const steps = [{ type: include.type, as: include.as, on: include.on, kind: "inner" }, ...include.joins ?? []];
    // A filter that reads the main source alone selects before the joins are made.
    const joined = new Set((include.joins ?? []).map(({ as, type }) => as ?? type));
    const readsJoins = include.where !== undefined && paths(include.where).some((own) => joined.has(own.split("/")[0]));
    const slash = (own) => (pointer) => at(own[alias]?.resource, pointer);
    if (include.where !== undefined && !readsJoins) steps[0].where = include.where;
    let envs = this.joined(steps, 0, env);
    if (readsJoins) envs = envs.filter((own) => this.holds(include.where, (path) => this.read(path, own, slash(own))));
    const names = aliases(steps);
    const made = this.made(include, envs, names, alias);
    if (include.aggregates !== undefined && include.group === undefined) {
      const behind = made.flatMap((row) => [...row.render().behind]);
      return { value: made[0].render().value, behind };
    }
    const start = include.offset ?? 0;
    const cut = made.slice(start, start + (include.one === true ? 1 : include.limit ?? Infinity));
    const rows = cut.map((row) => row.render());
    // Those that a group counts are behind it, also outside of the window.
    const behind = include.group === undefined ? rows.flatMap((row) => [...row.behind]) : envs.flatMap((own) => keysOf(own, names));
    return { value: include.one === true ? rows[0]?.value ?? null : rows.map(({ value }) => value), behind };
  }

  groups(body, envs, path, names) {
    const found = new Map();
    const keyNames = Object.keys(body.group ?? {});
    if (body.group === undefined) found.set("", { values: [], envs: [] });
    for (const env of envs) {
      const values = keyNames.map((name) => path(body.group[name], env));
      const key = values.map((value) => value === NONE ? "" : shown(value)).join("\n");
      if (!found.has(key)) found.set(key, { values, envs: [] });
      found.get(key).envs.push(env);
    }
    const orders = body.order ?? [];
    const rows = [...found.values()].map(({ values, envs: own }) => {
      const pairs = [...keyNames.map((name, index) => [name, values[index]]),
        ...Object.entries(body.aggregates ?? {}).map(([name, aggregate]) => [name, this.aggregate(aggregate, own, path)])];
      const value = members(pairs);
      const behind = new Set(own.flatMap((env) => keysOf(env, names)).filter((key) => key !== null));
      const key = values.map((one) => one === NONE ? null : one);
      return { value, of: values, key, render: () => ({ value, behind }), values: orders.map((order) => at(value, order.path)) };
    });
    const kept = rows.filter(({ value }) => body.having === undefined || this.holds(body.having, (own) => at(value, own)));
    return kept.sort((left, right) => {
      const order = this.byOrder(orders, left, right);
      if (order !== 0) return order;
      for (const [index, value] of left.of.entries()) {
        const own = compare(value, right.of[index]);
        if (own !== 0) return own;
      }
      const texts = [left, right].map(({ of }) => of.map((value) => value === NONE ? "" : shown(value)));
      for (const [index, text] of texts[0].entries()) if (text !== texts[1][index]) return text < texts[1][index] ? -1 : 1;
      return 0;
    });
  }

  aggregate(aggregate, envs, path) {
    const counted = envs.filter((env) => aggregate.where === undefined || this.holds(aggregate.where, (own) => path(own, env)));
    if (aggregate.count === true) return counted.length;
    const [[of, own]] = Object.entries(aggregate).filter(([name]) => name !== "where");
    const values = counted.map((env) => path(own, env)).filter((value) => value !== NONE && value !== null);
    const numbers = values.filter((value) => typeof value === "number");
    const scalars = values.filter((value) => rank(value) !== ranks.other).sort(compare);
    switch (of) {
      case "count": return values.length;
      case "count_distinct": return new Set(values.map(shown)).size;
      case "sum": return total(numbers);
      case "avg": return numbers.length === 0 ? NONE : average(numbers);
      case "min": return scalars[0];
      case "max": return scalars[scalars.length - 1];
    }
  }
}

function members(pairs) { return Object.fromEntries(pairs.filter(([, value]) => value !== NONE)); }

/** Returns the aliases of which a row consists. */
function aliases(steps) { return steps.filter(({ kind: own }) => own !== "exists" && own !== "absent").map(({ as, type }) => as ?? type); }

/** Returns the keys of the entities of a row; null for none. */
function keysOf(env, names) { return names.map((name) => env[name] === null ? null : `${env[name].type}:${env[name].id}`); }

function compareKeys(left, right) {
  for (const [index, key] of left.entries()) {
    if (key === right[index]) continue;
    if (key === null || right[index] === null) return key === null ? -1 : 1;
    return key < right[index] ? -1 : 1;
  }
  return 0;
}

/** Returns all paths of a predicate. */
function paths(predicate) {
  if (predicate.all !== undefined || predicate.any !== undefined) return (predicate.all ?? predicate.any).flatMap(paths);
  if (predicate.not !== undefined) return paths(predicate.not);
  const { path, ...tests } = predicate;
  return [path, ...Object.values(tests).flatMap((operand) => operand !== null && typeof operand === "object" && "path" in operand ? [operand.path] : [])];
}
