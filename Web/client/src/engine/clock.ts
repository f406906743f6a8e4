/** Time for a cache. */
export interface CacheClock {
  /** Milliseconds since 1970, whole; never less than before. */
  now(): number;
  /** Calls `body` after a time. Returns a function that takes it back. */
  schedule(milliseconds: number, body: () => void): () => void;
}

/** Timers that wait longer than this are set again: engines hold delays in 31 bits. */
const DELAY_MAX = 2 ** 30;

/** Timers that wait longer do not keep a program alive. */
const UNREF_DELAY_MIN = 1_000;

/** Returns the machine's clock: read once, then steady, so that whoever sets it changes no age. */
export function systemClock(): CacheClock {
  const start = Date.now();
  const origin = performance.now();
  const clock: CacheClock = {
    now: () => Math.floor(start + (performance.now() - origin)),
    schedule(milliseconds, body) {
      let timer: ReturnType<typeof setTimeout>;
      const set = (left: number): void => {
        timer = setTimeout(() => left > DELAY_MAX ? set(left - DELAY_MAX) : body(), Math.min(Math.max(left, 0), DELAY_MAX));
        // A question that is due in minutes does not keep a program of Node alive.
        if (left > UNREF_DELAY_MIN && typeof timer === "object") (timer as { unref?: () => void; }).unref?.();
      };
      set(milliseconds);
      return () => clearTimeout(timer);
    },
  };
  return clock;
}
