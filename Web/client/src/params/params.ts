import { elementsOf, kindName, kindOf, membersOf, stringValue } from "../json/text.js";
import { byteLength, hasLoneSurrogate } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import { parseSequence, SEQUENCE_MAX } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { canonicalId, isType } from "../wire/identity.js";

const TEXT_BYTE_COUNT_MAX = 1_024;
const SECONDS_MAX = 1e12;

/** Throws `invalid_params`. */
export function refuse(message: string): never { throw new CacheError("invalid_params", message); }

/**
 * The members of a request's params. Each accessor checks its member and throws `invalid_params` if it is wrong; null
 * means absent or null.
 */
export class Params {
  private readonly members: ReadonlyMap<string, string>;
  private readonly path: string;

  /** Parses an object; `path` is its place within the params, for messages. */
  constructor(json: string, path = "") {
    if (kindOf(json) !== "object") {
      refuse(path === "" ? `params are ${kindName(json)}: pass an object, params go by name` : `${path} is ${kindName(json)}: pass an object`);
    }
    this.members = new Map(membersOf(json).map((member) => [member.name, member.value]));
    this.path = path === "" ? "" : `${path}.`;
  }

  /** The names of the members. */
  get names(): Iterable<string> { return this.members.keys(); }

  /** Returns a member as JSON; null if it is absent or null. */
  value(name: string): string | null {
    const value = this.members.get(name);
    return value === undefined || value === "null" ? null : value;
  }

  /** True if the member is present, even as null. */
  holds(name: string): boolean { return this.members.has(name); }

  /** Returns the full name of a member, for messages. */
  name(name: string): string { return this.path + name; }

  /** Throws `invalid_params` for a member; `wanted` says what to pass. */
  wrong(name: string, wanted: string): never {
    const value = this.value(name);
    return refuse(`${this.path}${name} ${value === null ? "is missing" : found(value)}: pass ${wanted}`);
  }

  /** Throws `invalid_params` for an element of an array. */
  wrongElement(name: string, index: number, json: string, wanted: string): never {
    return refuse(`${this.path}${name}[${index}] ${found(json)}: pass ${wanted}`);
  }

  /** Returns a string member of at most `byteCountMax` bytes. */
  text(name: string, byteCountMax = TEXT_BYTE_COUNT_MAX): string | null {
    const value = this.value(name);
    if (value === null) return null;
    const text = textOf(value);
    if (text === null) return this.wrong(name, "a string");
    if (byteLength(text) > byteCountMax) refuse(`${this.path}${name} has ${byteLength(text)} bytes: pass a string of at most ${byteCountMax}`);
    return text;
  }

  /** Returns a string member that must be present. */
  requiredText(name: string): string {
    const text = this.text(name);
    return text === null || text === "" ? this.wrong(name, "a string that is not empty") : text;
  }

  /** Returns a boolean member; false if absent. */
  flag(name: string): boolean {
    const value = this.value(name);
    if (value === null) return false;
    return kindOf(value) === "bool" ? value === "true" : this.wrong(name, "true or false");
  }

  /** Returns an integer member from `min` to `max`. */
  integer(name: string, min: number, max: number): number | null {
    const value = this.value(name);
    if (value === null) return null;
    const number = /^-?[0-9]+$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max)) refuse(`${this.path}${name} is ${value.slice(0, 40)}: pass a whole number from ${min} to ${max}`);
    return number;
  }

  /** Returns a sequence. */
  sequence(name: string): Sequence | null {
    const value = this.value(name);
    if (value === null) return null;
    const sequence = parseSequence(value);
    return sequence ?? refuse(`${this.path}${name} is ${value.slice(0, 40)}: pass a whole number from 0 to ${SEQUENCE_MAX}`);
  }

  /** Returns a member given in seconds, converted to milliseconds. */
  milliseconds(name: string): number | null {
    const value = this.value(name);
    if (value === null) return null;
    const seconds = kindOf(value) === "number" ? Number(value) : NaN;
    return seconds >= 0 && seconds <= SECONDS_MAX ? Math.round(seconds * 1_000) : this.wrong(name, `seconds, from 0 to ${SECONDS_MAX}`);
  }

  /** Returns an object as JSON. */
  object(name: string): string | null {
    const value = this.value(name);
    return value === null || kindOf(value) === "object" ? value : this.wrong(name, "an object");
  }

  /** Returns the elements of an array as JSON, at most `countMax`. */
  elements(name: string, countMax: number): string[] | null {
    const value = this.value(name);
    if (value === null) return null;
    if (kindOf(value) !== "array") return this.wrong(name, "an array");
    const elements = elementsOf(value);
    if (elements.length <= countMax) return elements;
    throw new CacheError("limit_exceeded", `${this.path}${name} has ${elements.length} elements: pass at most ${countMax} at once`);
  }

  /** Returns an array of strings, at most `countMax`. */
  texts(name: string, countMax: number): string[] | null {
    return this.elements(name, countMax)?.map((element, index) =>
      textOf(element) ?? refuse(`${this.path}${name}[${index}] ${found(element)}: pass an array of strings`)) ?? null;
  }

  /** Returns an array of objects as JSON, at most `countMax`. */
  objects(name: string, countMax: number): string[] | null {
    return this.elements(name, countMax)?.map((element, index) => kindOf(element) === "object"
      ? element : refuse(`${this.path}${name}[${index}] is ${kindName(element)}: pass an object`)) ?? null;
  }

  /** Returns `resource_type`; null if absent. */
  optionalType(limits: Limits): string | null {
    const type = this.text("resource_type", limits.typeByteCountMax);
    if (type !== null && !isType(type, limits.typeByteCountMax)) {
      refuse(`${this.path}resource_type is '${type}': pass letters, digits and _ . - only`);
    }
    return type;
  }

  /** Returns `resource_type`, which must be present. */
  type(limits: Limits): string { return this.optionalType(limits) ?? this.wrong("resource_type", "the type of the resource"); }

  /** Returns `id` in canonical form; it must be present. */
  id(limits: Limits): string {
    const value = this.value("id");
    return value === null ? this.wrong("id", "a string or an integer") : idParam(value, this.name("id"), limits);
  }

  /** Returns `ids` in canonical form. */
  ids(limits: Limits): string[] | null {
    return this.elements("ids", limits.batchMemberCountMax)?.map(
      (element, index) => idParam(element, `${this.name("ids")}[${index}]`, limits)) ?? null;
  }
}

/** Returns an id in canonical form. Throws `invalid_params` if the value is no id. */
export function idParam(json: string, name: string, limits: Limits): string { return canonicalId(idText(json, name, limits)); }

/** Returns an id as given. Throws `invalid_params` if the value is no id. */
export function idText(json: string, name: string, limits: Limits): string {
  const isInteger = /^-?[0-9]+$/.test(json);
  if (kindOf(json) === "string" && textOf(json) === null) refuse(`${name} ${found(json)}: pass whole characters`);
  const id = isInteger ? json : textOf(json);
  if (id === null || id === "") return refuse(`${name} is not an id: pass a string that is not empty, or an integer`);
  if (byteLength(id) > limits.idByteCountMax) refuse(`${name} has ${byteLength(id)} bytes: pass an id of at most ${limits.idByteCountMax}`);
  return id;
}

/** Returns the text of a JSON string; null for another value, and for a string with a lone surrogate. */
export function textOf(json: string): string | null {
  if (kindOf(json) !== "string") return null;
  const text = stringValue(json);
  return json.includes("\\") && hasLoneSurrogate(text) ? null : text;
}

function found(json: string): string {
  return kindOf(json) === "string" && textOf(json) === null
    ? "has half a surrogate pair, which is not a character" : `is ${kindName(json)}`;
}
