import { elementsOf, kindOf, membersOf, stringValue } from "../json/text.js";
import { token } from "./rule-json.js";

/** One operation of a patch from one result to the next (RFC 6902); `value` is JSON. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: string; } | { readonly op: "remove"; readonly path: string; }
  | { readonly op: "move"; readonly from: string; readonly path: string; };

/**
 * Appends the operations that turn one JSON value into another. Objects are changed inside, as deep as can be; anything
 * else is replaced whole. O(old + fresh).
 */
export function appendValueDifference(old: string, fresh: string, path: string, operations: PatchOperation[]): void {
  if (old === fresh) return;
  if (kindOf(old) !== "object" || kindOf(fresh) !== "object") {
    if (!looksEqual(old, fresh)) operations.push({ op: "replace", path, value: fresh });
    return;
  }
  const before = membersOf(old);
  const after = membersOf(fresh);
  const former = new Map(before.map(({ name, value }) => [name, value]));
  const names = new Set(after.map(({ name }) => name));
  for (const { name } of before) if (!names.has(name)) operations.push({ op: "remove", path: path + token(name) });
  for (const { name, value } of after) {
    const known = former.get(name);
    if (known === undefined) operations.push({ op: "add", path: path + token(name), value });
    else appendValueDifference(known, value, path + token(name), operations);
  }
}

/**
 * True if two values look the same to readers: the spelling of numbers counts, that of strings and the order of members do
 * not.
 */
export function looksEqual(left: string, right: string): boolean {
  if (left === right) return true;
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return false;
  switch (kind) {
    case "string": return stringValue(left) === stringValue(right);
    case "array": {
      const before = elementsOf(left);
      const after = elementsOf(right);
      return before.length === after.length && before.every((element, index) => looksEqual(element, after[index]));
    }
    case "object": {
      const before = new Map(membersOf(left).map(({ name, value }) => [name, value]));
      const after = membersOf(right);
      return before.size === after.length && after.every(({ name, value }) => {
        const known = before.get(name);
        return known !== undefined && looksEqual(known, value);
      });
    }
    default: return false;
  }
}
