import { kindOf, memberOf, membersOf } from "../json/text.js";
import { isReference } from "./merge.js";

/** The character between the names of a path; no name of a field that is merged by path is told from another by it. */
export const PATH_SEPARATOR = "\0";

/**
 * Merges fields into a stored object by path: an embedded object into the stored one of the same `__typename`, everything else
 * in place of what is stored. Objects count as of one type when either names none; a reference is never merged. Returns the
 * merged object, and the paths of what was written. O((base + fields) · nesting). Protocol/graphql.md, what is stored.
 */
export function mergedByPath(fields: string, base: string): { text: string; paths: string[]; } {
  const paths: string[] = [];
  return { text: merge(fields, base, "", paths), paths };
}

function merge(fields: string, base: string, prefix: string, paths: string[]): string {
  const given = new Map(membersOf(fields).map((member) => [member.name, member]));
  const result: string[] = [];
  for (const { name, spelled, value } of membersOf(base)) {
    const own = given.get(name);
    given.delete(name);
    if (own === undefined) {
      result.push(`${spelled}:${value}`);
    } else if (isMergeable(value, own.value)) {
      result.push(`${spelled}:${merge(own.value, value, prefix + name + PATH_SEPARATOR, paths)}`);
    } else {
      result.push(`${spelled}:${own.value}`);
      paths.push(prefix + name);
    }
  }
  for (const { name, spelled, value } of given.values()) {
    result.push(`${spelled}:${value}`);
    paths.push(prefix + name);
  }
  return `{${result.join(",")}}`;
}

function isMergeable(old: string, fresh: string): boolean {
  if (kindOf(old) !== "object" || kindOf(fresh) !== "object" || isReference(old) || isReference(fresh)) return false;
  const type = memberOf(old, "__typename");
  const other = memberOf(fresh, "__typename");
  return type === null || other === null || type === other;
}
