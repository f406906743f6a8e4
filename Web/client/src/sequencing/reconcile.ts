/** What a library's conversation with its upstream leads to. */
export type ReconcileAction =
  | { is: "ask"; attempt: number; } | { is: "wait"; attempt: number; milliseconds: number; }
  | { is: "give_up"; } | { is: "settled"; } | { is: "ignore"; };

/** The pause of a request that cannot be made now: 1 s. */
export const POSTPONE_DELAY = 1_000;
const FAILURE_COUNT_MAX = 5;
const DELAY_BASE = 250;
const DELAY_MAX = 30_000;

/**
 * The requests of one library to its upstream: one at a time, with bounded retries; late answers are ignored.
 * Pure: the engine performs the actions, time and chance are arguments.
 */
export class ReconcileMachine {
  private state: "idle" | "asking" | "waiting" = "idle";
  private purpose: "gap" | "healing" = "gap";
  private attempt: number;
  private failureCount = 0;
  /** When the open request was made: gaps that opened later are not part of it. */
  askedAt = 0;

  /** `attempt`: the number of attempts so far. */
  constructor(attempt: number) { this.attempt = attempt; }

  get isActive(): boolean { return this.state !== "idle"; }

  /** Whether the request under way is for lost numbers. */
  get isHealing(): boolean { return this.isActive && this.purpose === "healing"; }

  isAsking(attempt: number): boolean { return this.state === "asking" && attempt === this.attempt; }

  /** Begins a request for a gap, or for lost numbers. */
  start(purpose: "gap" | "healing", now: number): ReconcileAction {
    this.purpose = purpose;
    if (purpose === "gap") this.failureCount = 0;
    return this.ask(now);
  }

  /** Ends a request for lost numbers. */
  healed(attempt: number): ReconcileAction {
    return this.isHealing && this.isAsking(attempt) ? this.stop({ is: "settled" }) : { is: "ignore" };
  }

  /** Decides what follows an answer whose events were applied; `random` is in 0 … 1. */
  answered(attempt: number, hasProgress: boolean, isMissing: boolean, random: number, now: number): ReconcileAction {
    if (!this.isAsking(attempt)) return { is: "ignore" };
    if (!isMissing) return this.stop({ is: "settled" });
    if (hasProgress) {
      this.failureCount = 0;
      return this.ask(now);
    }
    return this.retry(random);
  }

  /** Decides what follows a failure; `isFinal`: another attempt is useless. */
  failed(attempt: number, isFinal: boolean, random: number): ReconcileAction {
    if (!this.isAsking(attempt)) return { is: "ignore" };
    return isFinal ? this.stop({ is: "give_up" }) : this.retry(random);
  }

  /** Goes on after a pause. */
  resumed(attempt: number, isMissing: boolean, now: number): ReconcileAction {
    if (this.state !== "waiting" || attempt !== this.attempt) return { is: "ignore" };
    return this.purpose === "healing" || isMissing ? this.ask(now) : this.stop({ is: "settled" });
  }

  /** Ends the request: the log began anew, or what was missing came without an answer. */
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

/** Returns the machine of a library, which is made with its first conversation. */
export function machineOf(library: { machine: ReconcileMachine | null; readonly logCount: number; }): ReconcileMachine {
  return library.machine ??= new ReconcileMachine(library.logCount);
}
