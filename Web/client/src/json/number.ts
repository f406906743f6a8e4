/** A number's sign, its digits without zeros at either end, and the place of the point before them. */
export interface Parts {
  isNegative: boolean;
  digits: string;
  exponent: number;
}

/** The magnitude that a written exponent counts as at most. */
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

/** Returns one spelling for all spellings of a number's value. */
export function canonicalNumber(text: string): string {
  const { isNegative, digits, exponent } = parts(text);
  return digits === "" ? "0" : `${isNegative ? "-" : ""}${digits}e${exponent}`;
}

/** Tells whether a JavaScript number has exactly the value that a text spells. */
export function isExact(text: string): boolean {
  if (text.length < 16 && !/[eE]/.test(text)) return true;
  const number = Number(text);
  return Number.isFinite(number) && canonicalNumber(String(number)) === canonicalNumber(text);
}
