import { CacheError } from "../model/errors.js";
import { isExact } from "./number.js";
import { elementsOf, kindOf, membersOf, quoted, stringValue } from "./text.js";

/** A JSON number that a JavaScript number cannot hold, kept as text. */
export class ExactNumber {
  /** The number as spelled in the JSON. */
  readonly text: string;

  /** Wraps the text of a JSON number. */
  constructor(text: string) { this.text = text; }

  /** The nearest JavaScript number. */
  valueOf(): number { return Number(this.text); }

  /** Returns the number as a `bigint`. Throws a `SyntaxError` if it is not an integer. */
  toBigInt(): bigint { return BigInt(this.text); }

  /** Returns the number as spelled. */
  toString(): string { return this.text; }

  /** Returns the text, which `JSON.stringify` writes as a string; `stringifyExact` writes the number itself. */
  toJSON(): string { return this.text; }
}

/**
 * A JSON value in JavaScript. Numbers that a JavaScript number cannot hold are `ExactNumber`, or `bigint` on request.
 */
export type JsonValue =
  | null | boolean | number | string | bigint | ExactNumber | readonly JsonValue[] | { readonly [name: string]: JsonValue; };

/** How numbers that a JavaScript number cannot hold are returned: as `ExactNumber`, or integers as `bigint`. */
export type NumberMode = "text" | "bigint";

// Matches numbers that may be inexact: those with 16 or more digits, or an exponent. A match inside a string only costs
// time. A number starts the text or follows one of three characters, which hexadecimal strings do not contain.
const MAYBE_INEXACT = /(?:^|[:,[])-?(?:[0-9.]{16}|[0-9.]+[eE])/;

/** Parses valid compact JSON without loss of large numbers. */
export function parseExact(text: string, mode: NumberMode = "text"): JsonValue {
  return MAYBE_INEXACT.test(text) ? slow(text, mode) : JSON.parse(text) as JsonValue;
}

const INTEGER = /^-?[0-9]+$/;

function slow(text: string, mode: NumberMode): JsonValue {
  switch (kindOf(text)) {
    case "string": return stringValue(text);
    case "array": return elementsOf(text).map((element) => slow(element, mode));
    case "object": {
      const object: { [name: string]: JsonValue; } = {};
      for (const member of membersOf(text)) {
        Object.defineProperty(object, member.name, {
          value: slow(member.value, mode), enumerable: true, configurable: true, writable: true,
        });
      }
      return object;
    }
    case "number":
      if (isExact(text)) return Number(text);
      return mode === "bigint" && INTEGER.test(text) ? BigInt(text) : new ExactNumber(text);
    default: return JSON.parse(text) as JsonValue;
  }
}

/** Maximum nesting of a value passed by a program. */
const DEPTH_MAX = 64;

/**
 * Returns a JavaScript value as compact JSON. `bigint` and `ExactNumber` keep their digits; members that are
 * `undefined` or functions are left out; a `Date` is its ISO text. Throws `invalid_params` for values that JSON cannot
 * hold, and for nesting deeper than 64.
 */
export function stringifyExact(value: unknown, depth = 0): string {
  if (depth > DEPTH_MAX) throw new CacheError("invalid_params", `a value nests deeper than ${DEPTH_MAX}: pass a flatter one`);
  switch (typeof value) {
    case "string": return quoted(value);
    case "boolean": return value ? "true" : "false";
    case "bigint": return value.toString();
    case "number":
      if (!Number.isFinite(value)) throw new CacheError("invalid_params", `${value} is not JSON: pass a finite number`);
      return Object.is(value, -0) ? "0" : String(value);
    case "undefined": return "null";
    case "object": break;
    default: throw new CacheError("invalid_params", `a ${typeof value} is not JSON: pass a value of JSON`);
  }
  if (value === null) return "null";
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map((element) => stringifyExact(element, depth + 1)).join(",")}]`;
  if (hasJson(value)) return stringifyExact(value.toJSON(), depth + 1);
  const members = Object.entries(value).filter(([, member]) => member !== undefined && typeof member !== "function");
  return `{${members.map(([name, member]) => `${quoted(name)}:${stringifyExact(member, depth + 1)}`).join(",")}}`;
}

function hasJson(value: object): value is { toJSON(): unknown; } {
  return "toJSON" in value && typeof (value as { toJSON: unknown; }).toJSON === "function";
}
