/** A number as it was written. JavaScript would change some: 1.10, 1e400 and those past 2^53. */
export class NumberText {
  constructor(readonly text: string) { }
}

/** An object whose members keep their order and their names, whatever these are. */
export class JsonObject {
  constructor(readonly members: readonly (readonly [string, Json])[]) { }

  /** Returns a member; of repeated ones the last. */
  get(name: string): Json | undefined {
    for (let index = this.members.length - 1; index >= 0; index -= 1) if (this.members[index][0] === name) return this.members[index][1];
    return undefined;
  }
}

export type Json = null | boolean | string | NumberText | readonly Json[] | JsonObject;

/** The containers that may be open at once. A cache admits 256. */
const DEPTH_MAX = 400;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;

/** An error in a text that should be JSON, with its place. */
export class JsonError extends Error {
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

/** Reads JSON. Throws a `JsonError` with the place of the mistake. */
export function parse(text: string): Json { return new Reader(text).whole(); }

/** Writes JSON on one line. */
export function stringify(value: Json): string {
  if (value instanceof NumberText) return value.text;
  if (value instanceof JsonObject) return `{${value.members.map(([name, member]) => `${JSON.stringify(name)}:${stringify(member)}`).join(",")}}`;
  if (isArray(value)) return `[${value.map(stringify).join(",")}]`;
  return JSON.stringify(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] { return Array.isArray(value); }

/** Makes JSON of a value of this program: plain objects, arrays, strings, numbers. Members that are undefined are left out. */
export function json(value: unknown): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return new NumberText(String(value));
  if (value instanceof NumberText || value instanceof JsonObject) return value;
  if (Array.isArray(value)) return value.map(json);
  return new JsonObject(Object.entries(value as object).filter(([, member]) => member !== undefined).map(([name, member]) => [name, json(member)]));
}

export function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  return stringify(left) === stringify(right);
}

/** Returns a member that is an object; an empty one for anything else. */
export function object(value: Json | undefined, name?: string): JsonObject {
  const found = name === undefined ? value : member(value, name);
  return found instanceof JsonObject ? found : EMPTY;
}

const EMPTY = new JsonObject([]);

export function member(value: Json | undefined, name: string): Json | undefined {
  return value instanceof JsonObject ? value.get(name) : undefined;
}

export function list(value: Json | undefined, name: string): readonly Json[] {
  const found = member(value, name);
  return isArray(found) ? found : [];
}

export function text(value: Json | undefined, name: string): string | null {
  const found = member(value, name);
  return typeof found === "string" ? found : null;
}

export function number(value: Json | undefined, name: string): number | null {
  const found = member(value, name);
  return found instanceof NumberText ? Number(found.text) : null;
}

export function flag(value: Json | undefined, name: string): boolean { return member(value, name) === true; }
