import { elementsOf, kindOf, stringValue } from "../json/text.js";
import { areComparable, compareValues, exactCode, orderValue, startsWithBytes } from "../queries/value.js";

/** The operators of predicates. */
export const operators = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "exists", "prefix"] as const;

/** An operator of a predicate. */
export type Operator = typeof operators[number];

/** Tests a value as JSON; null is no value. */
export type ValueTest = (value: string | null) => boolean;

/**
 * Returns the test of an operator with an operand as JSON; null if no value can fulfil it: `in` with something other
 * than an array, `prefix` with something other than a string. Protocol/queries.md, where.
 */
export function testOf(operator: Operator, operand: string): ValueTest | null {
  switch (operator) {
    case "eq": case "ne": {
      const code = exactCode(operand);
      const isEqual = operator === "eq";
      return (value) => (value !== null && (value === operand || exactCode(value) === code)) === isEqual;
    }
    case "lt": return ordered(operand, (order) => order < 0);
    case "lte": return ordered(operand, (order) => order <= 0);
    case "gt": return ordered(operand, (order) => order > 0);
    case "gte": return ordered(operand, (order) => order >= 0);
    case "in": {
      if (kindOf(operand) !== "array") return null;
      const codes = new Set(elementsOf(operand).map(exactCode));
      return (value) => value !== null && codes.has(exactCode(value));
    }
    case "exists": return (value) => (value !== null) === (operand === "true");
    case "prefix": {
      if (kindOf(operand) !== "string") return null;
      const prefix = stringValue(operand);
      return (value) => value !== null && kindOf(value) === "string" && startsWithBytes(stringValue(value), prefix);
    }
  }
}

function ordered(operand: string, holds: (order: number) => boolean): ValueTest {
  const wanted = orderValue(operand);
  return (json) => {
    const value = orderValue(json);
    return areComparable(value, wanted) && holds(compareValues(value, wanted));
  };
}
