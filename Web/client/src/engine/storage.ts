import type { CacheError } from "../model/errors.js";
import { upkeep } from "../parts/index.js";
import type { Engine } from "./engine.js";

/** How a cache keeps what changed. */
export interface Storage {
  /** `ok`, or the code of the last error. */
  readonly storage: string;
  /** Sees to it that what changed is written soon, and that limits hold. */
  schedule(): void;
  /** Calls `done` when everything that changed until now is durable, or when writing it failed. */
  wait(isImpatient: boolean, done: (error: CacheError | null) => void): void;
  /** Writes everything. Throws `storage_failed` when that does not work. */
  flush(): Promise<void>;
  close(): void;
}

/** The storage of a cache without a journal: everything is as durable as it can be. */
export class NoFlusher implements Storage {
  readonly storage = "ok";

  constructor(private readonly engine: Engine) { }

  schedule(): void {
    if (this.engine.state.recency === null) return;
    upkeep.code.evict(this.engine.state, this.engine.now());
    this.engine.distribute();
  }

  wait(_isImpatient: boolean, done: (error: CacheError | null) => void): void { done(null); }

  async flush(): Promise<void> { /* nothing is kept */ }

  close(): void { /* nothing is open */ }
}
