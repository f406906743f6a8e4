// Gaps and lost ranges: timers, and the requests to the upstream. Protocol/sequencing.md.

import { byteLength } from "../json/utf8.js";
import { UpstreamError } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import { HealSchedule } from "../sequencing/heal.js";
import { sourceOf } from "../sequencing/held.js";
import { machineOf } from "../sequencing/reconcile.js";
import { applyAnswer, beginHealing, canHeal, expireGaps, failReconcile, nextGapDeadline, resumeReconcile } from "../state/reconcile.js";
import type { AnsweredLine, GapPatience } from "../state/reconcile.js";
import type { ReconcileRequest } from "../state/records.js";
import type { Library } from "../store/library.js";
import type { Line } from "../wire/events.js";
import type { EngineContext } from "./context.js";

/** Recovers missing events: waits, asks the upstream, and declares lost what no source has. */
export class Gaps {
  private readonly healing = new HealSchedule<Library>();
  private seenLossCount = -1;
  private cancelGapTimer: (() => void) | null = null;
  private cancelHealTimer: (() => void) | null = null;
  private healMoment = Infinity;
  private endWaiters: (() => void)[] = [];

  /** Creates the recovery of an engine's gaps. */
  constructor(private readonly engine: EngineContext) { }

  /** Checks what is missing after input or a response, and sets the timers. */
  follow(patience: GapPatience = this.engine.isAtEnd ? "none" : "window"): void {
    const { state } = this.engine;
    if (state.watched.length > 0) {
      this.perform(expireGaps(state, patience, this.engine.now()));
      this.engine.distribute();
      // Declaring a gap lost moves the cursor even without further input.
      this.engine.noteChanged();
    }
    this.followLosses();
    this.setGapTimer();
    if (!this.isBusy) for (const done of this.endWaiters.splice(0)) done();
    this.engine.drainInput();
  }

  /** Requests all lost events at once, as a cache does after opening. */
  healAll(): void {
    if (this.engine.upstream?.eventsSince == null) return;
    this.followLosses();
    this.healing.makeAllDue(this.engine.now());
    this.heal();
  }

  /** Ends the input: requests missing events at once, and resolves when each has arrived or is lost. */
  async end(): Promise<void> {
    this.follow("none");
    while (this.isBusy) await new Promise<void>((resolve) => this.endWaiters.push(resolve));
  }

  /** Fails all running requests for good. */
  failAll(message: string): void {
    for (const library of this.engine.state.libraries.values()) {
      const attempt = this.attemptOf(library);
      if (attempt !== null) {
        this.answered(library, attempt, null, new UpstreamError(message, true));
      }
    }
  }

  /** Cancels all timers and resumes every waiter of `end`. */
  close(): void {
    this.cancelGapTimer?.();
    this.cancelHealTimer?.();
    for (const cancel of this.pauses.values()) cancel();
    this.pauses.clear();
    for (const done of this.endWaiters.splice(0)) done();
  }

  private readonly pauses = new Map<Library, () => void>();
  private readonly attempts = new Map<Library, number>();

  private attemptOf(library: Library): number | null { return this.attempts.get(library) ?? null; }

  /** True while missing events are requested, or will be. */
  private get isBusy(): boolean {
    return this.engine.state.watched.some((library) => library.machine?.isActive === true && !library.machine.isHealing)
      || [...this.engine.state.libraries.values()].some((library) => library.machine?.isHealing === true);
  }

  private setGapTimer(): void {
    const deadline = nextGapDeadline(this.engine.state);
    if (this.cancelGapTimer !== null || deadline === null || this.engine.isClosed) return;
    this.cancelGapTimer = this.engine.clock.schedule(Math.max(1, deadline - this.engine.now()), () => {
      this.cancelGapTimer = null;
      if (!this.engine.isClosed) this.follow();
    });
  }

  private perform(requests: readonly ReconcileRequest[]): void {
    for (const request of requests) {
      if (request.is === "ask") {
        this.ask(request.library, request.from, request.attempt);
      } else {
        const { library, attempt, milliseconds } = request;
        this.pauses.get(library)?.();
        this.pauses.set(library, this.engine.clock.schedule(milliseconds, () => {
          this.pauses.delete(library);
          if (this.engine.isClosed) return;
          this.perform(resumeReconcile(this.engine.state, library, attempt, this.engine.now()));
          this.engine.distribute();
          this.follow();
        }));
      }
    }
  }

  private ask(library: Library, from: Sequence, attempt: number): void {
    const ask = this.engine.upstream?.eventsSince;
    if (ask == null) return;
    this.attempts.set(library, attempt);
    const answer = ask(library.name, from);
    answer.then(
      ({ lines, coveredThrough }) => this.answered(library, attempt, { lines: this.decoded(lines), coveredThrough }, null),
      (error: unknown) => this.answered(library, attempt, null, error));
  }

  /** Decodes the events in an upstream's response. */
  private decoded(lines: readonly string[]): AnsweredLine[] {
    return lines.map((text, index) => {
      const line: Line = {
        text, bytes: new Uint8Array(0), byteCount: byteLength(text), number: index + 1, offset: 0, isTooLong: false, piece: null,
      };
      return { decoded: this.engine.decode(line), source: { ...sourceOf(line), isUpstream: true } };
    });
  }

  private answered(
    library: Library, attempt: number, answer: { lines: AnsweredLine[]; coveredThrough: Sequence | null; } | null, error: unknown,
  ): void {
    if (this.engine.isClosed) return;
    const { state } = this.engine;
    if (this.attempts.get(library) === attempt) this.attempts.delete(library);
    const now = this.engine.now();
    const machine = machineOf(library);
    const wasHealing = machine.isHealing && machine.isAsking(attempt);
    const isFinal = error instanceof UpstreamError && error.isFinal;
    this.perform(answer === null
      ? failReconcile(state, library, attempt, isFinal, this.engine.random(), now)
      : applyAnswer(state, answer.lines, answer.coveredThrough, library, attempt, this.engine.random(), now));
    this.engine.distribute();
    if (answer === null && wasHealing && !isFinal) this.healing.unreached(library);
    if (this.healing.isAsking(library) && !machine.isHealing) {
      this.healing.answered(library, library.gate.lost.ranges, now);
    }
    if (answer !== null) this.healing.reached(library, now);
    this.healing.follow(this.lossy, now);
    this.follow();
    this.setHealTimer();
    this.engine.noteChanged();
  }

  // Healing

  private get lossy(): Library[] {
    return [...this.engine.state.libraries.values()].filter((library) => !library.gate.lost.isEmpty);
  }

  private followLosses(): void {
    const { state } = this.engine;
    if (this.engine.upstream?.eventsSince == null || this.seenLossCount === state.lossCount) return;
    this.seenLossCount = state.lossCount;
    this.healing.follow(this.lossy, this.engine.now());
    this.setHealTimer();
  }

  private setHealTimer(): void {
    const due = this.healing.nextDue ?? Infinity;
    if (this.engine.isClosed || due === this.healMoment) return;
    this.cancelHealTimer?.();
    this.healMoment = due;
    this.cancelHealTimer = due === Infinity ? null
      : this.engine.clock.schedule(Math.max(0, due - this.engine.now()), () => this.heal());
  }

  private heal(): void {
    this.healMoment = Infinity;
    this.cancelHealTimer = null;
    if (this.engine.isClosed) return;
    const { state } = this.engine;
    const now = this.engine.now();
    // The stream may have delivered lost events in the meantime.
    this.healing.follow(this.lossy, now);
    for (const library of this.healing.due(now)) {
      if (!canHeal(state, library)) {
        this.healing.postpone(library, now);
        continue;
      }
      const lost = library.gate.lost.ranges;
      const requests = beginHealing(state, library, now);
      this.healing.asked(library, lost);
      this.perform(requests);
    }
    this.setHealTimer();
  }
}
