import { kindOf, stringValue } from "../json/text.js";
import { hasLoneSurrogate, isLonger } from "../json/utf8.js";

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const UPPER = /[A-F]/;

/** Returns the canonical form of an id: a UUID in lower case, any other text unchanged. */
export function canonicalId(id: string): string {
  return id.length === 36 && UPPER.test(id) && UUID.test(id) ? id.toLowerCase() : id;
}

/** Returns the id in a JSON string or integer, in canonical form; null if the value is no id. */
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

/** True if an id has more than `byteCountMax` bytes. */
export function isIdTooLong(id: string, byteCountMax: number): boolean { return isLonger(id, byteCountMax); }

const TYPE = /^[A-Za-z0-9_.-]+$/;

/** True if a text is a valid type name: at most `byteCountMax` characters of `[A-Za-z0-9_.-]`, and at least one. */
export function isType(text: string, byteCountMax: number): boolean {
  return text.length <= byteCountMax && TYPE.test(text);
}
