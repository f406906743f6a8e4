// The text of a rule: validated compact JSON. Unlike a resource, a rule may not repeat the members of an object.

import { elementsOf, kindOf, membersOf, quoted, skipString, skipValue, stringValue } from "../json/text.js";
import type { Member } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import { refuse, refuseName } from "./fault.js";

/** Returns a token of a JSON Pointer, with its slash and its escapes. */
export function token(name: string): string { return `/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`; }

/** Throws at the first member that repeats the name of another one: the last would silently widen a join. */
export function refuseRepeats(json: string, place = ""): void {
  if (kindOf(json) === "array") elementsOf(json).forEach((element, index) => refuseRepeats(element, `${place}/${index}`));
  if (kindOf(json) !== "object") return;
  const names = new Set<string>();
  for (let at = 1; json.charCodeAt(at) !== 0x7d;) {
    const nameEnd = skipString(json, at);
    const valueEnd = skipValue(json, nameEnd + 1);
    const name = stringValue(json.slice(at, nameEnd));
    const inner = place + token(name);
    if (names.has(name)) refuse(inner, "repeats a member; write every member once, and several conditions as a list");
    names.add(name);
    refuseRepeats(json.slice(nameEnd + 1, valueEnd), inner);
    at = json.charCodeAt(valueEnd) === 0x2c ? valueEnd + 1 : valueEnd;
  }
}

/** The members whose own members have an order that shows in results. */
const ORDERED = new Set(["select", "group", "aggregates", "include"]);

/** Returns a rule in its canonical spelling: equal rules have the same one. */
export function canonicalRule(json: string, keepsOrder = false): string {
  switch (kindOf(json)) {
    case "string": return quoted(stringValue(json));
    case "array": return `[${elementsOf(json).map((element) => canonicalRule(element)).join(",")}]`;
    case "object": {
      const members = membersOf(json);
      if (!keepsOrder) members.sort((left, right) => compareBytes(left.name, right.name));
      return `{${members.map(({ name, value }) => `${quoted(name)}:${canonicalRule(value, ORDERED.has(name))}`).join(",")}}`;
    }
    default: return json;
  }
}

/** An object of a rule whose member names are all known. */
export class RuleObject {
  /** The members in order. */
  readonly members: readonly Member[];

  /** Checks the names of the members; an unknown one is refused, because ignoring a misspelt one could widen the answer. */
  constructor(json: string, readonly place: string, known: readonly string[]) {
    if (kindOf(json) !== "object") refuse(place, "is not an object; write {…}");
    this.members = membersOf(json);
    for (const { name } of this.members) {
      if (!known.includes(name)) refuseName(place + token(name), `is unknown; the members here are ${known.join(", ")}`, name, known);
    }
  }

  /** Returns a member as JSON; null if it is absent or null. */
  value(name: string): string | null {
    const value = this.members.find((member) => member.name === name)?.value;
    return value === undefined || value === "null" ? null : value;
  }

  /** Returns the place of a member. */
  at(name: string): string { return this.place + token(name); }
}

/** Returns the members of an object. `mayBeEmpty`: whether a name may be empty, as the JSON Pointer to a whole resource is. */
export function namedMembers(json: string, place: string, mayBeEmpty = false): Member[] {
  if (kindOf(json) !== "object") refuse(place, "is not an object; write {…}");
  const members = membersOf(json);
  if (!mayBeEmpty && members.some(({ name }) => name === "")) refuse(`${place}/`, "is empty; write a name");
  return members;
}

/** Returns the elements of an array. */
export function elements(json: string, place: string): string[] {
  return kindOf(json) === "array" ? elementsOf(json) : refuse(place, "is not an array; write […]");
}

/** Returns the text of a string. */
export function text(json: string, place: string): string {
  return kindOf(json) === "string" ? stringValue(json) : refuse(place, "is not a string; write \"…\"");
}

/** Returns a boolean. */
export function flag(json: string, place: string): boolean {
  return kindOf(json) === "bool" ? json === "true" : refuse(place, "is neither true nor false; write one of them");
}

/** Returns an integer from `least` on. */
export function integer(json: string, least: number, place: string): number {
  const value = /^-?[0-9]{1,18}$/.test(json) ? Number(json) : NaN;
  return value >= least ? value : refuse(place, `is not an integer of ${least} or more`);
}

/** Returns the value of the only member of an object, if it has the given name; otherwise null. */
export function only(json: string, name: string): string | null {
  if (kindOf(json) !== "object") return null;
  const members = membersOf(json);
  return members.length === 1 && members[0].name === name ? members[0].value : null;
}
