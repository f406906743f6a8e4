import { CacheError } from "../model/errors.js";
import type { Part } from "../model/part.js";
import { isFull } from "../state/watch.js";
import type { EngineContext, Refuse, Step } from "./context.js";

interface WaitingStep {
  byteCount: number;
  body: Step;
  /** null for a line, which waits without a time limit. */
  refuse: Refuse | null;
}

/** Backoff between attempts to load a part, in milliseconds: doubles from 1 s to 30 s. */
const PAUSE_MIN = 1_000;
const PAUSE_MAX = 30_000;

/**
 * Lines and requests in the order of arrival. They wait while the journal is read, while a full library's upstream is
 * asked, and while a part of the client is loaded that the first one needs.
 */
export class InputQueue {
  private steps: WaitingStep[] = [];
  private byteCount = 0;
  private isDraining = false;
  private pause = 0;
  /** The part that the first step waits for; null when it waits for none. */
  awaited: Part<unknown> | null = null;

  /** Creates an empty queue. */
  constructor(private readonly engine: EngineContext) { }

  /** True while input waits. */
  get isWaiting(): boolean { return this.steps.length > 0 || !this.engine.isOpen || isFull(this.engine.state); }

  /**
   * Runs a step now, or once what it waits for is available. `refuse` receives the error if too much input is waiting
   * or the journal cannot be used; without it, that error is thrown.
   */
  run(byteCount: number, body: Step, refuse: Refuse | null): void {
    const { failure } = this.engine;
    if (failure !== null) return reject(refuse, failure);
    const isFirst = this.awaited === null && !this.isWaiting;
    const part = isFirst ? body() : null;
    if (isFirst && part === null) return;
    const isOver = this.byteCount + byteCount > this.engine.state.limits.aheadByteCountMax;
    if (isOver && (this.awaited !== null || !this.engine.isOpen)) {
      const what = this.awaited === null ? "the journal" : `the part ${this.awaited.name} of the client`;
      return reject(refuse, new CacheError("limit_exceeded", `input waits for ${what}: try again later`));
    }
    this.steps.push({ byteCount, body, refuse });
    this.byteCount += byteCount;
    if (part !== null) return this.waitFor(part);
    if (isOver && this.engine.isOpen) this.engine.gaps?.failAll(`${this.byteCount} bytes of other lines came while an answer was waited for`);
    this.drain();
  }

  /** Runs the waiting steps in order, until one has to wait again. */
  drain(): void {
    if (this.isDraining || !this.engine.isOpen || this.awaited !== null) return;
    this.isDraining = true;
    let part: Part<unknown> | null = null;
    while (part === null && !isFull(this.engine.state)) {
      const next = this.steps.shift();
      if (next === undefined) break;
      part = next.body();
      if (part === null) this.byteCount -= next.byteCount;
      else this.steps.unshift(next);
    }
    this.isDraining = false;
    if (part !== null) this.waitFor(part);
  }

  /** Refuses all waiting requests with an error, and drops all waiting lines. */
  fail(error: CacheError): void {
    for (const { refuse } of this.steps.splice(0)) refuse?.(error);
  }

  /** Resolves when no step waits for a part, or when one cannot be loaded. */
  async partsCame(): Promise<void> {
    let canLoad = true;
    while (canLoad && this.awaited !== null) canLoad = await this.awaited.load().then(() => true, () => false);
  }

  /** Loads a part and continues. While it cannot be loaded, requests are refused and lines wait. */
  private waitFor(part: Part<unknown>): void {
    this.awaited = part;
    part.load().then(
      () => {
        this.awaited = null;
        this.pause = 0;
        this.drain();
        this.engine.afterInput();
      },
      (error: unknown) => this.failed(part, error instanceof Error ? error.message : String(error)));
  }

  private failed(part: Part<unknown>, reason: string): void {
    const refused = this.steps.filter(({ refuse }) => refuse !== null);
    this.steps = this.steps.filter(({ refuse }) => refuse === null);
    this.byteCount = this.steps.reduce((sum, step) => sum + step.byteCount, 0);
    const message = `the part ${part.name} of the client cannot be loaded (${reason}): ask again later, or load the page again`;
    for (const { refuse } of refused) refuse?.(new CacheError("storage_failed", message));
    this.pause = Math.min(Math.max(PAUSE_MIN, 2 * this.pause), PAUSE_MAX);
    this.engine.clock.schedule(this.pause, () => {
      this.awaited = null;
      if (!this.engine.isClosed) this.drain();
    });
  }
}

/** Refuses a request. For a line, which has no `refuse`, throws to the caller that delivered it. */
function reject(refuse: Refuse | null, error: CacheError): void {
  if (refuse === null) throw error;
  refuse(error);
}
