import { elementsOf, memberOf } from "./text.js";

/** One step of a pointer: the name of a member, and the index of an element if the name is one. */
export interface Token {
  /** The name of a member. */
  name: string;
  /** The index of an element; null if the name is not one. */
  index: number | null;
}

/** A JSON Pointer (RFC 6901) into a resource. */
export class Pointer {
  private constructor(private readonly tokens: readonly Token[]) { }

  /** The steps of the pointer, outermost first. */
  get path(): readonly Token[] { return this.tokens; }

  /** Maximum number of steps in a pointer. */
  static readonly tokenCountMax = 64;

  /** Parses a pointer. Returns a string that describes the fault if the text is not a valid pointer. */
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

  /** Returns a pointer to a top-level member. */
  static member(name: string): Pointer { return new Pointer([{ name, index: null }]); }

  /** The name of the member if the pointer has one step; null otherwise. */
  get single(): string | null { return this.tokens.length === 1 ? this.tokens[0].name : null; }

  /** A text that is the same for equal pointers only. */
  get key(): string { return JSON.stringify(this.tokens.map((token) => token.name)); }

  /** Returns the value at the pointer as JSON; null if there is none. */
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
