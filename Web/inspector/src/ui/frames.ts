/** Something that is drawn again when it changed. */
export interface Drawn {
  /** Whether anybody sees it. What nobody sees is not drawn; it is drawn when it is shown. */
  readonly isShown: boolean;
  draw(): void;
}

/** The least time between two updates: the page takes at most 60 a second. */
const INTERVAL = 1_000 / 60;

/** Draws what changed, all of it in one update. */
export class Frames {
  private readonly waiting = new Set<Drawn>();
  private isScheduled = false;
  private last = -INTERVAL;
  /** The number of updates so far. */
  count = 0;

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
