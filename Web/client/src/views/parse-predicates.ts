import { refuse } from "./fault.js";
import { pointerOf, referenceOf } from "./parse-paths.js";
import type { Parsing } from "./parsing.js";
import { joined } from "./rule.js";
import type { Operand, Predicate, Test } from "./rule.js";
import { RuleObject, canonicalRule, elements, flag, only, text, token } from "./rule-json.js";
import type { Meaning } from "./scope.js";
import { operators, testOf } from "./value-test.js";
import type { Operator, ValueTest } from "./value-test.js";

const DEPTH_MAX = 32;
const ALTERNATIVE_COUNT_MAX = 10_000;

/** Parses a predicate. */
export function parsePredicate(parsing: Parsing, json: string, place: string, meaning: Meaning, depth = 1): Predicate {
  if (depth > DEPTH_MAX) refuse(place, `nests deeper than ${DEPTH_MAX}`);
  const object = new RuleObject(json, place, ["path", "all", "any", "not", ...operators]);
  if (object.value("path") !== null) return tests(parsing, object, meaning);
  const [member, ...others] = object.members;
  if (member === undefined || others.length > 0) {
    return refuse(place, "is no predicate; write a path with operators, or one of all, any, not alone");
  }
  parsing.count(place);
  const inner = object.at(member.name);
  const several = (): Predicate[] => elements(member.value, inner).map(
    (element, index) => parsePredicate(parsing, element, `${inner}/${index}`, meaning, depth + 1));
  switch (member.name) {
    case "all": return { is: "all", members: several() };
    case "any": return { is: "any", members: several(), place, text: canonicalRule(json) };
    case "not": return { is: "not", member: parsePredicate(parsing, member.value, inner, meaning, depth + 1), place, text: canonicalRule(json) };
    default: return refuse(place, "has no path; write one beside the operator");
  }
}

function tests(parsing: Parsing, object: RuleObject, meaning: Meaning): Predicate {
  const { place } = object;
  const path = object.value("path") ?? "null";
  const reference = referenceOf(path, object.at("path"), meaning);
  const found: Test[] = [];
  for (const { name, value } of object.members) {
    if (name === "path") continue;
    const operator = operators.find((own) => own === name);
    if (operator === undefined) return refuse(place + token(name), "stands beside a path; write it alone");
    parsing.count(place);
    found.push({
      is: "test", reference, operator, operand: operandOf(parsing, operator, value, object.at(name), meaning), place,
      text: canonicalRule(`{"path":${path},"${operator}":${value}}`),
    });
  }
  return joined(found) ?? refuse(place, `has a path but no operator; write one of ${operators.join(" ")}`);
}

function operandOf(parsing: Parsing, operator: Operator, json: string, place: string, meaning: Meaning): Operand {
  if (operator === "exists") return { is: "literal", test: literal(parsing, operator, String(flag(json, place)), place) };
  const name = only(json, "param");
  if (name !== null) {
    const index = parsing.parameter(name, `${place}/param`);
    if (operator === "in") parsing.uses[index].arrayPlace = place;
    if (operator === "prefix") parsing.uses[index].stringPlace = place;
    return { is: "parameter", index };
  }
  const path = only(json, "path");
  if (path !== null) return { is: "reference", reference: referenceOf(path, `${place}/path`, meaning) };
  const value = only(json, "value");
  return { is: "literal", test: value === null ? literal(parsing, operator, json, place) : literal(parsing, operator, value, `${place}/value`) };
}

function literal(parsing: Parsing, operator: Operator, json: string, place: string): ValueTest {
  if (operator === "in") {
    parsing.alternativeCount += elements(json, place).length;
    if (parsing.alternativeCount > ALTERNATIVE_COUNT_MAX) refuse(place, `brings the values of all in above ${ALTERNATIVE_COUNT_MAX}; write fewer`);
  }
  if (operator === "prefix") text(json, place);
  return testOf(operator, json) ?? (() => false);
}

/** Parses a pointer whose last token may be `*`, for every element. */
export function elementPointer(written: string, place: string): { pointer: ReturnType<typeof pointerOf>; isEach: boolean; } {
  const pointer = pointerOf(written, place);
  const { path } = pointer;
  if (path[path.length - 1]?.name !== "*") return { pointer, isEach: false };
  return { pointer: pointerOf(written.slice(0, written.lastIndexOf("/")), place), isEach: true };
}
