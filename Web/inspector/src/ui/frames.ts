/** Something that is redrawn when it has changed. */
export interface Drawn {
  /** True if it is visible. While invisible it is not drawn; it is drawn when it is shown. */
  readonly isShown: boolean;
  /** Draws the current state. */
  draw(): void;
}

/** Minimum time between two updates in milliseconds: at most 60 a second. */
const INTERVAL = 1_000 / 60;

/** Draws everything that has changed in one update. */
export class Frames {
  private readonly waiting = new Set<Drawn>();
  private isScheduled = false;
  private last = -INTERVAL;
  /** The number of updates so far. */
  count = 0;

  /** Requests a redraw with the next update. */
  request(drawn: Drawn): void {
    this.waiting.add(drawn);
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    if (now - this.last < INTERVAL - 1) {
      requestAnimationFrame((next) => this.frame(next));
      return;
    }
    this.last = now;
    this.count += 1;
    this.isScheduled = false;
    const drawn = [...this.waiting];
    this.waiting.clear();
    for (const each of drawn) if (each.isShown) each.draw();
  }
}
