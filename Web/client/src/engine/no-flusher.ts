import type { CacheError } from "../model/errors.js";
import { upkeep } from "../state/parts.js";
import type { EngineContext } from "./context.js";
import type { Storage } from "./storage.js";

/** The storage of a cache without a journal: writes nothing, and only evicts. */
export class NoFlusher implements Storage {
  /** Always `ok`. */
  readonly storage = "ok";

  /** Creates the storage of an engine without a journal. */
  constructor(private readonly engine: EngineContext) { }

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
