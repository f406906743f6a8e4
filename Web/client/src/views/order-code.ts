// Texts whose order by code units is an order of values: a sort key is one text, and comparing two of them is one step.

import { parts } from "../json/number.js";
import { kindOf, stringValue } from "../json/text.js";

/** Makes exponents positive. They fit into three digits of 12 bits then. */
const EXPONENT_OFFSET = 2 ** 33;
const HIGH = /[\ud800-\uffff]/;
const HIGH_UNITS = /[\ud800-\uffff]/g;
const ZERO_UNITS = /\0/g;

/** Returns the order code of a JSON value; null is no value. Arrays and objects are all equal. */
export function orderCode(json: string | null): string {
  if (json === null) return "\u0001";
  switch (kindOf(json)) {
    case "null": return "\u0002";
    case "bool": return json === "true" ? "\u0004" : "\u0003";
    case "number": return numberCode(json);
    case "string": return `\u0008${textCode(stringValue(json))}`;
    default: return "\u0009";
  }
}

/** Returns the order code of a component of an order. */
export function componentCode(json: string | null, isDescending: boolean): string {
  const code = orderCode(json);
  return isDescending ? inverted(code) : code;
}

/** Returns the order code of an id; no entity comes first. */
export function idCode(id: string | null): string { return id === null ? "\0" : `\u0001${textCode(id)}`; }

/** Returns a code that orders texts by their UTF-8 bytes, and a text before all that begin with it. */
export function textCode(text: string): string {
  let code = text;
  // UTF-8 has the characters of surrogate pairs after all others, UTF-16 before the last ones of the others.
  if (HIGH.test(code)) {
    code = code.replace(HIGH_UNITS, (unit) => {
      const own = unit.charCodeAt(0);
      return String.fromCharCode(own < 0xe000 ? own + 0x2000 : own - 0x800);
    });
  }
  if (code.includes("\0")) code = code.replace(ZERO_UNITS, "\0\uffff");
  return `${code}\0\0`;
}

function numberCode(json: string): string {
  const { isNegative, digits, exponent } = parts(json);
  if (digits === "") return "\u0006";
  const place = exponent + EXPONENT_OFFSET;
  const code = `${String.fromCharCode(Math.floor(place / 2 ** 24), Math.floor(place / 2 ** 12) % 4096, place % 4096)}${digits}\0`;
  return isNegative ? `\u0005${inverted(code)}` : `\u0007${code}`;
}

function inverted(code: string): string {
  let text = "";
  for (let at = 0; at < code.length; at += 1) text += String.fromCharCode(0xffff - code.charCodeAt(at));
  return text;
}
