import { canonical } from "../json/canonical.js";
import { kindOf, membersOf } from "../json/text.js";
import { refuse, refuseName } from "./fault.js";
import { elements, refuseRepeats, text, token } from "./rule-json.js";
import type { ViewRule } from "./rule.js";
import { testOf } from "./value-test.js";
import type { Operator, ValueTest } from "./value-test.js";

/** The values that one use of a view gives to the parameters of its rule. */
export class Binding {
  /** The same for uses with equally written values only. */
  readonly key: string;
  private readonly tests = new Map<string, ValueTest | null>();

  /** Binds values, as JSON, in the order of the rule's parameters. */
  constructor(readonly values: readonly string[]) { this.key = `[${values.join(",")}]`; }

  /** Returns the test of an operator with a parameter; null if no value can fulfil it. */
  test(operator: Operator, parameter: number): ValueTest | null {
    const name = `${operator} ${parameter}`;
    let test = this.tests.get(name);
    if (test === undefined) this.tests.set(name, test = testOf(operator, this.values[parameter]));
    return test;
  }
}

/**
 * Binds parameters, given as a compact JSON object or null for none. Throws a `ViewRuleError` for one that is missing,
 * that the rule does not use, or whose value is no array for `in` or no string for `prefix`.
 */
export function bind(rule: ViewRule, json: string | null): Binding {
  if (json !== null) {
    if (kindOf(json) !== "object") refuse("", "has params that are no object; write {…}");
    refuseRepeats(json);
  }
  const given = new Map(membersOf(json ?? "{}").map(({ name, value }) => [name, value]));
  for (const name of given.keys()) {
    if (!rule.parameters.includes(name)) refuseName(token(name), "is no parameter", name, rule.parameters);
  }
  return new Binding(rule.parameters.map((name, index) => {
    const place = token(name);
    const value = given.get(name) ?? refuse(place, "is a parameter without a value");
    if (rule.uses[index].arrayPlace !== null) elements(value, place);
    if (rule.uses[index].stringPlace !== null) text(value, place);
    return canonical(value);
  }));
}
