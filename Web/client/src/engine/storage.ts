import type { CacheError } from "../model/errors.js";

/** Writes the changes of a cache. */
export interface Storage {
  /** `ok`, or the code of the last error. */
  readonly storage: string;
  /** Schedules a write of what changed, and eviction if a limit is exceeded. */
  schedule(): void;
  /**
   * Calls `done` when every change made so far is durable (null), or when writing it failed. `isImpatient`: the first
   * failure is reported; otherwise the fifth in a row.
   */
  wait(isImpatient: boolean, done: (error: CacheError | null) => void): void;
  /** Writes all changes. Rejects with `storage_failed` if writing fails. */
  flush(): Promise<void>;
  /** Stops the timers. */
  close(): void;
}
