import type { CacheError } from "../model/errors.js";
import { upkeep } from "../parts/index.js";
import type { Engine } from "./engine.js";

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

/** The storage of a cache without a journal: writes nothing, and only evicts. */
export class NoFlusher implements Storage {
  /** Always `ok`. */
  readonly storage = "ok";

  /** Creates the storage of an engine without a journal. */
  constructor(private readonly engine: Engine) { }

  /** Evicts entities past the bound. */
  schedule(): void {
    if (this.engine.state.recency === null) return;
    upkeep.code.evict(this.engine.state, this.engine.now());
    this.engine.distribute();
  }

  /** Calls `done` at once. */
  wait(_isImpatient: boolean, done: (error: CacheError | null) => void): void { done(null); }

  /** Resolves at once. */
  async flush(): Promise<void> { /* nothing is kept */ }

  /** Does nothing. */
  close(): void { /* nothing is open */ }
}
