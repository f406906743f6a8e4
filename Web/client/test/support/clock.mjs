/** A clock that a test controls. */
export class ManualClock {
  timers = new Set();

  constructor(start) { this.time = start; }

  now() { return this.time; }

  schedule(milliseconds, body) {
    const timer = { due: this.time + milliseconds, body };
    this.timers.add(timer);
    return () => { this.timers.delete(timer); };
  }

  /** Advances the clock, and calls what becomes due, in order. */
  advance(milliseconds) {
    const end = this.time + milliseconds;
    for (; ;) {
      const [next] = [...this.timers].filter(({ due }) => due <= end).sort((left, right) => left.due - right.due);
      if (next === undefined) break;
      this.time = Math.max(this.time, next.due);
      this.timers.delete(next);
      next.body();
    }
    this.time = end;
  }
}
