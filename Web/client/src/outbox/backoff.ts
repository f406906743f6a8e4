const FIRST = 1_000;
const LAST = 300_000;

/** Returns the pause after failures in a row, in milliseconds: anything up to a limit that doubles; `random`: 0 … 1. */
export function pauseAfter(failureCount: number, random: number): number {
  return Math.floor(random * Math.min(LAST, FIRST * 2 ** Math.min(failureCount - 1, 9)));
}
