import type { LibraryStatus } from "../state/records.js";
import type { Engine } from "./engine.js";

interface Waiter {
  library: string;
  isReached(status: LibraryStatus): boolean;
  done(status: LibraryStatus): void;
}

/** Requests that wait until a library is somewhere; bounded by the requests that may wait. */
export class PositionWaiters {
  private waiters: Waiter[] = [];

  constructor(private readonly engine: Engine) { }

  /** Calls `done` when a library is where it should be, or when nothing can come any more. */
  wait(library: string, isReached: Waiter["isReached"], done: Waiter["done"]): void {
    const status = this.engine.status(library);
    if (isReached(status) || this.engine.isClosed) done(status);
    else this.waiters.push({ library, isReached, done });
  }

  /** Answers those whose position is reached; all of them at the end. */
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
