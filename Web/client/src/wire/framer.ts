// Stage 1 of 7: bytes → lines. After: EventDecoder.

import { byteLength } from "../json/utf8.js";
import type { Line } from "./events.js";

const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES = new Uint8Array(0);
const ESCAPE = /\\/;
/** Lines are taken together up to this size: a text lives as long as something of it is looked at. */
const PIECE_BYTE_COUNT_MAX = 1 << 20;

/**
 * Cuts a stream of bytes, or of text, into lines; chunks may be cut anywhere, inside a character too.
 *
 * At most `lineByteCountMax` bytes of a line that is not whole yet are kept; of a longer one its beginning.
 */
export class LineFramer {
  private pieces: Uint8Array[] = [];
  private keptByteCount = 0;
  /** The bytes of the line under way, kept or not. */
  private lineByteCount = 0;
  private offset = 0;
  private number = 0;
  private isBegun = false;
  /** Whether the chunk under way holds bytes that are not ASCII. */
  private isWide = false;
  private readonly decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(private readonly lineByteCountMax: number, private readonly excerptByteCountMax: number) { }

  /** Takes a chunk, and gives each line that is whole to `take`. */
  append(chunk: Uint8Array, take: (line: Line) => void): void {
    this.isWide = false;
    let start = 0;
    for (let isFirst = true; ; isFirst = false) {
      // The first line may have begun before, or with a byte order mark.
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
   * Takes the whole lines of a chunk as one text, which is decoded at once. Returns where it ended: the start where lines
   * have to be looked at one by one, because one may be too long or is not ASCII. One wide character would make engines
   * keep two bytes for each character of the whole text, and of every line cut from it.
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

  /** Returns bytes as a text; null where one is not ASCII. */
  private asciiText(bytes: Uint8Array): string | null {
    try {
      const text = this.decoder.decode(bytes);
      return text.length === bytes.length ? text : null;
    } catch {
      // Bytes that are no UTF-8, which the decoder refuses.
      return null;
    }
  }

  /** Ends the stream: what came after the last LF is a line. */
  end(take: (line: Line) => void): void {
    if (this.lineByteCount > 0) this.finishKept(0, take);
  }

  /** Makes a line of a text that holds no LF. */
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
    // One CR more than the limit may belong to the line's end.
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
        // A stream that is only a byte order mark has no lines.
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
      // Bytes that are no UTF-8: the line is in quarantine, and says what its first bytes still say.
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
