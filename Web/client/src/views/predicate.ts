import type { Binding } from "./binding.js";
import { forEachReference, hasParameter } from "./rule.js";
import type { Predicate, Reference, Test } from "./rule.js";
import { testOf } from "./value-test.js";

/** Returns the value of a reference as JSON; null if there is none. */
export type Values = (reference: Reference) => string | null;

/** True if a predicate holds. `binding` is null if a walk serves many uses at once; then no test has a parameter. */
export function holds(predicate: Predicate, binding: Binding | null, value: Values): boolean {
  switch (predicate.is) {
    case "all": return predicate.members.every((member) => holds(member, binding, value));
    case "any": return predicate.members.some((member) => holds(member, binding, value));
    case "not": return !holds(predicate.member, binding, value);
    case "test": return isFulfilled(predicate, binding, value);
  }
}

function isFulfilled({ operand, operator, reference }: Test, binding: Binding | null, value: Values): boolean {
  switch (operand.is) {
    case "literal": return operand.test(value(reference));
    case "parameter": return binding?.test(operator, operand.index)?.(value(reference)) ?? false;
    case "reference": {
      const other = value(operand.reference);
      // Without a value on the right only `ne` holds, as without one on the left.
      if (other === null) return operator === "ne";
      return testOf(operator, other)?.(value(reference)) ?? false;
    }
  }
}

/** True if every value that a predicate reads is of one source, and no parameter is in it. */
export function isFixed(predicate: Predicate, slot: number): boolean {
  let isOwn = !hasParameter(predicate);
  forEachReference(predicate, (reference) => { if (reference.is !== "source" || reference.path.slot !== slot) isOwn = false; });
  return isOwn;
}

/** Returns a text that is the same for equal conditions on the same source only, read without its alias. */
export function textOf(predicate: Predicate): string {
  switch (predicate.is) {
    case "all": return predicate.members.map(textOf).join(" ");
    case "any": case "not": case "test": return predicate.text;
  }
}
