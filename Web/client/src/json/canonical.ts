import { compareBytes } from "./utf8.js";
import { elementsOf, kindOf, membersOf, quoted, stringValue } from "./text.js";

/** Returns the canonical form of valid compact JSON: sorted members, uniformly escaped strings, numbers as spelled. */
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
