import type { LibraryStatus } from "../state/records.js";
import type { EngineContext } from "./context.js";

interface Waiter {
  library: string;
  isReached(status: LibraryStatus): boolean;
  done(status: LibraryStatus): void;
}

/** Requests that wait for a library to reach a position; bounded by the number of requests that may wait. */
export class PositionWaiters {
  private waiters: Waiter[] = [];

  /** Creates an empty table. */
  constructor(private readonly engine: EngineContext) { }

  /** Calls `done` when `isReached` holds for a library's status, at the latest when the cache closes. */
  wait(library: string, isReached: Waiter["isReached"], done: Waiter["done"]): void {
    const status = this.engine.status(library);
    if (isReached(status) || this.engine.isClosed) done(status);
    else this.waiters.push({ library, isReached, done });
  }

  /** Answers the requests whose position is reached; all of them when `isAtEnd`. */
  wake(isAtEnd: boolean): void {
    const waiters = this.waiters;
    if (waiters.length === 0) return;
    this.waiters = [];
    for (const waiter of waiters) {
      const status = this.engine.status(waiter.library);
      if (isAtEnd || waiter.isReached(status)) waiter.done(status);
      else this.waiters.push(waiter);
    }
  }
}
