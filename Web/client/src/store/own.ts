/** The smallest text that is copied: engines copy shorter ones by themselves. */
const COUNT_MIN = 13;
const ANY = /^./s;

/**
 * Copies a text that may be a part of a longer one, so that the longer one can go: engines share their memory.
 *
 * Two halves are joined, which is faster than to encode and decode the text. Engines keep a joined text as its two
 * halves, and some read its characters there; a pattern they match only in one piece, which they then keep in place of
 * the halves.
 */
export function own(text: string): string {
  if (text.length < COUNT_MIN) return text;
  const half = text.length >> 1;
  const copy = text.slice(0, half) + text.slice(half);
  return ANY.test(copy) ? copy : text;
}
