import { kindOf, memberOf, membersOf } from "../json/text.js";
import { isReference } from "./merge.js";
import { WrittenByPath } from "./merged.js";
import { PATH_SEPARATOR } from "./written.js";

/**
 * Merges fields into a stored object by path: an embedded object into the stored one with the same `__typename`;
 * anything else replaces what is stored. Objects have the same type if either names none; a reference is never merged.
 * Returns the merged object, and what was written. O((base + fields) · nesting). Protocol/graphql.md, storing.
 */
export function mergedByPath(fields: string, base: string): { text: string; written: WrittenByPath; } {
  const written = new WrittenByPath();
  return { text: merge(fields, base, "", written), written };
}

function merge(fields: string, base: string, prefix: string, written: WrittenByPath): string {
  const given = new Map(membersOf(fields).map((member) => [member.name, member]));
  const result: string[] = [];
  for (const { name, spelled, value } of membersOf(base)) {
    const own = given.get(name);
    given.delete(name);
    if (own === undefined) {
      result.push(`${spelled}:${value}`);
      // A top-level field that was not written keeps its date.
      if (prefix !== "" && name !== "__typename") written.kept.push(prefix + name);
    } else if (isMergeable(value, own.value)) {
      written.merged.push(prefix + name);
      result.push(`${spelled}:${merge(own.value, value, prefix + name + PATH_SEPARATOR, written)}`);
    } else {
      result.push(`${spelled}:${own.value}`);
      written.wholes.push(prefix + name);
    }
  }
  for (const { name, spelled, value } of given.values()) {
    result.push(`${spelled}:${value}`);
    written.wholes.push(prefix + name);
  }
  return `{${result.join(",")}}`;
}

function isMergeable(old: string, fresh: string): boolean {
  if (kindOf(old) !== "object" || kindOf(fresh) !== "object" || isReference(old) || isReference(fresh)) return false;
  const type = memberOf(old, "__typename");
  const other = memberOf(fresh, "__typename");
  return type === null || other === null || type === other;
}
