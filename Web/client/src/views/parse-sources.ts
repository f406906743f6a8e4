import { elementsOf, kindOf, quoted } from "../json/text.js";
import { isType } from "../wire/identity.js";
import { refuse, refuseName } from "./fault.js";
import { CHECK_DEPTH_MAX, SOURCE_COUNT_MAX } from "./limits.js";
import { split } from "./parse-paths.js";
import { elementPointer, parsePredicate } from "./parse-predicates.js";
import type { Parsing } from "./parsing.js";
import { isCheck } from "./rule.js";
import type { Condition, Source, Step, StepKind } from "./rule.js";
import { RuleObject, canonicalRule, elements, namedMembers, text, token } from "./rule-json.js";
import { Scope } from "./scope.js";
import type { Frame } from "./scope.js";

const TYPE_LENGTH_MAX = 128;
const WORD = /^[A-Za-z0-9_]{1,64}$/;
const joinKinds: readonly StepKind[] = ["inner", "left", "exists", "absent"];

/** Parses `from`. */
export function parseFrom(parsing: Parsing, json: string, place: string, frame: Frame): Step {
  if (kindOf(json) === "string") {
    const source = { ...sourceOf(parsing, json, null, place, place, place, frame), conditions: [], filter: null, place };
    return { kind: "from", source, joins: [] };
  }
  return { kind: "from", source: filteredSource(parsing, new RuleObject(json, place, ["type", "as", "where"]), frame, false), joins: [] };
}

/** Parses `joins`. */
export function parseJoins(parsing: Parsing, rule: RuleObject, frame: Frame, checkDepth = 0): Step[] {
  const json = rule.value("joins");
  if (json === null) return [];
  return elements(json, rule.at("joins")).map((element, index) => joinOf(parsing, element, `${rule.at("joins")}/${index}`, checkDepth, frame));
}

function joinOf(parsing: Parsing, json: string, place: string, checkDepth: number, frame: Frame): Step {
  const object = new RuleObject(json, place, ["type", "as", "kind", "on", "where", "joins"]);
  const kind = kindOfJoin(object);
  const outer = new Scope(frame.scope);
  const source = filteredSource(parsing, object, frame, true);
  if (!isCheck(kind)) {
    if (object.value("joins") !== null) refuse(object.at("joins"), "is only allowed in exists and absent; add the join behind");
    return { kind, source, joins: [] };
  }
  if (checkDepth >= CHECK_DEPTH_MAX) refuse(place, `nests exists and absent deeper than ${CHECK_DEPTH_MAX} levels`);
  const joins = parseJoins(parsing, object, frame, checkDepth + 1);
  outer.hide(frame.scope);
  frame.scope = outer;
  return { kind, source, joins };
}

function kindOfJoin(object: RuleObject): StepKind {
  const json = object.value("kind");
  if (json === null) return "inner";
  const name = text(json, object.at("kind"));
  return joinKinds.find((kind) => kind === name)
    ?? refuseName(object.at("kind"), `is not a kind; write ${joinKinds.join(", ")}`, name, joinKinds);
}

/** Parses `type`, `as`, `on` and `where` of a source. */
export function filteredSource(parsing: Parsing, object: RuleObject, frame: Frame, isJoined: boolean): Source {
  const type = object.value("type") ?? refuse(object.at("type"), "is missing; name the type of the entities");
  const earlier = new Scope(frame.scope);
  const source = sourceOf(parsing, type, object.value("as"), object.at("type"), object.at("as"), object.place, frame);
  const conditions = isJoined ? conditionsOf(parsing, object, earlier) : [];
  const where = object.value("where");
  const filter = where === null ? null
    : parsePredicate(parsing, where, object.at("where"), { scope: frame.scope, slash: { is: "own", slot: source.slot } });
  return { ...source, conditions, filter, place: object.place };
}

function sourceOf(
  parsing: Parsing, typeJson: string, aliasJson: string | null, typePlace: string, aliasPlace: string, place: string, frame: Frame,
): { slot: number; alias: string; type: string; } {
  const type = text(typeJson, typePlace);
  if (!isType(type, TYPE_LENGTH_MAX)) refuse(typePlace, `is not a type; write 1 to ${TYPE_LENGTH_MAX} of A-Z a-z 0-9 _ . -`);
  const alias = aliasJson === null ? type : text(aliasJson, aliasPlace);
  const own = aliasJson === null ? typePlace : aliasPlace;
  if (!WORD.test(alias)) refuse(own, "is not an alias; write as with 1 to 64 of A-Z a-z 0-9 _");
  if (frame.scope.uses(alias)) refuse(own, `uses the alias "${alias}" again; write another as`);
  frame.sourceCount += 1;
  if (frame.sourceCount > SOURCE_COUNT_MAX) refuse(place, `is one source more than ${SOURCE_COUNT_MAX}`);
  const { slot } = frame;
  frame.slot += 1;
  parsing.slotCount = Math.max(parsing.slotCount, frame.slot);
  frame.scope.define(alias, slot);
  return { slot, alias, type };
}

function conditionsOf(parsing: Parsing, object: RuleObject, scope: Scope): Condition[] {
  const place = object.at("on");
  const advice = "write which entities belong together, such as {\"@key\": \"a/b\"}";
  const json = object.value("on") ?? refuse(place, `is missing; ${advice}`);
  const conditions: Condition[] = [];
  for (const { name, value } of namedMembers(json, place, true)) {
    const inner = place + token(name);
    const left = leftOf(name, inner);
    const isList = kindOf(value) === "array";
    const rights = isList ? elementsOf(value) : [value];
    if (rights.length === 0) refuse(inner, "is an empty list; write a condition");
    rights.forEach((right, index) => {
      const own = isList ? `${inner}/${index}` : inner;
      conditions.push({ left, right: rightOf(parsing, right, own, scope), place: own, text: canonicalRule(`{${quoted(name)}:${right}}`) });
    });
  }
  return conditions.length > 0 ? conditions : refuse(place, `is empty; ${advice}`);
}

function leftOf(name: string, place: string): Condition["left"] {
  if (name === "@key") return { is: "key" };
  if (name !== "" && !name.startsWith("/")) {
    return refuseName(place, "is neither @key nor a JSON Pointer into the joined resource, such as \"/project\"", name, ["@key"]);
  }
  return { is: "value", ...elementPointer(name, place) };
}

function rightOf(parsing: Parsing, json: string, place: string, scope: Scope): Condition["right"] {
  if (kindOf(json) === "object") {
    const object = new RuleObject(json, place, ["param"]);
    const name = object.value("param") ?? refuse(place, "is no condition; write a path or {\"param\": \"name\"}");
    return { is: "parameter", index: parsing.parameter(name, object.at("param")) };
  }
  const { alias, rest } = split(text(json, place));
  if (alias.endsWith("@key")) {
    const slot = scope.slot(alias.slice(0, -"@key".length), place);
    if (rest !== "") refuse(place, "has a pointer behind @key; write the entity alone, such as \"issue@key\"");
    return { is: "entity", slot };
  }
  if (alias === "") refuse(place, "does not begin with an alias; write the path of an earlier source");
  return { is: "value", slot: scope.slot(alias, place), ...elementPointer(rest, place) };
}
