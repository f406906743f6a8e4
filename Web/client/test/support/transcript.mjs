// Compares the output of a cache with a transcript. Protocol/vectors/README.md, transcripts.

import { elementsOf, kindOf, memberOf, membersOf, stringValue } from "../../dist/json/text.js";

/** True if a line is written at a time of its own and may therefore be unexpected. */
export function isPassedOver(line) {
  if (kindOf(line) !== "object" || memberOf(line, "id") !== null) return false;
  return ["\"durable\"", "\"library.state\""].includes(memberOf(line, "method"));
}

function nameOf(json) {
  if (kindOf(json) !== "string") return null;
  const text = stringValue(json);
  return text.startsWith("<=") && text.endsWith(">") ? text.slice(2, -1) : null;
}

/** The values bound to the names in a transcript. */
export class Comparison {
  bound = new Map();

  /** Returns whether a line matches the expected one, and binds names if it does. */
  takes(wanted, line) {
    const before = new Map(this.bound);
    if (this.matches(wanted, line)) return true;
    this.bound = before;
    return false;
  }

  /** Returns a host's line with its names replaced, as it is sent. */
  hostLine(json) { return kindOf(json) === "string" && nameOf(json) === null ? stringValue(json) : this.substituted(json); }

  matches(wanted, found) {
    if (kindOf(wanted) === "string") {
      if (stringValue(wanted) === "<any>") return true;
      const name = nameOf(wanted);
      if (name !== null) {
        if (!this.bound.has(name)) this.bound.set(name, found);
        return this.bound.get(name) === found;
      }
      return kindOf(found) === "string" && stringValue(wanted) === stringValue(found);
    }
    if (kindOf(wanted) !== kindOf(found)) return false;
    if (kindOf(wanted) === "object") {
      const members = membersOf(wanted);
      const named = members.filter((member) => member.name !== "...");
      const own = new Map(membersOf(found).map((member) => [member.name, member.value]));
      if (named.length === members.length && named.length !== own.size) return false;
      return named.every((member) => own.has(member.name) && this.matches(member.value, own.get(member.name)));
    }
    if (kindOf(wanted) === "array") {
      const elements = elementsOf(wanted);
      const own = elementsOf(found);
      return elements.length === own.length && elements.every((element, index) => this.matches(element, own[index]));
    }
    return wanted === found;
  }

  substituted(json) {
    const name = nameOf(json);
    if (name !== null) return this.bound.get(name) ?? json;
    if (kindOf(json) === "object") {
      return `{${membersOf(json).map((member) => `${member.spelled}:${this.substituted(member.value)}`).join(",")}}`;
    }
    return kindOf(json) === "array" ? `[${elementsOf(json).map((element) => this.substituted(element)).join(",")}]` : json;
  }
}
