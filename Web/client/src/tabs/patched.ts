// Applies the steps of a patch (RFC 6902) to a list of JSON texts, and inside them. Numbers keep their spelling.

import { elementsOf, kindOf, memberOf, membersOf, quoted, stringValue } from "../json/text.js";

/** Applies one step to a list. */
export function patched(list: string[], step: string): void {
  const path = tokensIn(step, "path");
  const value = memberOf(step, "value") ?? "null";
  switch (memberOf(step, "op")) {
    case "\"remove\"": take(list, path); break;
    case "\"add\"": put(list, path, value, true); break;
    case "\"replace\"": put(list, path, value, false); break;
    case "\"move\"": put(list, path, take(list, tokensIn(step, "from")), true);
  }
}

function tokensIn(step: string, name: string): string[] {
  const path = stringValue(memberOf(step, name) ?? "\"/0\"");
  return path.split("/").slice(1).map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"));
}

function put(list: string[], [token, ...rest]: readonly string[], value: string, isNew: boolean): void {
  const at = Number(token);
  if (rest.length > 0) list[at] = changed(list[at], rest, value, isNew);
  else list.splice(at, isNew ? 0 : 1, value);
}

/** Removes a value, and returns it. */
function take(list: string[], path: readonly string[]): string {
  const [token, ...rest] = path;
  const at = Number(token);
  if (rest.length === 0) return list.splice(at, 1)[0];
  const value = valueAt(list[at], rest);
  list[at] = changed(list[at], rest, null, false);
  return value;
}

function valueAt(json: string, path: readonly string[]): string {
  return path.reduce((value, token) => (kindOf(value) === "array" ? elementsOf(value)[Number(token)] : memberOf(value, token)) ?? "null", json);
}

/** Returns a container with the value at a path added or replaced, or removed if `value` is null. */
function changed(json: string, [token, ...rest]: readonly string[], value: string | null, isNew: boolean): string {
  const inner = (own: string): string => changed(own, rest, value, isNew);
  if (kindOf(json) === "array") {
    const elements = elementsOf(json);
    const at = Number(token);
    if (rest.length > 0) elements[at] = inner(elements[at]);
    else elements.splice(at, isNew ? 0 : 1, ...value === null ? [] : [value]);
    return `[${elements.join(",")}]`;
  }
  const members = membersOf(json).map(({ name, value: own }): [string, string] => [name, own]);
  const at = members.findIndex(([name]) => name === token);
  if (rest.length > 0) members[at] = [token, inner(members[at][1])];
  else if (value === null) members.splice(at, 1);
  else if (at < 0) members.push([token, value]);
  else members[at] = [token, value];
  return `{${members.map(([name, own]) => `${quoted(name)}:${own}`).join(",")}}`;
}
