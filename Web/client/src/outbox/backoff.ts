const FIRST = 1_000;
const LAST = 300_000;

/**
 * Returns the pause after a number of failures in a row, in milliseconds: `random` (0 to 1) times a bound that doubles.
 */
export function pauseAfter(failureCount: number, random: number): number {
  return Math.floor(random * Math.min(LAST, FIRST * 2 ** Math.min(failureCount - 1, 9)));
}
