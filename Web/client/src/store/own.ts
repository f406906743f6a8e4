/** The smallest text that is copied: engines copy shorter ones by themselves. */
const COUNT_MIN = 13;

/**
 * Copies a text that may be a part of a longer one, so that the longer one can go: engines share their memory.
 *
 * Two halves are joined, which is a third faster than to encode and decode the text. Engines keep a joined text as its
 * two halves until one of its characters is read; then they write it into memory of its own.
 */
export function own(text: string): string {
  if (text.length < COUNT_MIN) return text;
  const half = text.length >> 1;
  const copy = text.slice(0, half) + text.slice(half);
  return Number.isNaN(copy.charCodeAt(0)) ? text : copy;
}
