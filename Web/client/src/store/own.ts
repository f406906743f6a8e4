/** Copies a text that may be a part of a longer one, so that the longer one can go: engines share their memory. */
export function own(text: string): string { return copy === null ? text : copy(text); }

/** The smallest text that is copied: engines copy shorter ones by themselves. */
const COUNT_MIN = 13;
const NOT_LATIN = /[^\x00-\xff]/;

interface BufferLike { from(text: string, encoding: string): { toString(encoding: string): string; }; }

const buffer = (globalThis as { Buffer?: BufferLike; }).Buffer;

const copy: ((text: string) => string) | null = buffer === undefined
  ? copyByCoding
  : (text) => text.length < COUNT_MIN || NOT_LATIN.test(text) ? copyByCoding(text) : buffer.from(text, "latin1").toString("latin1");

function copyByCoding(text: string): string {
  return text.length < COUNT_MIN ? text : new TextDecoder().decode(new TextEncoder().encode(text));
}
