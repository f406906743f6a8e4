/** The time source and timers of a cache. */
export interface CacheClock {
  /** Returns whole milliseconds since 1970; never less than the last time. */
  now(): number;
  /** Calls `body` after a delay in milliseconds. Returns a function that cancels the call. */
  schedule(milliseconds: number, body: () => void): () => void;
}

/**
 * Longest delay of one timer in milliseconds; longer ones are set again. JavaScript engines store delays in 31 bits.
 */
const DELAY_MAX = 2 ** 30;

/** Timers with a longer delay, in milliseconds, do not keep a Node program alive. */
const UNREF_DELAY_MIN = 1_000;

/** Returns the system clock, read once and then advanced steadily: setting the machine's clock changes no age. */
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
