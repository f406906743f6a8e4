/** A JSON number as written. JavaScript would change some: 1.10, 1e400 and those past 2^53. */
export class NumberText {
  /** Wraps the text of a number. */
  constructor(readonly text: string) { }
}

/** A JSON object that preserves the order of its members, repeated ones included. */
export class JsonObject {
  /** Creates an object of members in order. */
  constructor(readonly members: readonly (readonly [string, Json])[]) { }

  /** Returns the value of a member, the last one if it is repeated; undefined if there is none. */
  get(name: string): Json | undefined {
    for (let index = this.members.length - 1; index >= 0; index -= 1) if (this.members[index][0] === name) return this.members[index][1];
    return undefined;
  }
}

/** A JSON value that preserves numbers and objects exactly. */
export type Json = null | boolean | string | NumberText | readonly Json[] | JsonObject;

/** Maximum depth of nested containers. A cache admits 256. */
const DEPTH_MAX = 400;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;

/** A syntax error in a JSON text. */
export class JsonError extends Error {
  /** Creates an error at an offset in characters. */
  constructor(readonly offset: number, message: string) { super(`${message} at character ${offset + 1}`); }
}

class Reader {
  private offset = 0;

  constructor(private readonly text: string) { }

  whole(): Json {
    const value = this.value(0);
    this.space();
    if (this.offset < this.text.length) throw new JsonError(this.offset, "there is more after the value");
    return value;
  }

  private space(): void {
    SPACE.lastIndex = this.offset;
    SPACE.test(this.text);
    this.offset = SPACE.lastIndex;
  }

  private value(depth: number): Json {
    this.space();
    if (depth > DEPTH_MAX) throw new JsonError(this.offset, "too many arrays and objects are open");
    switch (this.text[this.offset]) {
      case "{": return this.object(depth);
      case "[": return this.array(depth);
      case "\"": return this.string();
      case "t": return this.word("true", true);
      case "f": return this.word("false", false);
      case "n": return this.word("null", null);
      default: return this.number();
    }
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.offset)) throw new JsonError(this.offset, "there is no value");
    this.offset += word.length;
    return value;
  }

  private number(): NumberText {
    NUMBER.lastIndex = this.offset;
    const match = NUMBER.exec(this.text);
    if (match === null) throw new JsonError(this.offset, this.offset < this.text.length ? "there is no value" : "the text ends too early");
    this.offset = NUMBER.lastIndex;
    return new NumberText(match[0]);
  }

  private string(): string {
    const start = this.offset;
    this.offset += 1;
    let isPlain = true;
    for (; ;) {
      PLAIN.lastIndex = this.offset;
      PLAIN.test(this.text);
      this.offset = PLAIN.lastIndex;
      const next = this.text[this.offset];
      if (next === "\"") break;
      if (next !== "\\") throw new JsonError(this.offset, next === undefined ? "the text ends in a string" : "a string holds a control character");
      isPlain = false;
      this.offset += 2;
    }
    this.offset += 1;
    const text = this.text.slice(start, this.offset);
    if (isPlain) return text.slice(1, -1);
    try {
      return JSON.parse(text) as string;
    } catch {
      throw new JsonError(start, "a string has an escape that does not exist");
    }
  }

  private array(depth: number): Json[] {
    const elements: Json[] = [];
    this.offset += 1;
    this.space();
    if (this.ends("]")) return elements;
    for (; ;) {
      elements.push(this.value(depth + 1));
      this.space();
      if (this.ends("]")) return elements;
      this.expect(",", "a comma is missing");
    }
  }

  private object(depth: number): JsonObject {
    const members: [string, Json][] = [];
    this.offset += 1;
    this.space();
    if (this.ends("}")) return new JsonObject(members);
    for (; ;) {
      this.space();
      if (this.text[this.offset] !== "\"") throw new JsonError(this.offset, "a member's name is missing");
      const name = this.string();
      this.space();
      this.expect(":", "a colon is missing");
      members.push([name, this.value(depth + 1)]);
      this.space();
      if (this.ends("}")) return new JsonObject(members);
      this.expect(",", "a comma is missing");
    }
  }

  private ends(bracket: string): boolean {
    if (this.text[this.offset] !== bracket) return false;
    this.offset += 1;
    return true;
  }

  private expect(character: string, message: string): void {
    if (this.text[this.offset] !== character) throw new JsonError(this.offset, message);
    this.offset += 1;
  }
}

/** Parses JSON. Throws a `JsonError` with the offset of the error. */
export function parse(text: string): Json { return new Reader(text).whole(); }

/** Returns a value as JSON on one line. */
export function stringify(value: Json): string {
  if (value instanceof NumberText) return value.text;
  if (value instanceof JsonObject) return `{${value.members.map(([name, member]) => `${JSON.stringify(name)}:${stringify(member)}`).join(",")}}`;
  if (isArray(value)) return `[${value.map(stringify).join(",")}]`;
  return JSON.stringify(value);
}

/** True if a value is an array. */
export function isArray(value: Json | undefined): value is readonly Json[] { return Array.isArray(value); }

/** Converts plain objects, arrays, strings and numbers to JSON values. Members that are undefined are left out. */
export function json(value: unknown): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return new NumberText(String(value));
  if (value instanceof NumberText || value instanceof JsonObject) return value;
  if (Array.isArray(value)) return value.map(json);
  return new JsonObject(Object.entries(value as object).filter(([, member]) => member !== undefined).map(([name, member]) => [name, json(member)]));
}

/** True if two values are equal as JSON text, or both undefined. */
export function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  return stringify(left) === stringify(right);
}

/** Returns a member, or without `name` the value itself, if it is an object; otherwise an empty object. */
export function object(value: Json | undefined, name?: string): JsonObject {
  const found = name === undefined ? value : member(value, name);
  return found instanceof JsonObject ? found : EMPTY;
}

const EMPTY = new JsonObject([]);

/** Returns a member of an object; undefined if there is none or the value is no object. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return value instanceof JsonObject ? value.get(name) : undefined;
}

/** Returns a member that is an array; otherwise an empty array. */
export function list(value: Json | undefined, name: string): readonly Json[] {
  const found = member(value, name);
  return isArray(found) ? found : [];
}

/** Returns a member that is a string; null otherwise. */
export function text(value: Json | undefined, name: string): string | null {
  const found = member(value, name);
  return typeof found === "string" ? found : null;
}

/** Returns a member that is a number; null otherwise. Large numbers are rounded. */
export function number(value: Json | undefined, name: string): number | null {
  const found = member(value, name);
  return found instanceof NumberText ? Number(found.text) : null;
}

/** True if a member is true. */
export function flag(value: Json | undefined, name: string): boolean { return member(value, name) === true; }
