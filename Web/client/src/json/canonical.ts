import { compareBytes } from "./utf8.js";
import { elementsOf, kindOf, membersOf, quoted, stringValue } from "./text.js";

/** Returns the canonical form of a valid compact value: members sorted, strings escaped one way, numbers as they came. */
export function canonical(json: string): string {
  switch (kindOf(json)) {
    case "string": return quoted(stringValue(json));
    case "array": return `[${elementsOf(json).map(canonical).join(",")}]`;
    case "object": {
      const members = membersOf(json).sort((left, right) => compareBytes(left.name, right.name));
      return `{${members.map((member) => `${quoted(member.name)}:${canonical(member.value)}`).join(",")}}`;
    }
    default: return json;
  }
}
