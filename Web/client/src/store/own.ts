/** The smallest text that is copied: engines copy shorter ones by themselves. */
const COUNT_MIN = 13;
/** The longest text that is copied through the scratch memory. */
const COUNT_MAX = 16_384;
const NOT_LATIN = /[^\x00-\xff]/;

/** Memory of Node that texts of one byte a character are written into and read from. */
interface Scratch {
  latin1Write(text: string, offset: number): number;
  latin1Slice(start: number, end: number): string;
}

const buffers = (globalThis as { Buffer?: { allocUnsafeSlow(size: number): Scratch; }; }).Buffer;
const scratch = buffers === undefined ? null : buffers.allocUnsafeSlow(COUNT_MAX);
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const bytes = new Uint8Array(COUNT_MAX * 3);

/** Copies a text that may be a part of a longer one, so that the longer one can go: engines share their memory. */
export function own(text: string): string {
  if (text.length < COUNT_MIN) return text;
  if (text.length > COUNT_MAX) return decoder.decode(encoder.encode(text));
  if (scratch !== null && !NOT_LATIN.test(text)) return scratch.latin1Slice(0, scratch.latin1Write(text, 0));
  return decoder.decode(bytes.subarray(0, encoder.encodeInto(text, bytes).written ?? 0));
}
