import { quoted } from "../json/text.js";
import type { JsonValue, NumberMode } from "../json/exact.js";
import { Raw } from "./raw.js";

/** An answer of the cache: a JSON value that may contain stored resources. Members that are undefined are left out. */
export type Out = null | undefined | boolean | number | bigint | string | Raw | readonly Out[] | { readonly [name: string]: Out; };

/** Returns an answer as compact JSON. */
export function textOf(out: Out): string {
  if (out === null || out === undefined) return "null";
  switch (typeof out) {
    case "string": return quoted(out);
    case "object": break;
    default: return String(out);
  }
  if (out instanceof Raw) return out.text;
  if (isList(out)) return `[${out.map(textOf).join(",")}]`;
  const members = Object.entries(out).filter(([, value]) => value !== undefined);
  return `{${members.map(([name, value]) => `${quoted(name)}:${textOf(value)}`).join(",")}}`;
}

/** Returns an answer as a JavaScript value. Resources are parsed once and shared. */
export function valueOf(out: Out, mode: NumberMode): JsonValue {
  if (out === null || out === undefined) return null;
  if (typeof out !== "object") return out;
  if (out instanceof Raw) return out.value(mode);
  if (isList(out)) return out[0] instanceof Raw ? resourcesOf(out, mode) : out.map((element) => valueOf(element, mode));
  const value: { [name: string]: JsonValue; } = {};
  for (const [name, member] of Object.entries(out)) if (member !== undefined) value[name] = valueOf(member, mode);
  return value;
}

/** Returned lists by their source: an unchanged list is the same object again. */
const lists = new WeakMap<readonly Out[], readonly JsonValue[]>();

function resourcesOf(resources: readonly Out[], mode: NumberMode): readonly JsonValue[] {
  let list = lists.get(resources);
  if (list === undefined) lists.set(resources, list = resources.map((element) => valueOf(element, mode)));
  return list;
}

function isList(out: readonly Out[] | { readonly [name: string]: Out; }): out is readonly Out[] { return Array.isArray(out); }
