import { compareNumbers } from "../json/compare.js";
import { canonicalNumber } from "../json/number.js";
import { elementsOf, kindOf, membersOf, quoted, stringValue } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";

/** A value in sort order: nothing < null < false < true < numbers < strings < arrays and objects. */
export interface OrderValue {
  /** The rank of the value's kind. */
  rank: number;
  /** The text of a string, or the spelling of a number; empty for other kinds. */
  text: string;
}

const MISSING: OrderValue = { rank: 1, text: "" };
const NULL: OrderValue = { rank: 2, text: "" };
const FALSE: OrderValue = { rank: 3, text: "" };
const TRUE: OrderValue = { rank: 4, text: "" };
const NUMBER = 5;
const STRING = 6;
const OTHER: OrderValue = { rank: 7, text: "" };

/** Returns a JSON value in sort order; null is no value. */
export function orderValue(json: string | null): OrderValue {
  if (json === null) return MISSING;
  switch (kindOf(json)) {
    case "null": return NULL;
    case "bool": return json === "true" ? TRUE : FALSE;
    case "number": return { rank: NUMBER, text: json };
    case "string": return { rank: STRING, text: stringValue(json) };
    default: return OTHER;
  }
}

/** Compares two values in sort order: returns a number below 0, 0 or above 0. */
export function compareValues(left: OrderValue, right: OrderValue): number {
  if (left.rank !== right.rank) return left.rank - right.rank;
  if (left.rank === NUMBER) return compareNumbers(left.text, right.text);
  return left.rank === STRING ? compareBytes(left.text, right.text) : 0;
}

/** True if two values can be compared by `lt`, `lte`, `gt` and `gte`. */
export function areComparable(left: OrderValue, right: OrderValue): boolean {
  const kind = comparableKind(left.rank);
  return kind !== 0 && kind === comparableKind(right.rank);
}

function comparableKind(rank: number): number {
  if (rank === FALSE.rank || rank === TRUE.rank) return FALSE.rank;
  return rank === MISSING.rank || rank === OTHER.rank ? 0 : rank;
}

/** Returns a text that is the same for deeply equal values only. */
export function exactCode(json: string): string {
  switch (kindOf(json)) {
    case "number": return canonicalNumber(json);
    case "string": return json.includes("\\") ? quoted(stringValue(json)) : json;
    case "array": return `[${elementsOf(json).map(exactCode).join(",")}]`;
    case "object": {
      const members = membersOf(json).map((member) => `${quoted(member.name)}:${exactCode(member.value)}`);
      return `{${members.sort().join(",")}}`;
    }
    default: return json;
  }
}

/** True if the UTF-8 bytes of a text begin with those of a prefix. */
export function startsWithBytes(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix)) return false;
  // A lone surrogate at the end of the prefix is three bytes; the whole pair in the text is four different ones.
  const last = prefix.charCodeAt(prefix.length - 1);
  const next = text.charCodeAt(prefix.length);
  return !(last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000);
}
