/** Minimum length of a text that is copied: engines copy shorter ones by themselves. */
const COUNT_MIN = 13;
const ANY = /^./s;

/**
 * Copies a text that may be a slice of a longer one, so that the longer one can be freed: engines share their memory.
 *
 * Joins two halves, which is faster than encoding and decoding the text. Engines represent a joined text by its two
 * halves, and some read characters from there. A regular expression matches only one contiguous text, so matching it
 * makes the engine replace the halves by one.
 */
export function own(text: string): string {
  if (text.length < COUNT_MIN) return text;
  const half = text.length >> 1;
  const copy = text.slice(0, half) + text.slice(half);
  return ANY.test(copy) ? copy : text;
}
