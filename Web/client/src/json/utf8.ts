const NOT_ASCII = /[^\x00-\x7f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Returns the number of bytes of a text in UTF-8; a lone surrogate counts as three. */
export function byteLength(text: string): number {
  if (!NOT_ASCII.test(text)) return text.length;
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      count += 1;
    } else if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(at + 1))) {
      count += 2;
      at += 1;
    } else {
      count += 2;
    }
  }
  return count;
}

function isLow(unit: number): boolean { return unit >= 0xdc00 && unit < 0xe000; }

/** True if a text has more than `byteCountMax` bytes in UTF-8. */
export function isLonger(text: string, byteCountMax: number): boolean {
  if (text.length > byteCountMax) return true;
  return text.length * 3 > byteCountMax && byteLength(text) > byteCountMax;
}

/** True if a text has a lone surrogate. */
export function hasLoneSurrogate(text: string): boolean { return LONE_SURROGATE.test(text); }

/** Compares two texts by their UTF-8 bytes: returns a number below 0, 0 or above 0. */
export function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  const count = Math.min(left.length, right.length);
  for (let at = 0; at < count; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return place(a) - place(b);
  }
  return left.length - right.length;
}

/** Maps a code unit to its order in UTF-8: surrogates, which encode the highest characters, after all others. */
function place(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x10000 : unit;
}
