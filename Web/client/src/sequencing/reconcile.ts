/**
 * What to do next about a library's missing events: ask, wait, give up, stop because nothing is missing, or nothing.
 */
export type ReconcileAction =
  | { is: "ask"; attempt: number; } | { is: "wait"; attempt: number; milliseconds: number; }
  | { is: "give_up"; } | { is: "settled"; } | { is: "ignore"; };

/** Pause in milliseconds before a request that cannot be made now. */
export const POSTPONE_DELAY = 1_000;
const FAILURE_COUNT_MAX = 5;
const DELAY_BASE = 250;
const DELAY_MAX = 30_000;

/**
 * The requests of one library to its upstream: one at a time, with bounded retries. Late responses are ignored. Pure:
 * the engine performs the actions, and passes time and random numbers.
 */
export class ReconcileMachine {
  private state: "idle" | "asking" | "waiting" = "idle";
  private purpose: "gap" | "healing" = "gap";
  private attempt: number;
  private failureCount = 0;
  /** When the open request was made, in milliseconds since 1970. It does not cover gaps that opened later. */
  askedAt = 0;

  /** Creates an idle machine. `attempt` is the number of attempts so far. */
  constructor(attempt: number) { this.attempt = attempt; }

  /** True while a request is open, or a retry is scheduled. */
  get isActive(): boolean { return this.state !== "idle"; }

  /** True if the open request is for lost events. */
  get isHealing(): boolean { return this.isActive && this.purpose === "healing"; }

  /** True if the attempt with this number is open. */
  isAsking(attempt: number): boolean { return this.state === "asking" && attempt === this.attempt; }

  /** Starts a request for a gap, or for lost events. */
  start(purpose: "gap" | "healing", now: number): ReconcileAction {
    this.purpose = purpose;
    if (purpose === "gap") this.failureCount = 0;
    return this.ask(now);
  }

  /** Ends a request for lost events. */
  healed(attempt: number): ReconcileAction {
    return this.isHealing && this.isAsking(attempt) ? this.stop({ is: "settled" }) : { is: "ignore" };
  }

  /** Decides what follows a response whose events were applied. `random` is from 0 to 1. */
  answered(attempt: number, hasProgress: boolean, isMissing: boolean, random: number, now: number): ReconcileAction {
    if (!this.isAsking(attempt)) return { is: "ignore" };
    if (!isMissing) return this.stop({ is: "settled" });
    if (hasProgress) {
      this.failureCount = 0;
      return this.ask(now);
    }
    return this.retry(random);
  }

  /** Decides what follows a failure. `isFinal`: a retry cannot succeed. */
  failed(attempt: number, isFinal: boolean, random: number): ReconcileAction {
    if (!this.isAsking(attempt)) return { is: "ignore" };
    return isFinal ? this.stop({ is: "give_up" }) : this.retry(random);
  }

  /** Continues after a pause. */
  resumed(attempt: number, isMissing: boolean, now: number): ReconcileAction {
    if (this.state !== "waiting" || attempt !== this.attempt) return { is: "ignore" };
    return this.purpose === "healing" || isMissing ? this.ask(now) : this.stop({ is: "settled" });
  }

  /** Cancels the request, because the log began anew or the missing events arrived on the stream. */
  cancel(): void {
    this.state = "idle";
    this.attempt += 1;
  }

  private ask(now: number): ReconcileAction {
    this.state = "asking";
    this.attempt += 1;
    this.askedAt = now;
    return { is: "ask", attempt: this.attempt };
  }

  private retry(random: number): ReconcileAction {
    const delay = Math.min(DELAY_BASE * 2 ** this.failureCount, DELAY_MAX);
    this.failureCount += 1;
    if (this.failureCount >= FAILURE_COUNT_MAX) return this.stop({ is: "give_up" });
    this.state = "waiting";
    return { is: "wait", attempt: this.attempt, milliseconds: Math.floor(delay * random) };
  }

  private stop(action: ReconcileAction): ReconcileAction {
    this.state = "idle";
    return action;
  }
}

/** Returns the machine of a library, which is created for its first request. */
export function machineOf(library: { machine: ReconcileMachine | null; readonly logCount: number; }): ReconcileMachine {
  return library.machine ??= new ReconcileMachine(library.logCount);
}
