import { parts } from "./number.js";
import type { Parts } from "./number.js";

/** Compares two JSON numbers exactly by value: returns a number below 0, 0 or above 0. */
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
