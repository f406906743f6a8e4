import { elementsOf, kindOf, membersOf, stringValue } from "../json/text.js";
import { exactCode } from "./value.js";

/** Parses the hints of a bulk event: names, and the values that affected queries have for them. */
export function hintsOf(json: string): ReadonlyMap<string, string> {
  return new Map(membersOf(json).map((member) => [member.name, exactCode(member.value)]));
}

/** True if hints concern a query: no hinted name occurs in its input or tags with only other values. */
export function areConcerned(hints: ReadonlyMap<string, string>, input: string, tags: string): boolean {
  const seen = new Map<string, boolean>();
  const look = (json: string): void => {
    if (kindOf(json) === "object") {
      for (const member of membersOf(json)) {
        const wanted = hints.get(member.name);
        if (wanted !== undefined) {
          seen.set(member.name, seen.get(member.name) === true || exactCode(member.value) === wanted);
        }
        look(member.value);
      }
    } else if (kindOf(json) === "array") {
      elementsOf(json).forEach(look);
    }
  };
  look(input);
  if (tags !== "") look(tags);
  return [...seen.values()].every((isEqual) => isEqual);
}

/** True if the wanted tags, an array of names or an object, match the tags of a query. */
export function areTagged(wanted: string, tags: string): boolean {
  if (tags === "") return false;
  if (kindOf(wanted) === "object") {
    if (kindOf(tags) !== "object") return false;
    const own = hintsOf(tags);
    return [...hintsOf(wanted)].every(([name, code]) => own.get(name) === code);
  }
  const names = new Set(elementsOf(wanted).filter((element) => kindOf(element) === "string").map(stringValue));
  return kindOf(tags) === "object"
    ? membersOf(tags).some((member) => names.has(member.name))
    : elementsOf(tags).some((element) => kindOf(element) === "string" && names.has(stringValue(element)));
}
