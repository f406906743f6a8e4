// Sums and averages of numbers with at most one digit behind the point, by hand.

import { ExactNumber } from "../../../dist/json/exact.js";

/** Returns the sum. */
export function total(numbers) { return numbers.reduce((sum, number) => sum + Math.round(number * 10), 0) / 10; }

/** Returns the average to 20 significant digits, half to even, as the cache returns numbers. */
export function average(numbers) {
  const tenths = numbers.reduce((sum, number) => sum + Math.round(number * 10), 0);
  if (tenths === 0) return 0;
  const divisor = numbers.length * 10;
  // Digit by digit, as on paper.
  let rest = Math.abs(tenths) % divisor;
  let digits = String(Math.floor(Math.abs(tenths) / divisor));
  const whole = digits.length;
  const significant = () => digits.replace(/^0+/, "").length;
  while (significant() < 20 && rest !== 0) {
    rest *= 10;
    digits += String(Math.floor(rest / divisor));
    rest %= divisor;
  }
  let value = BigInt(digits);
  if (2 * rest > divisor || 2 * rest === divisor && value % 2n === 1n) value += 1n;
  const text = String(value).padStart(digits.length, "0");
  const point = text.length - (digits.length - whole);
  const written = `${text.slice(0, point)}.${text.slice(point)}`.replace(/0+$/, "").replace(/\.$/, "");
  const signed = `${tenths < 0 ? "-" : ""}${written}`;
  return written.replace(/[.]|^0[.]0*/g, "").length > 15 ? new ExactNumber(signed) : Number(signed);
}
