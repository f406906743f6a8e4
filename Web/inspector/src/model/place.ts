/** A part of a text, as offsets in characters. */
export interface Span {
  /** The offset of the first character. */
  readonly start: number;
  /** The offset behind the last character. */
  readonly end: number;
}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,:{}[\]"]+/y;
const SPACE = /\s*/y;

function behind(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}

/** Calls `visit` with the name or index and the span of each child of a container. Returns the offset behind it. */
function children(text: string, start: number, visit: (name: string, span: Span) => void): number {
  const isObject = text[start] === "{";
  let offset = behind(SPACE, text, start + 1);
  for (let index = 0; offset < text.length && text[offset] !== "}" && text[offset] !== "]"; index += 1) {
    const from = offset;
    let name = String(index);
    if (isObject) {
      offset = behind(STRING, text, offset);
      name = JSON.parse(text.slice(from, offset)) as string;
      offset = behind(SPACE, text, behind(SPACE, text, offset) + 1);
    }
    const end = valueEnd(text, offset);
    visit(name, { start: from, end });
    offset = behind(SPACE, text, end);
    if (text[offset] === ",") offset = behind(SPACE, text, offset + 1);
  }
  return offset + 1;
}

function valueEnd(text: string, start: number): number {
  if (text[start] === "{" || text[start] === "[") return children(text, start, () => undefined);
  return behind(text[start] === "\"" ? STRING : SCALAR, text, start);
}

/**
 * Returns the place in a JSON text to which a JSON Pointer leads: a member with its name, or an element. If the pointer
 * leads further than the text, it is the last place on the way; null where not even the first step exists. The text
 * must be valid JSON. Of repeated members the last one counts.
 */
export function placeOf(text: string, pointer: string): Span | null {
  let offset = behind(SPACE, text, 0);
  let found: Span | null = pointer === "" ? { start: offset, end: valueEnd(text, offset) } : null;
  for (const token of pointer.split("/").slice(1).map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"))) {
    if (text[offset] !== "{" && text[offset] !== "[") return found;
    const isObject = text[offset] === "{";
    let next: Span | null = null;
    children(text, offset, (name, span) => { if (name === token) next = span; });
    if (next === null) return found;
    found = next;
    const { start } = next as Span;
    offset = isObject ? behind(SPACE, text, behind(SPACE, text, behind(STRING, text, start)) + 1) : start;
  }
  return found;
}

/** Returns the line and the column of an offset, both from 1. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${before[before.length - 1].length + 1}`;
}
