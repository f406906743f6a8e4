/** A number's sign, its digits without zeros at either end, and the place of the point before them. */
interface Parts {
  isNegative: boolean;
  digits: string;
  exponent: number;
}

/** The magnitude that a written exponent counts as at most. */
const EXPONENT_MAX = 2147483647;
const FORM = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/;

function parts(text: string): Parts {
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

/** Compares two numbers by value, exactly: below 0, 0 or above 0. */
export function compareNumbers(left: string, right: string): number {
  if (left === right) return 0;
  const a = Number(left);
  const b = Number(right);
  // Rounding keeps the order: values that differ as doubles are in that order as decimals.
  if (a < b) return -1;
  if (a > b) return 1;
  const own = parts(left);
  const other = parts(right);
  if (own.digits === "" || other.digits === "") {
    if (own.digits === other.digits) return 0;
    return sign(own) - sign(other);
  }
  if (own.isNegative !== other.isNegative) return own.isNegative ? -1 : 1;
  const order = own.exponent - other.exponent || (own.digits < other.digits ? -1 : own.digits > other.digits ? 1 : 0);
  return own.isNegative ? -order : order;
}

function sign(number: Parts): number {
  if (number.digits === "") return 0;
  return number.isNegative ? -1 : 1;
}

/** Tells whether a JavaScript number has exactly the value that a text spells. */
export function isExact(text: string): boolean {
  if (text.length < 16 && !/[eE]/.test(text)) return true;
  const number = Number(text);
  return Number.isFinite(number) && canonicalNumber(String(number)) === canonicalNumber(text);
}
