// Stage 1 of 7: bytes → lines. After: EventDecoder.

import { byteLength } from "../json/utf8.js";
import type { Line } from "./events.js";

const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES = new Uint8Array(0);
const ESCAPE = /\\/;
/** Maximum size of lines that are decoded as one text, which stays in memory as long as a slice of it does. */
const PIECE_BYTE_COUNT_MAX = 1 << 20;

/**
 * Splits a stream of bytes or text into lines; chunks may be cut anywhere, even inside a character.
 *
 * Keeps at most `lineByteCountMax` bytes of an incomplete line; of a longer one, its beginning.
 */
export class LineFramer {
  private pieces: Uint8Array[] = [];
  private keptByteCount = 0;
  /** The bytes of the incomplete line so far, whether kept or not. */
  private lineByteCount = 0;
  private offset = 0;
  private number = 0;
  private isBegun = false;
  /** True if the current chunk has bytes that are not ASCII. */
  private isWide = false;
  private readonly decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /** Creates a framer; `excerptByteCountMax` is the size of the bytes kept of a line that is not text. */
  constructor(private readonly lineByteCountMax: number, private readonly excerptByteCountMax: number) { }

  /** Appends a chunk, and passes each complete line to `take`. */
  append(chunk: Uint8Array, take: (line: Line) => void): void {
    this.isWide = false;
    let start = 0;
    for (let isFirst = true; ; isFirst = false) {
      // The first line may have begun in an earlier chunk, or with a byte order mark.
      if (!isFirst || this.isBegun && this.lineByteCount === 0) start = this.takeWhole(chunk, start, take);
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      if (this.lineByteCount === 0) {
        this.finish(chunk.subarray(start, end), end - start, 1, take);
      } else {
        this.keep(chunk.subarray(start, end));
        this.finishKept(1, take);
      }
      start = end + 1;
    }
    if (start < chunk.length) this.keep(chunk.slice(start));
  }

  /**
   * Decodes the complete lines of a chunk as one text. Returns the offset after them, or `start` if lines must be
   * handled one by one, because one may be too long or not ASCII. One wide character would make engines use two bytes
   * for each character of the whole text, and of every line sliced from it.
   */
  private takeWhole(chunk: Uint8Array, start: number, take: (line: Line) => void): number {
    const end = chunk.lastIndexOf(LF) + 1;
    if (end <= start || end - start > Math.min(this.lineByteCountMax, PIECE_BYTE_COUNT_MAX) || this.isWide) return start;
    const text = this.asciiText(chunk.subarray(start, end));
    if (text === null) {
      this.isWide = true;
      return start;
    }
    const isPlain = !ESCAPE.test(text);
    for (let at = 0; at < text.length;) {
      const stop = text.indexOf("\n", at);
      const line = text.slice(at, stop);
      const own = this.made(line.endsWith("\r") ? line.slice(0, -1) : line, NO_BYTES, line.length, 1);
      own.piece = { text, start: at, isPlain };
      take(own);
      at = stop + 1;
    }
    return end;
  }

  /** Returns bytes as a text; null if one is not ASCII. */
  private asciiText(bytes: Uint8Array): string | null {
    try {
      const text = this.decoder.decode(bytes);
      return text.length === bytes.length ? text : null;
    } catch {
      // The decoder refuses bytes that are not UTF-8.
      return null;
    }
  }

  /** Ends the stream, and passes an unterminated last line to `take`. */
  end(take: (line: Line) => void): void {
    if (this.lineByteCount > 0) this.finishKept(0, take);
  }

  /** Returns a text without an LF as a line. */
  line(text: string): Line {
    const byteCount = byteLength(text);
    const line = this.made(text.endsWith("\r") ? text.slice(0, -1) : text, NO_BYTES, byteCount, 1);
    if (!this.isBegun && line.text !== null && line.text.startsWith("\ufeff")) {
      line.text = line.text.slice(1);
      line.offset += 3;
      line.byteCount -= 3;
    }
    this.isBegun = true;
    return line;
  }

  private keep(bytes: Uint8Array): void {
    this.lineByteCount += bytes.length;
    // One CR beyond the limit may belong to the line end.
    const room = this.lineByteCountMax + 4 - this.keptByteCount;
    if (room <= 0) return;
    const kept = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.pieces.push(kept);
    this.keptByteCount += kept.length;
  }

  private finishKept(endByteCount: number, take: (line: Line) => void): void {
    const bytes = this.pieces.length === 1 ? this.pieces[0] : joined(this.pieces, this.keptByteCount);
    const byteCount = this.lineByteCount;
    this.pieces = [];
    this.keptByteCount = 0;
    this.lineByteCount = 0;
    this.finish(bytes, byteCount, endByteCount, take);
  }

  private finish(bytes: Uint8Array, byteCount: number, endByteCount: number, take: (line: Line) => void): void {
    let own = bytes;
    let skipped = 0;
    if (!this.isBegun) {
      this.isBegun = true;
      if (own[0] === 0xef && own[1] === 0xbb && own[2] === 0xbf) {
        own = own.subarray(3);
        skipped = 3;
        this.offset += 3;
        // A stream of only a byte order mark has no lines.
        if (own.length === 0 && endByteCount === 0) return;
      }
    }
    const whole = byteCount - skipped;
    const hasReturn = own.length === whole && own.length > 0 && own[own.length - 1] === CR;
    if (hasReturn) own = own.subarray(0, own.length - 1);
    const contentByteCount = hasReturn ? whole - 1 : whole;
    if (contentByteCount > this.lineByteCountMax) {
      take(this.made(null, own.slice(0, this.excerptByteCountMax), whole, endByteCount, true));
      return;
    }
    let text: string | null;
    try {
      text = this.decoder.decode(own);
    } catch {
      // Not UTF-8: the line will be quarantined, with what its first bytes contain.
      text = null;
    }
    take(this.made(text, text === null ? own.slice(0, this.excerptByteCountMax) : NO_BYTES, whole, endByteCount));
  }

  private made(
    text: string | null, bytes: Uint8Array, byteCount: number, endByteCount: number, isTooLong = false,
  ): Line {
    this.number += 1;
    const offset = this.offset;
    this.offset += byteCount + endByteCount;
    return {
      text, bytes, byteCount, number: this.number, offset, piece: null,
      isTooLong: isTooLong || text !== null && byteCount > this.lineByteCountMax && byteLength(text) > this.lineByteCountMax,
    };
  }
}

function joined(pieces: readonly Uint8Array[], byteCount: number): Uint8Array {
  const all = new Uint8Array(byteCount);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
