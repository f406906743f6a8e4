import { byteLength } from "../json/utf8.js";
import { parseSequence } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";

/** What could be read from the beginning of a broken line. Protocol/framing.md, what a broken line still says. */
export interface Salvaged {
  /** The library; null for the default one, undefined if it cannot be read. */
  library: string | null | undefined;
  /** The position; null if it cannot be read. */
  sequence: Sequence | null;
  /** The epoch; null if it cannot be read. */
  epoch: string | null;
}

type Value = { kind: "string"; raw: string; } | { kind: "number"; raw: string; } | { kind: "null"; }
  | { kind: "object"; members: Map<string, Value>; } | { kind: "other"; };

/**
 * Returns the library, position and epoch in a line. `isWhole`: the line is valid JSON, so that a missing library is
 * the default one.
 */
export function placeOf(
  bytes: Uint8Array, depthMax: number, byteCountMax: number, idByteCountMax: number, isWhole: boolean,
): Salvaged {
  // One character for each byte: the structure of JSON is ASCII, and the wanted strings are decoded from their bytes.
  const text = Array.from(bytes.subarray(0, byteCountMax), (byte) => String.fromCharCode(byte)).join("");
  const reader = new PartReader(text, depthMax);
  const top = new Map<string, Value>();
  reader.skipSpace();
  reader.object(top, true);
  const inner = top.get("envelope");
  const envelope = inner !== undefined && inner.kind === "object" ? inner.members : null;
  const field = (name: string): Value | null => present(envelope, name) ?? present(top, name);
  const sequence = sequenceOf(field("sequence"));
  return {
    library: libraryOf(field("library_id"), top, envelope, sequence, idByteCountMax, isWhole), sequence,
    epoch: epochOf(field("epoch"), idByteCountMax),
  };
}

function present(members: Map<string, Value> | null, name: string): Value | null {
  const value = members?.get(name);
  return value === undefined || value.kind === "null" ? null : value;
}

function sequenceOf(value: Value | null): Sequence | null {
  return value !== null && value.kind === "number" ? parseSequence(value.raw) : null;
}

function libraryOf(
  value: Value | null, top: Map<string, Value>, envelope: Map<string, Value> | null, sequence: Sequence | null,
  idByteCountMax: number, isWhole: boolean,
): string | null | undefined {
  if (value === null) {
    const isMentioned = top.has("library_id") || (envelope?.has("library_id") ?? false);
    return (isWhole ? sequence !== null : isMentioned) ? null : undefined;
  }
  const text = textOf(value);
  return text === null || byteLength(text) > idByteCountMax ? undefined : text;
}

function epochOf(value: Value | null, idByteCountMax: number): string | null {
  const text = value === null ? null : textOf(value);
  return text === null || text === "" || byteLength(text) > idByteCountMax ? null : text;
}

/** Returns the text of a string; null for another value, for invalid UTF-8, and for a lone surrogate. */
function textOf(value: Value): string | null {
  if (value.kind !== "string") return null;
  try {
    const bytes = Uint8Array.from(value.raw, (character) => character.charCodeAt(0));
    const text = String(JSON.parse(`"${new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)}"`));
    return /\p{Surrogate}/u.test(text) ? null : text;
  } catch {
    // An unreadable value is ignored; the line itself is quarantined.
    return null;
  }
}

/** Parses JSON from the left up to the first fault. */
class PartReader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string, private readonly depthMax: number) { }

  skipSpace(): void {
    while (/[ \t\n\r]/.test(this.text.charAt(this.at))) this.at += 1;
  }

  private take(character: string): boolean {
    if (this.text.charAt(this.at) !== character) return false;
    this.at += 1;
    return true;
  }

  /** Parses the members of an object, as far as they are complete and followed by `,` or `}`. */
  object(found: Map<string, Value>, isTop: boolean): boolean {
    if (!this.take("{")) return false;
    this.skipSpace();
    if (this.take("}")) return true;
    if (isTop) this.depth = 1;
    for (; ;) {
      this.skipSpace();
      const name = this.string();
      if (name === null) return false;
      this.skipSpace();
      if (!this.take(":")) return false;
      this.skipSpace();
      const key = unescapedName(name);
      const isEnvelope = isTop && key === "envelope" && this.text.charAt(this.at) === "{";
      let value: Value | null;
      if (isEnvelope) {
        const inner = new Map<string, Value>();
        this.depth += 1;
        const isWhole = this.depth <= this.depthMax && this.object(inner, false);
        this.depth -= 1;
        // The members of an envelope count even if the text after the envelope is broken.
        found.set(key, { kind: "object", members: inner });
        if (!isWhole) return false;
        value = { kind: "object", members: inner };
      } else {
        value = this.value();
      }
      if (value === null) return false;
      this.skipSpace();
      const hasMore = this.take(",");
      if (!hasMore && !this.take("}")) return false;
      found.set(key, value);
      if (!hasMore) return true;
    }
  }

  private string(): string | null {
    const match = /"((?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)"/y;
    match.lastIndex = this.at;
    const found = match.exec(this.text);
    if (found === null) return null;
    this.at += found[0].length;
    return found[1];
  }

  private value(): Value | null {
    const character = this.text.charAt(this.at);
    if (character === "\"") {
      const raw = this.string();
      return raw === null ? null : { kind: "string", raw };
    }
    if (character === "{" || character === "[") return this.container(character === "{") ? { kind: "other" } : null;
    const match = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
    match.lastIndex = this.at;
    const found = match.exec(this.text);
    if (found === null) return null;
    this.at += found[0].length;
    if (found[0] === "null") return { kind: "null" };
    return /^[tf]/.test(found[0]) ? { kind: "other" } : { kind: "number", raw: found[0] };
  }

  private container(isObject: boolean): boolean {
    if (this.depth >= this.depthMax) return false;
    this.depth += 1;
    this.at += 1;
    const close = isObject ? "}" : "]";
    this.skipSpace();
    if (!this.take(close)) {
      for (; ;) {
        this.skipSpace();
        if (isObject && (this.string() === null || !this.colon())) return false;
        this.skipSpace();
        if (this.value() === null) return false;
        this.skipSpace();
        if (this.take(close)) break;
        if (!this.take(",")) return false;
      }
    }
    this.depth -= 1;
    return true;
  }

  private colon(): boolean {
    this.skipSpace();
    return this.take(":");
  }
}

function unescapedName(raw: string): string {
  return raw.includes("\\") ? String(JSON.parse(`"${raw}"`)) : raw;
}
