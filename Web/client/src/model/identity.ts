import { hasLoneSurrogate, isLonger } from "../json/utf8.js";
import { kindOf, stringValue } from "../json/text.js";

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const UPPER = /[A-F]/;

/** Returns the form in which an id is keyed: a UUID in lower case, any other text as it is. */
export function canonicalId(id: string): string {
  return id.length === 36 && UPPER.test(id) && UUID.test(id) ? id.toLowerCase() : id;
}

/** Returns the id that a JSON value stands for; null when it is none. */
export function idOf(json: string): string | null {
  switch (kindOf(json)) {
    case "string": {
      const text = stringValue(json);
      return text === "" || json.includes("\\") && hasLoneSurrogate(text) ? null : canonicalId(text);
    }
    case "number": return INTEGER.test(json) ? json : null;
    default: return null;
  }
}

/** Tells whether an id is longer than it may be. */
export function isIdTooLong(id: string, byteCountMax: number): boolean { return isLonger(id, byteCountMax); }

const TYPE = /^[A-Za-z0-9_.-]+$/;

/** Tells whether a text is the name of a type. */
export function isType(text: string, byteCountMax: number): boolean {
  return text.length <= byteCountMax && TYPE.test(text);
}
