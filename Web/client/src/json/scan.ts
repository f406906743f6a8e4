// Stage 2 of 7: a line's text → checked grammar, and the places of its outer members. Before: framer. After: decoder.

/** What is wrong with a scanned text; null if nothing is. */
export type ScanFault = "not_json" | "too_deep" | null;

/** Numbers per entry of the tape. */
export const STRIDE = 6;
const KEY_START = 0;
const KEY_END = 1;
const VALUE_START = 2;
const VALUE_END = 3;
const NEXT = 4;
const KEY_ESCAPED = 5;

/**
 * Checks one JSON text against RFC 8259 in a single pass, and records where the members of its outer containers are.
 *
 * The record is a tape of numbers: for each member or element its name, its value, and the next entry after everything
 * inside it. Containers deeper than `recordDepth` are checked but not recorded. A scanner is reused for each line.
 */
export class Scanner {
  /** The text that was scanned last. */
  text = "";
  /** True if the scanned text has white space between tokens. */
  isSpaced = false;
  /** True if the scanned text has surrogates: it may not be valid UTF-16. */
  hasSurrogates = false;
  /** The number of recorded entries. */
  count = 0;
  private tape = new Int32Array(STRIDE * 256);
  /** The offset after the scanned value. */
  end = 0;
  private at = 0;
  private from = 0;
  private isPlain = false;
  private depth = 0;
  private fault: ScanFault = null;
  private readonly depthMax: number;
  private readonly recordDepth: number;

  /** Creates a scanner that refuses nesting deeper than `depthMax`. */
  constructor(depthMax: number, recordDepth: number) {
    this.depthMax = depthMax;
    this.recordDepth = recordDepth;
  }

  /**
   * Scans a text, or a part of a longer one. Returns the first fault from the left, or null for one valid JSON value.
   * `isPlain`: the text has no escapes and no surrogates, so that a string ends at its first `"`.
   */
  scan(text: string, start = 0, end = text.length, isPlain = false): ScanFault {
    this.text = text;
    this.at = start;
    this.from = start;
    this.isPlain = isPlain;
    this.depth = 0;
    this.count = 0;
    this.isSpaced = false;
    this.hasSurrogates = false;
    this.fault = null;
    this.skipSpace();
    // The text may continue past `end` with other lines.
    if (!this.value()) return this.at < end && this.fault !== null ? this.fault : "not_json";
    this.end = this.at;
    while (this.at < end && isSpace(text.charCodeAt(this.at))) this.at += 1;
    return this.at === end ? null : "not_json";
  }

  /** The offset of the first character of the scanned value, after white space. */
  get start(): number {
    let at = this.from;
    while (isSpace(this.text.charCodeAt(at))) at += 1;
    return at;
  }

  /** The offset at which an entry's value begins. */
  valueStart(entry: number): number { return this.tape[entry * STRIDE + VALUE_START]; }

  /** The offset after an entry's value. */
  valueEnd(entry: number): number { return this.tape[entry * STRIDE + VALUE_END]; }

  /** The next entry after one and everything inside it. */
  next(entry: number): number { return this.tape[entry * STRIDE + NEXT]; }

  /** The first UTF-16 code unit of an entry's value. */
  first(entry: number): number { return this.text.charCodeAt(this.tape[entry * STRIDE + VALUE_START]); }

  /** True if an entry is a member with the given name. */
  isNamed(entry: number, name: string): boolean {
    const place = entry * STRIDE;
    const start = this.tape[place + KEY_START];
    const end = this.tape[place + KEY_END];
    if (this.tape[place + KEY_ESCAPED] !== 0) return this.name(entry) === name;
    return end - start === name.length && this.text.startsWith(name, start);
  }

  /** Returns the name of a member, unescaped. */
  name(entry: number): string {
    const place = entry * STRIDE;
    const raw = this.text.slice(this.tape[place + KEY_START], this.tape[place + KEY_END]);
    return this.tape[place + KEY_ESCAPED] === 0 ? raw : String(JSON.parse(`"${raw}"`));
  }

  private value(): boolean {
    const unit = this.text.charCodeAt(this.at);
    switch (unit) {
      case 0x22: return this.string();
      case 0x7b: return this.container(0x7d);
      case 0x5b: return this.container(0x5d);
      case 0x74: return this.word("true");
      case 0x66: return this.word("false");
      case 0x6e: return this.word("null");
      default: return this.number(unit);
    }
  }

  private container(close: number): boolean {
    if (this.depth === this.depthMax) {
      this.fault = "too_deep";
      return false;
    }
    this.depth += 1;
    const isNoted = this.depth <= this.recordDepth;
    this.at += 1;
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === close) {
      this.at += 1;
      this.depth -= 1;
      return true;
    }
    for (; ;) {
      let entry = -1;
      if (isNoted) entry = this.open();
      if (close === 0x7d && !this.key(entry)) return false;
      if (isNoted) this.tape[entry * STRIDE + VALUE_START] = this.at;
      if (!this.value()) return false;
      if (isNoted) {
        this.tape[entry * STRIDE + VALUE_END] = this.at;
        this.tape[entry * STRIDE + NEXT] = this.count;
      }
      this.skipSpace();
      const unit = this.text.charCodeAt(this.at);
      this.at += 1;
      if (unit === close) break;
      if (unit !== 0x2c) return false;
      this.skipSpace();
    }
    this.depth -= 1;
    return true;
  }

  private open(): number {
    const entry = this.count;
    this.count += 1;
    if (this.count * STRIDE > this.tape.length) {
      const larger = new Int32Array(this.tape.length * 2);
      larger.set(this.tape);
      this.tape = larger;
    }
    return entry;
  }

  private key(entry: number): boolean {
    if (this.text.charCodeAt(this.at) !== 0x22) return false;
    const start = this.at + 1;
    if (!this.string()) return false;
    if (entry >= 0) {
      const place = entry * STRIDE;
      this.tape[place + KEY_START] = start;
      this.tape[place + KEY_END] = this.at - 1;
      this.tape[place + KEY_ESCAPED] = this.wasEscaped ? 1 : 0;
    }
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== 0x3a) return false;
    this.at += 1;
    this.skipSpace();
    return true;
  }

  private wasEscaped = false;

  private string(): boolean {
    const text = this.text;
    let at = this.at + 1;
    let isEscaped = false;
    if (this.isPlain) {
      for (let unit = text.charCodeAt(at); unit !== 0x22; unit = text.charCodeAt(at += 1)) {
        // A control character, or the end of the text, where the comparison with NaN fails.
        if (!(unit >= 0x20)) return false;
      }
      this.at = at + 1;
      this.wasEscaped = false;
      return true;
    }
    for (; ;) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) break;
      if (unit === 0x5c) {
        isEscaped = true;
        const count = escapeLength(text, at);
        if (count === 0) return false;
        at += count;
        continue;
      }
      // Past the end of the text the comparison with NaN fails, too.
      if (!(unit >= 0x20)) return false;
      if (unit >= 0xd800 && unit < 0xe000) this.hasSurrogates = true;
      at += 1;
    }
    this.at = at + 1;
    this.wasEscaped = isEscaped;
    return true;
  }

  private word(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private number(first: number): boolean {
    const text = this.text;
    let at = this.at;
    let unit = first;
    if (unit === 0x2d) unit = text.charCodeAt(at += 1);
    if (unit === 0x30) {
      unit = text.charCodeAt(at += 1);
    } else {
      if (!isDigit(unit)) return false;
      while (isDigit(unit)) unit = text.charCodeAt(at += 1);
    }
    if (unit === 0x2e) {
      unit = text.charCodeAt(at += 1);
      if (!isDigit(unit)) return false;
      while (isDigit(unit)) unit = text.charCodeAt(at += 1);
    }
    if (unit === 0x65 || unit === 0x45) {
      unit = text.charCodeAt(at += 1);
      if (unit === 0x2b || unit === 0x2d) unit = text.charCodeAt(at += 1);
      if (!isDigit(unit)) return false;
      while (isDigit(unit)) unit = text.charCodeAt(at += 1);
    }
    this.at = at;
    return true;
  }

  private skipSpace(): void {
    if (this.text.charCodeAt(this.at) > 0x20) return;
    const start = this.at;
    while (isSpace(this.text.charCodeAt(this.at))) this.at += 1;
    if (this.at > start) this.isSpaced = true;
  }
}

/** Returns the length of the escape sequence at a backslash; 0 if it is invalid. */
function escapeLength(text: string, at: number): number {
  switch (text.charCodeAt(at + 1)) {
    case 0x22: case 0x5c: case 0x2f: case 0x62: case 0x66: case 0x6e: case 0x72: case 0x74: return 2;
    case 0x75:
      for (let place = at + 2; place < at + 6; place += 1) {
        if (!isHex(text.charCodeAt(place))) return 0;
      }
      return 6;
    default: return 0;
  }
}

function isSpace(unit: number): boolean { return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d; }

function isDigit(unit: number): boolean { return unit >= 0x30 && unit <= 0x39; }

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}
