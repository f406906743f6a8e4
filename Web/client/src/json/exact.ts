import { CacheError } from "../model/errors.js";
import { isExact } from "./number.js";
import { elementsOf, kindOf, membersOf, quoted, stringValue } from "./text.js";

/** A number that no JavaScript number has the value of, as its text. */
export class ExactNumber {
  /** The number as it was spelled. */
  readonly text: string;

  constructor(text: string) { this.text = text; }

  /** The nearest JavaScript number. */
  valueOf(): number { return Number(this.text); }

  /** The number as an integer. Throws a `SyntaxError` when it is none. */
  toBigInt(): bigint { return BigInt(this.text); }

  toString(): string { return this.text; }

  /** What `JSON.stringify` writes: the text as a string, since it cannot write the number. `stringifyExact` can. */
  toJSON(): string { return this.text; }
}

/** A JSON value in JavaScript; numbers that are not exact there are `ExactNumber`, or `bigint` on request. */
export type JsonValue =
  | null | boolean | number | string | bigint | ExactNumber | readonly JsonValue[] | { readonly [name: string]: JsonValue; };

/** How numbers that a JavaScript number cannot hold are given out. */
export type NumberMode = "text" | "bigint";

// A number with more digits, or with an exponent, may not be exact. What looks so inside a string only costs time: a
// number comes first, or after one of three characters, which texts of hexadecimal digits do not have.
const MAYBE_INEXACT = /(?:^|[:,[])-?(?:[0-9.]{16}|[0-9.]+[eE])/;

/** Reads a valid compact JSON text. */
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

/** The nesting that a value of a program may have. */
const DEPTH_MAX = 64;

/**
 * Writes a JavaScript value as compact JSON. `bigint` and `ExactNumber` keep their digits; members that are
 * `undefined` are left out, and so are functions; a `Date` is its ISO text. Throws `invalid_params` for what is not JSON.
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
