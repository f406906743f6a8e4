import { Pointer } from "../json/pointer.js";
import { refuse, refuseName } from "./fault.js";
import type { Include, Output, Reference, SourcePath } from "./rule.js";
import { text } from "./rule-json.js";
import type { Meaning } from "./scope.js";

const SHARED_COUNT_MAX = 1_000;
const shared = new Map<string, Pointer>();

/** Returns a pointer. Equal pointers are one object, as far as there are not too many, so that each value is read once. */
export function pointerOf(written: string, place: string): Pointer {
  const known = shared.get(written);
  if (known !== undefined) return known;
  const pointer = Pointer.parse(written);
  if (typeof pointer === "string") return refuse(place, pointer);
  if (shared.size < SHARED_COUNT_MAX) shared.set(written, pointer);
  return pointer;
}

/** Returns the pointer that leads from a value at one pointer to the value at the other. */
function appended(pointer: Pointer, rest: Pointer, place: string): Pointer { return pointerOf(written(pointer) + written(rest), place); }

function written(pointer: Pointer): string {
  return pointer.path.map(({ name }) => `/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");
}

/** Returns a pointer without its first tokens. */
function without(pointer: Pointer, count: number): Pointer {
  return pointerOf(pointer.path.slice(count).map(({ name }) => `/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`).join(""), "");
}

/** Splits a path after its alias. */
export function split(path: string): { alias: string; rest: string; } {
  const at = path.indexOf("/");
  return at < 0 ? { alias: path, rest: "" } : { alias: path.slice(0, at), rest: path.slice(at) };
}

/** Parses a path to a value of a source. */
export function sourcePath(json: string, place: string, meaning: Meaning): SourcePath {
  const reference = referenceOf(json, place, meaning);
  return reference.is === "source" ? reference.path : refuse(place, "is no path to a source; write an alias and a JSON Pointer");
}

/** Parses a path. */
export function referenceOf(json: string, place: string, { scope, slash }: Meaning): Reference {
  const path = text(json, place);
  if (path !== "" && !path.startsWith("/")) {
    const { alias, rest } = split(path);
    return { is: "source", path: { slot: scope.slot(alias, place), pointer: pointerOf(rest, place) } };
  }
  const pointer = pointerOf(path, place);
  switch (slash.is) {
    case "own": return { is: "source", path: { slot: slash.slot, pointer } };
    case "output": return outputOf(pointer, place, slash.output, slash.includes);
    case "aggregates": return aggregateOf(pointer, place, slash.includes);
    case "nothing": return refuse(place, "does not begin with an alias; write one before the pointer, such as \"issue/title\"");
  }
}

function outputOf(pointer: Pointer, place: string, output: Output, includes: readonly Include[]): Reference {
  if (pointer.path.length === 0) return refuse(place, "names the whole row; name one of its members");
  const { name } = pointer.path[0];
  if (includes.some((include) => include.name === name)) return aggregateOf(pointer, place, includes);
  const known = includes.map((include) => include.name);
  switch (output.is) {
    case "resource": return { is: "source", path: { slot: output.slot, pointer } };
    case "resources": {
      const source = output.sources.find((own) => own.name === name);
      if (source !== undefined) return { is: "source", path: { slot: source.slot, pointer: without(pointer, 1) } };
      known.push(...output.sources.map((own) => own.name));
      break;
    }
    case "members": {
      const path = output.members.find((member) => member.name === name)?.path;
      if (path !== undefined) return { is: "source", path: { slot: path.slot, pointer: appended(path.pointer, without(pointer, 1), place) } };
      known.push(...output.members.map((member) => member.name));
      break;
    }
    case "groups": {
      const names = [...output.groups.keys ?? [], ...output.groups.aggregates].map((member) => member.name);
      const index = names.indexOf(name);
      if (index >= 0) return { is: "member", index, pointer: without(pointer, 1) };
      known.push(...names);
    }
  }
  return refuseName(place, `is no member of the output row: "${name}"`, name, known);
}

function aggregateOf(pointer: Pointer, place: string, includes: readonly Include[]): Reference {
  const [first, second] = pointer.path.map(({ name }) => name);
  const index = includes.findIndex((include) => include.name === first);
  if (index < 0) return refuseName(place, `is no include with aggregates: "${first ?? ""}"`, first ?? "", includes.map(({ name }) => name));
  const { output } = includes[index].body;
  if (output.is !== "groups" || output.groups.keys !== null) {
    return refuse(place, "leads into an include that has no aggregates, or groups; only aggregates decide");
  }
  const names = output.groups.aggregates.map(({ name }) => name);
  if (second === undefined || !names.includes(second)) {
    return refuseName(place, `is no aggregate of the include: "${second ?? ""}"`, second ?? "", names);
  }
  return { is: "include", index, pointer: without(pointer, 1) };
}
