import { kindOf } from "../json/text.js";
import { refuse, refuseName } from "./fault.js";
import { INCLUDE_COUNT_MAX, INCLUDE_DEPTH_MAX } from "./limits.js";
import { referenceOf, sourcePath } from "./parse-paths.js";
import { parsePredicate } from "./parse-predicates.js";
import { filteredSource, parseJoins } from "./parse-sources.js";
import type { Parsing } from "./parsing.js";
import { forEachReference, functions, isCheck } from "./rule.js";
import type { Aggregate, Body, Groups, Include, Order, Output, Predicate, Step } from "./rule.js";
import { RuleObject, elements, flag, integer, namedMembers, text } from "./rule-json.js";
import { Scope, meaningOf } from "./scope.js";
import type { Frame } from "./scope.js";

const ORDER_COUNT_MAX = 16;
const includeMembers = [
  "type", "as", "on", "where", "joins", "include", "group", "aggregates", "having", "select", "order", "limit", "offset", "one",
];

/** What a body makes of its rows: everything but its sources and its filter. */
type Results = Omit<Body, "steps" | "filter">;

/** Parses groups, includes, selected members, order and window. */
export function parseResults(parsing: Parsing, rule: RuleObject, steps: readonly Step[], frame: Frame): Results {
  const groups = groupsOf(parsing, rule, frame);
  let output: Output;
  let includes: readonly Include[] = [];
  if (groups !== null) {
    for (const name of ["include", "select"]) {
      if (rule.value(name) !== null) refuse(rule.at(name), "is not allowed with group or aggregates; their rows are the result");
    }
    output = { is: "groups", groups };
  } else {
    if (rule.value("having") !== null) refuse(rule.at("having"), "is only allowed with groups; write where");
    output = outputOf(rule, steps, frame);
    includes = includesOf(parsing, rule, frame);
  }
  const limit = rule.value("limit");
  const offset = rule.value("offset");
  return {
    output, includes, order: orderOf(rule, output, includes, frame),
    limit: limit === null ? null : integer(limit, 1, rule.at("limit")), offset: offset === null ? 0 : integer(offset, 0, rule.at("offset")),
  };
}

function outputOf(rule: RuleObject, steps: readonly Step[], frame: Frame): Output {
  const select = rule.value("select");
  if (select !== null) {
    const place = rule.at("select");
    const meaning = meaningOf(frame);
    return { is: "members", members: namedMembers(select, place).map(({ name, value }) => ({ name, path: sourcePath(value, inner(place, name), meaning) })) };
  }
  const sources = steps.filter(({ kind }) => !isCheck(kind)).map(({ source }) => ({ name: source.alias, slot: source.slot }));
  return sources.length > 1 ? { is: "resources", sources } : { is: "resource", slot: sources[0].slot };
}

function inner(place: string, name: string): string { return `${place}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`; }

// Groups

function groupsOf(parsing: Parsing, rule: RuleObject, frame: Frame): Groups | null {
  const group = rule.value("group");
  const aggregates = rule.value("aggregates");
  if (group === null && aggregates === null) return null;
  const meaning = meaningOf(frame);
  const keys = group === null ? null : namedMembers(group, rule.at("group")).map(
    ({ name, value }) => ({ name, path: sourcePath(value, inner(rule.at("group"), name), meaning) }));
  if (keys?.length === 0) refuse(rule.at("group"), "is empty; write what forms the groups, or leave it out for one row");
  const found = aggregates === null ? [] : namedMembers(aggregates, rule.at("aggregates")).map(({ name, value }) => {
    const place = inner(rule.at("aggregates"), name);
    if (keys?.some((key) => key.name === name) === true) refuse(place, "has the name of a group; write another one");
    return aggregateOf(parsing, name, value, place, frame);
  });
  if (keys === null && found.length === 0) refuse(rule.at("aggregates"), "is empty; write an aggregate, such as {\"n\": {\"count\": true}}");
  const groups: Groups = { keys, aggregates: found, having: null };
  const having = rule.value("having");
  if (having !== null) {
    const slash = { is: "output", output: { is: "groups", groups }, includes: [] } as const;
    groups.having = parsePredicate(parsing, having, rule.at("having"), { scope: new Scope(), slash });
  }
  return groups;
}

function aggregateOf(parsing: Parsing, name: string, json: string, place: string, frame: Frame): Aggregate {
  const object = new RuleObject(json, place, [...functions, "where"]);
  const [of, ...others] = functions.filter((own) => object.value(own) !== null);
  if (of === undefined || others.length > 0) return refuse(place, `is no aggregate; write one of ${functions.join(", ")}`);
  const operand = object.value(of) ?? "null";
  const isOfRows = of === "count" && kindOf(operand) !== "string";
  if (isOfRows && !flag(operand, object.at(of))) refuse(object.at(of), "is false; write true or a path");
  const where = object.value("where");
  const meaning = meaningOf(frame);
  return {
    name, of, path: isOfRows ? null : sourcePath(operand, object.at(of), meaning),
    filter: where === null ? null : parsePredicate(parsing, where, object.at("where"), meaning),
  };
}

// Includes

function includesOf(parsing: Parsing, rule: RuleObject, frame: Frame): Include[] {
  const json = rule.value("include");
  if (json === null) return [];
  return namedMembers(json, rule.at("include")).map(({ name, value }) => includeOf(parsing, name, value, inner(rule.at("include"), name), frame));
}

function includeOf(parsing: Parsing, name: string, json: string, place: string, outer: Frame): Include {
  parsing.includeCount += 1;
  if (parsing.includeCount > INCLUDE_COUNT_MAX) refuse(place, `is one include more than ${INCLUDE_COUNT_MAX}`);
  if (outer.includeDepth >= INCLUDE_DEPTH_MAX) refuse(place, `nests includes deeper than ${INCLUDE_DEPTH_MAX} levels`);
  const rule = new RuleObject(json, place, includeMembers);
  const frame: Frame = { scope: new Scope(outer.scope), slot: outer.slot, includeDepth: outer.includeDepth + 1, sourceCount: 0, ownSlot: null };
  const own = rule.members.filter((member) => ["type", "as", "on"].includes(member.name));
  const ownText = `{${own.map(({ spelled, value }) => `${spelled}:${value}`).join(",")}}`;
  const source = filteredSource(parsing, new RuleObject(ownText, place, ["type", "as", "on"]), frame, true);
  frame.ownSlot = source.slot;
  const steps: Step[] = [{ kind: "inner", source, joins: [] }, ...parseJoins(parsing, rule, frame)];
  const where = rule.value("where");
  let filter = where === null ? null : parsePredicate(parsing, where, rule.at("where"), meaningOf(frame));
  if (filter !== null && !readsBehind(filter, source.slot)) {
    source.filter = filter;
    filter = null;
  }
  const results = parseResults(parsing, rule, steps, frame);
  const one = rule.value("one");
  const isOne = one !== null && flag(one, rule.at("one"));
  const groups = results.output.is === "groups" ? results.output.groups : null;
  if (isOne && groups !== null) refuse(rule.at("one"), "is not allowed with group or aggregates");
  if (rule.value("having") !== null && rule.value("group") === null) refuse(rule.at("having"), "is only allowed with group");
  if (groups !== null && groups.keys === null) {
    for (const member of ["order", "limit", "offset"]) {
      if (rule.value(member) !== null) refuse(rule.at(member), "is not allowed with aggregates alone: there is one object");
    }
  }
  return { name, body: { steps, filter, ...results }, isOne };
}

/** True if a predicate reads a source behind a slot. */
function readsBehind(predicate: Predicate, slot: number): boolean {
  let isFound = false;
  forEachReference(predicate, (reference) => { if (reference.is === "source" && reference.path.slot > slot) isFound = true; });
  return isFound;
}

// Order

function orderOf(rule: RuleObject, output: Output, includes: readonly Include[], frame: Frame): Order[] {
  const json = rule.value("order");
  if (json === null) return [];
  const place = rule.at("order");
  const components = elements(json, place);
  if (components.length > ORDER_COUNT_MAX) refuse(place, `has more than ${ORDER_COUNT_MAX} components`);
  const scope = output.is === "groups" ? new Scope() : frame.scope;
  return components.map((component, index) => {
    const object = new RuleObject(component, `${place}/${index}`, ["path", "direction"]);
    const path = object.value("path") ?? refuse(object.at("path"), "is missing; write a path such as \"/created\"");
    const reference = referenceOf(path, object.at("path"), { scope, slash: { is: "output", output, includes } });
    return { reference, isDescending: isDescending(object) };
  });
}

function isDescending(object: RuleObject): boolean {
  const json = object.value("direction");
  if (json === null) return false;
  const place = object.at("direction");
  const name = text(json, place);
  if (["desc", "descending"].includes(name)) return true;
  if (["asc", "ascending"].includes(name)) return false;
  return refuseName(place, "is not a direction; write asc or desc", name, ["asc", "desc", "ascending", "descending"]);
}
