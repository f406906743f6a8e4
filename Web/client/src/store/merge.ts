import { kindOf, membersOf, presentMember } from "../json/text.js";
import type { Member } from "../json/text.js";

/** How an event is merged into an entity. Protocol/events.md, merge. */
export interface MergeRules {
  /** Names of members whose values are replaced, at any depth. */
  noMergeFields: ReadonlySet<string>;
  /** Alternate ids of the entity, canonical. */
  alternateIds: readonly string[];
}

/** Returns an object of members, in their order and spelling. */
export function objectOf(members: readonly Member[]): string {
  return `{${members.map((member) => `${member.spelled}:${member.value}`).join(",")}}`;
}

/**
 * Merges a change into a base. Members keep the base's order and spelling; new ones follow. `keepsIdentity`: the change
 * names another id than the one under which the entity is stored; the stored id stays.
 */
export function merged(
  incoming: string, base: string, noMergeFields: ReadonlySet<string>, keepsIdentity = false,
): string {
  const given = new Map(membersOf(incoming).map((member) => [member.name, member]));
  const keepsUuid = keepsIdentity && presentMember(base, "id") === null;
  const result: Member[] = [];
  for (const member of membersOf(base)) {
    const change = given.get(member.name);
    given.delete(member.name);
    const isIdentity = keepsIdentity && member.name === "id" || keepsUuid && member.name === "uuid";
    if (change === undefined || isIdentity) result.push(member);
    else result.push({ ...member, value: mergedValue(member, change.value, noMergeFields) });
  }
  for (const member of given.values()) {
    // An entity found by its `uuid` must not get the change's `id`: it would become another entity.
    if (!(keepsIdentity && member.name === "id")) result.push(member);
  }
  return objectOf(result);
}

function mergedValue(member: Member, value: string, noMergeFields: ReadonlySet<string>): string {
  if (kindOf(member.value) !== "object" || kindOf(value) !== "object" || noMergeFields.has(member.name)) return value;
  if (isReference(member.value) || isReference(value)) return value;
  const own = tag(member.value);
  const other = tag(value);
  return own !== null && other !== null && own !== other ? value : merged(value, member.value, noMergeFields);
}

/** True if a value is a reference to an entity, which is never merged. */
export function isReference(value: string): boolean { return value.startsWith("{\"__ref\":\""); }

/** Returns the name of an object's only member if it begins with an ASCII capital letter; null otherwise. */
function tag(value: string): string | null {
  const members = membersOf(value);
  return members.length === 1 && /^[A-Z]/.test(members[0].name) ? members[0].name : null;
}

/** Returns a change without objects that would be merged into unknown fields. */
export function knowable(incoming: string, base: string, noMergeFields: ReadonlySet<string>): string {
  const known = new Set(membersOf(base).map((member) => member.name));
  return objectOf(membersOf(incoming).filter(
    (member) => kindOf(member.value) !== "object" || known.has(member.name) || noMergeFields.has(member.name)));
}
