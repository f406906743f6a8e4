import { elementsOf, memberOf } from "../json/text.js";

/** One step of a pointer: a member's name, and the element's index that it may be as well. */
export interface Token {
  name: string;
  index: number | null;
}

/** A JSON Pointer (RFC 6901) into a resource. */
export class Pointer {
  private constructor(private readonly tokens: readonly Token[]) { }

  /** The steps of the pointer, from the outside in. */
  get path(): readonly Token[] { return this.tokens; }

  /** The tokens that a pointer may have. */
  static readonly tokenCountMax = 64;

  /** Reads a pointer; a text says what is wrong with it. */
  static parse(text: string): Pointer | string {
    if (text === "") return new Pointer([]);
    if (!text.startsWith("/")) return "does not begin with a slash; write a JSON Pointer such as \"/kind\"";
    const parts = text.slice(1).split("/");
    if (parts.some((part) => /~(?![01])/.test(part))) return "holds a ~ that is neither ~0 nor ~1";
    if (parts.length > Pointer.tokenCountMax) return `has more than ${Pointer.tokenCountMax} tokens`;
    return new Pointer(parts.map((part) => ({
      name: part.replace(/~1/g, "/").replace(/~0/g, "~"),
      index: /^(?:0|[1-9][0-9]{0,8})$/.test(part) ? Number(part) : null,
    })));
  }

  /** A pointer to a member of the resource itself. */
  static member(name: string): Pointer { return new Pointer([{ name, index: null }]); }

  /** The name of the member when the pointer has one token; null otherwise. */
  get single(): string | null { return this.tokens.length === 1 ? this.tokens[0].name : null; }

  /** A text that only equal pointers have. */
  get key(): string { return JSON.stringify(this.tokens.map((token) => token.name)); }

  /** Returns the value at the pointer, as JSON; null when there is none. */
  value(json: string): string | null {
    let value: string | null = json;
    for (const token of this.tokens) {
      if (value.charCodeAt(0) === 0x7b) value = memberOf(value, token.name);
      else if (value.charCodeAt(0) === 0x5b && token.index !== null) value = elementsOf(value)[token.index] ?? null;
      else return null;
      if (value === null) return null;
    }
    return value;
  }
}
