/** A number as sign, digits and exponent: its value is 0.digits · 10^exponent. */
export interface Parts {
  /** True for a negative number. */
  isNegative: boolean;
  /** The digits without zeros at either end; empty for zero. */
  digits: string;
  /** The power of ten, relative to a point before the digits. */
  exponent: number;
}

/** Larger exponents count as this one. */
const EXPONENT_MAX = 2147483647;
const FORM = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/;

/** Returns the parts of a number. */
export function parts(text: string): Parts {
  const match = FORM.exec(text);
  if (match === null) return { isNegative: false, digits: "", exponent: 0 };
  const whole = match[2];
  const all = whole + (match[3] ?? "");
  const magnitude = match[5] === undefined ? 0 : Math.min(Number(match[5]), EXPONENT_MAX);
  const trimmed = all.replace(/^0+/, "");
  const zeros = all.length - trimmed.length;
  return {
    isNegative: match[1] === "-", digits: trimmed.replace(/0+$/, ""),
    exponent: whole.length - zeros + (match[4] === "-" ? -magnitude : magnitude),
  };
}

/** Returns a spelling that is the same for all spellings of one value. */
export function canonicalNumber(text: string): string {
  const { isNegative, digits, exponent } = parts(text);
  return digits === "" ? "0" : `${isNegative ? "-" : ""}${digits}e${exponent}`;
}

/** True if a JavaScript number can hold exactly the value that the text spells. */
export function isExact(text: string): boolean {
  if (text.length < 16 && !/[eE]/.test(text)) return true;
  const number = Number(text);
  return Number.isFinite(number) && canonicalNumber(String(number)) === canonicalNumber(text);
}
