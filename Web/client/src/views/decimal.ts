// Exact decimals, and the canonical spelling of values in groups. Protocol/views.md, groups.

import { parts } from "../json/number.js";
import type { Parts } from "../json/number.js";
import { elementsOf, kindOf, membersOf, quoted, stringValue } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";

/** Maximum number of digits that are written before an exponent is used instead. */
const PLAIN_DIGIT_COUNT_MAX = 40;
/** Maximum number of significant digits of a number that is summed. */
const SUMMAND_DIGIT_COUNT_MAX = 64;
/** Maximum magnitude of the scientific exponent of a number that is summed. */
const SUMMAND_EXPONENT_MAX = 6_144;
/** The number of significant digits of an average. */
const QUOTIENT_DIGIT_COUNT = 20;
const SHORT = /^(?:0|-?[1-9][0-9]{0,14})$/;

/** Returns the shortest spelling of a number: without an exponent as long as it takes few digits. */
export function shownNumber(json: string): string { return SHORT.test(json) ? json : spelled(parts(json)); }

function spelled({ isNegative, digits, exponent }: Parts): string {
  if (digits === "") return "0";
  const sign = isNegative ? "-" : "";
  const count = exponent > 0 ? Math.max(exponent, digits.length) : 1 - exponent + digits.length;
  if (count > PLAIN_DIGIT_COUNT_MAX) return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${exponent - 1}`;
  if (exponent <= 0) return `${sign}0.${"0".repeat(-exponent)}${digits}`;
  if (exponent >= digits.length) return sign + digits.padEnd(exponent, "0");
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

/** Returns a value in its canonical spelling, which is the same for equal values only. */
export function shownValue(json: string): string {
  switch (kindOf(json)) {
    case "number": return shownNumber(json);
    case "string": return json.includes("\\") ? quoted(stringValue(json)) : json;
    case "array": return `[${elementsOf(json).map(shownValue).join(",")}]`;
    case "object": {
      const members = membersOf(json).sort((left, right) => compareBytes(left.name, right.name));
      return `{${members.map(({ name, value }) => `${quoted(name)}:${shownValue(value)}`).join(",")}}`;
    }
    default: return json;
  }
}

/** A sum of decimals, exact, from which a summand can be taken again. */
export class ExactSum {
  private total = 0n;
  /** The number of digits behind the point. */
  private scale = 0;

  /** Adds a number, or takes it away. Returns false if it is no number that is summed. */
  add(json: string, isRemoved: boolean): boolean {
    const { isNegative, digits, exponent } = parts(json);
    if (digits.length > SUMMAND_DIGIT_COUNT_MAX || digits !== "" && Math.abs(exponent - 1) > SUMMAND_EXPONENT_MAX) return false;
    if (digits === "") return true;
    const scale = digits.length - exponent;
    if (scale > this.scale) {
      this.total *= 10n ** BigInt(scale - this.scale);
      this.scale = scale;
    }
    const value = BigInt(digits) * 10n ** BigInt(this.scale - scale);
    this.total += isNegative === isRemoved ? value : -value;
    return true;
  }

  /** The sum in its shortest spelling. */
  get text(): string { return scaled(this.total, this.scale); }

  /** Returns the sum divided by a count, to 20 significant digits, half to even. */
  dividedBy(count: number): string {
    if (this.total === 0n) return "0";
    const isNegative = this.total < 0n;
    const dividend = isNegative ? -this.total : this.total;
    const divisor = BigInt(count) * 10n ** BigInt(this.scale);
    let shift = QUOTIENT_DIGIT_COUNT - (String(dividend).length - String(divisor).length);
    let { quotient, rest, by } = divided(dividend, divisor, shift);
    if (String(quotient).length > QUOTIENT_DIGIT_COUNT) {
      shift -= 1;
      ({ quotient, rest, by } = divided(dividend, divisor, shift));
    }
    if (2n * rest > by || 2n * rest === by && quotient % 2n === 1n) quotient += 1n;
    return scaled(isNegative ? -quotient : quotient, shift);
  }
}

/** Returns quotient and rest of dividend · 10^shift by a divisor. */
function divided(dividend: bigint, divisor: bigint, shift: number): { quotient: bigint; rest: bigint; by: bigint; } {
  const value = shift > 0 ? dividend * 10n ** BigInt(shift) : dividend;
  const by = shift < 0 ? divisor * 10n ** BigInt(-shift) : divisor;
  return { quotient: value / by, rest: value % by, by };
}

/** Returns the shortest spelling of total · 10^-scale. */
function scaled(total: bigint, scale: number): string {
  const isNegative = total < 0n;
  const all = String(isNegative ? -total : total);
  return spelled({ isNegative, digits: all === "0" ? "" : all.replace(/0+$/, ""), exponent: all.length - scale });
}
