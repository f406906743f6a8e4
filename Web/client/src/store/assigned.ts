import { membersOf } from "../json/text.js";
import type { Member } from "../json/text.js";
import { objectOf } from "./merge.js";

const NO_NAMES: ReadonlySet<string> = new Set();

/** Returns `base` with the members of `fields` replaced and those in `unset` removed. */
export function assigned(fields: string, base: string, unset: ReadonlySet<string> = NO_NAMES): string {
  const given = fields === "" ? [] : membersOf(fields);
  const values = new Map(given.map((member) => [member.name, member]));
  const result: Member[] = [];
  for (const member of membersOf(base)) {
    const given = values.get(member.name);
    values.delete(member.name);
    if (!unset.has(member.name)) result.push(given === undefined ? member : { ...member, value: given.value });
  }
  for (const member of values.values()) if (!unset.has(member.name)) result.push(member);
  return objectOf(result);
}
