// Sends pending edits. A request is sent only after its layer and the number of the attempt are in the journal, so that
// the server never receives an edit that a restart has forgotten. Protocol/optimistic.md, the outbox.

import type { Layer } from "../layers/layer.js";
import { boundedFailure } from "../layers/sending.js";
import type { MutationFailure } from "../layers/sending.js";
import { CacheError, UpstreamError } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import { textOf } from "../out/value.js";
import type { Out } from "../out/value.js";
import { OutboxQueue } from "../outbox/queue.js";
import type { OutboxItem, OutboxStatus } from "../outbox/queue.js";
import { Params } from "../params/params.js";
import { confirmationOf } from "../params/steps.js";
import { clearCount } from "../state/clears.js";
import { confirm, renameLate, rollBack } from "../state/layers.js";
import type { Confirmation } from "../state/layers.js";
import { beginAttempt, discardedWith, failAttempt, failRequest, keepSentGroups, retryRequest } from "../state/outbox.js";
import { stackOf } from "../state/stack.js";
import type { EngineContext } from "./context.js";

/** Delay in milliseconds before an attempt is repeated that was not sent because the journal failed. */
const POSTPONED = 1_000;
/** Error codes of a refusal after which the mutation is still sent again. */
const passing: readonly string[] = ["offline", "timed_out", "connection_lost"];

/** Maximum number of attempts that await a response although their edits are gone; beyond it the oldest is given up. */
const LATE_COUNT_MAX = 64;

/** A running attempt. */
interface Attempt {
  readonly number: number;
  /** The generation of the library's log when the request was sent: sequences in the response refer to that log. */
  generation: number;
  /** How often the library had been cleared when the request was sent. */
  clearCount: number;
  /** True once the request has been sent: a response may arrive. */
  hasLeft: boolean;
  cancelTimer: (() => void) | null;
}

/** The outbox of a cache: performs the decisions of an `OutboxQueue`. */
export class Outbox {
  private readonly queue = new OutboxQueue();
  /** The running attempts: at most 8, and up to 64 whose edits are gone. */
  private readonly attempts = new Map<OutboxItem, Attempt>();
  /** The status last reported for each request, as JSON. */
  private readonly shown = new WeakMap<OutboxItem, string>();
  private cancelTimer: (() => void) | null = null;
  private isFollowing = false;
  private isStopped = false;

  /** Creates an outbox without requests. */
  constructor(private readonly engine: EngineContext) { }

  /** Takes over the layers restored from the journal. Sends no notification for those that did not change. */
  restore(): void {
    keepSentGroups(this.engine.state);
    this.takeChanges();
    this.queue.takeChanged();
  }

  /** Stops sending. Responses and errors of running attempts are ignored. */
  stop(): void {
    this.isStopped = true;
    this.cancelTimer?.();
    for (const attempt of this.attempts.values()) attempt.cancelTimer?.();
  }

  /** Stops sending until `resume`; running attempts continue. */
  pause(): void { this.queue.isPaused = true; }

  /** Continues sending; requests that wait for their next attempt are sent at once. */
  resume(): void {
    this.queue.isPaused = false;
    this.queue.wake(Infinity);
    this.follow(true);
  }

  /** Sends a failed or waiting request now. Throws `invalid_params` if the edit has no request. */
  retry(pendingId: string, library: string | null): void {
    const layer = retryRequest(this.engine.state, pendingId, library);
    if (layer === null) {
      throw new CacheError("invalid_params", `'${pendingId}' has no request to send: pass send with optimistic.update`);
    }
    const item = this.queue.get(layer.number);
    if (item !== null) this.queue.hurry(item);
    this.follow(true);
  }

  /** Returns the result of `outbox.list`, for one library or (null) for all. */
  list(library: string | null): Out {
    const items = this.queue.items.filter(({ layer }) => library === null || layer.library.name === library);
    return {
      outbox: items.map((item) => {
        const status = this.queue.status(item);
        return { ...statusOut(status), error: failureOut(status.failure) };
      }),
    };
  }

  // Following the layers

  /**
   * Takes over changed requests, sends those that are due, and reports new statuses. Runs in the step of the change.
   */
  follow(isForced = false): void {
    if (this.isFollowing || !isForced && !this.engine.state.layers.hasChangedRequests) return;
    this.isFollowing = true;
    this.takeChanges();
    if (this.maySend) {
      for (let start = this.queue.next(); start !== null; start = this.queue.next()) this.begin(start.item, start.members);
      this.setTimer();
    }
    this.isFollowing = false;
    this.tell();
  }

  private get maySend(): boolean { return this.engine.upstream?.send != null && !this.isStopped && !this.engine.isClosed && this.engine.isOpen; }

  private takeChanges(): void {
    const layers = stackOf(this.engine.state);
    const { changed, unanswered } = layers.takeChangedRequests();
    for (const layer of changed) {
      if (layers.get(layer.pendingId) === layer && layer.sending !== null) {
        this.queue.put(layer, layer.sending);
        continue;
      }
      const item = this.queue.get(layer.number);
      if (item !== null) this.remove(item, unanswered.has(layer));
    }
  }

  /**
   * Removes a request. A running attempt continues, because its response may contain real ids. `isUnanswered`: only the
   * response tells whether the mutation happened, so the next request of the key waits for it.
   */
  private remove(item: OutboxItem, isUnanswered: boolean): void {
    const isUnderWay = this.attempts.has(item);
    this.queue.remove(item.layer.number, isUnderWay && isUnanswered);
    if (!isUnderWay) return;
    const late = [...this.attempts].filter(([one, { hasLeft }]) =>
      hasLeft && this.queue.get(one.layer.number) !== one && !this.queue.isHeld(one));
    if (late.length <= LATE_COUNT_MAX) return;
    this.endAttempt(late.map(([one]) => one).reduce((oldest, one) => one.layer.number < oldest.layer.number ? one : oldest));
  }

  private tell(): void {
    for (const item of this.queue.takeChanged()) {
      if (this.queue.get(item.layer.number) !== item) continue;
      const status = this.queue.status(item);
      const params = { ...statusOut(status), error: failureOut(status.failure) ?? undefined };
      const text = textOf(params);
      if (this.shown.get(item) === text) continue;
      this.shown.set(item, text);
      this.notify(params);
    }
  }

  private notify(params: { readonly [name: string]: Out; }): void {
    for (const sink of this.engine.sinks) this.engine.observers.tell(sink, { method: "outbox.changed", params });
  }

  private setTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    const moment = this.queue.nextMoment;
    if (moment === null) return;
    this.cancelTimer = this.engine.clock.schedule(Math.max(0, moment - this.engine.now()), () => {
      this.cancelTimer = null;
      this.queue.wake(Math.max(moment, this.engine.now()));
      this.follow(true);
    });
  }

  // An attempt

  /** Starts an attempt: sends the request once its attempt count is durable. */
  private begin(item: OutboxItem, members: readonly OutboxItem[]): void {
    const { state, flusher } = this.engine;
    beginAttempt(state, item.layer, members.map(({ layer }) => layer), this.engine.now());
    this.takeChanges();
    const attempt: Attempt = { number: item.sending.attemptCount, generation: 0, clearCount: 0, hasLeft: false, cancelTimer: null };
    this.attempts.set(item, attempt);
    flusher.wait(true, (error) => {
      if (error === null && this.send(item, attempt)) return;
      this.endAttempt(item);
      if (error !== null) this.queue.postpone(item, attempt.number, this.engine.now() + POSTPONED);
      // The end of an unsent attempt may release the next request of its key.
      this.follow(true);
    });
  }

  /** Sends an attempt's request. False if there is nothing left to send. */
  private send(item: OutboxItem, attempt: Attempt): boolean {
    const { upstream, state, clock, fetchTimeout } = this.engine;
    if (!this.maySend || upstream?.send == null || !this.queue.isSending(item, attempt.number)) return false;
    const { input, changes } = stackOf(state).outgoing(item.layer);
    const mutation = {
      pending_id: item.layer.pendingId, method: item.sending.request.method, input: new Raw(input), attempt: attempt.number,
      library_id: item.layer.library.name, changes: new Raw(changes),
    };
    // A new log may have begun during the journal's write: the response will refer to the current log.
    attempt.generation = item.layer.library.gate.generation;
    attempt.clearCount = clearCount(state, item.layer.library);
    attempt.hasLeft = true;
    if (upstream.hasTimeout !== true) {
      attempt.cancelTimer = clock.schedule(fetchTimeout, () =>
        this.failed(item, attempt, boundedFailure(`no answer came in ${fetchTimeout} ms`, "timed_out"), true));
    }
    upstream.send(textOf(mutation)).then(
      (answer) => this.answered(item, attempt, answer),
      (error: unknown) => this.failed(item, attempt, failureOf(error), isWorthRetrying(error)));
    return true;
  }

  /** Ends an attempt that was answered, failed, or is no longer awaited. */
  private endAttempt(item: OutboxItem): void {
    this.attempts.get(item)?.cancelTimer?.();
    this.attempts.delete(item);
    this.queue.endHeld(item);
  }

  // Answers

  private answered(item: OutboxItem, attempt: Attempt, answer: string): void {
    if (this.isStopped || this.engine.isClosed || this.attempts.get(item) !== attempt) return;
    if (!this.queue.isSending(item, attempt.number)) return this.answeredLate(item, answer);
    const fail = (message: string, code: string | null): void => this.failed(item, attempt, boundedFailure(message, code), false);
    let confirmation: Confirmation;
    try {
      confirmation = confirmationOf(new Params(answer, "result"), this.engine.state, item.layer.pendingId);
    } catch (error) {
      if (!(error instanceof CacheError)) throw error;
      return fail(`the host's answer to mutation.send cannot be used: ${error.message}`, null);
    }
    // The mutation happened, but a clear came after it: its resources are not stored.
    if (clearCount(this.engine.state, item.layer.library) !== attempt.clearCount && confirmation.confirmed !== null) {
      confirmation = { ...confirmation, confirmed: [] };
    }
    try {
      confirm(
        this.engine.state, { ...confirmation, library: item.layer.library.name, generation: attempt.generation }, this.engine.now());
    } catch (error) {
      if (!(error instanceof CacheError)) throw error;
      return fail(`the answer cannot be used: ${error.message}`, error.code);
    }
    this.endAttempt(item);
    this.engine.distribute();
    this.engine.noteChanged();
  }

  /** Handles a response whose edit has settled or was rolled back: uses only its real ids. */
  private answeredLate(item: OutboxItem, answer: string): void {
    const { state } = this.engine;
    const { pendingId, library } = item.layer;
    try {
      const { realIds } = confirmationOf(new Params(answer, "result"), state, pendingId);
      if (realIds.length > 0) renameLate(state, { pendingId, library: library.name, realIds }, this.engine.now());
    } catch (error) {
      // An unusable response contains no usable ids.
      if (!(error instanceof CacheError)) throw error;
    }
    // Only now may the next request of the key be sent, with the real ids.
    this.endAttempt(item);
    this.engine.distribute();
    this.follow(true);
    this.engine.noteChanged();
  }

  private failed(item: OutboxItem, attempt: Attempt, failure: MutationFailure, mayRetry: boolean): void {
    if (this.isStopped || this.engine.isClosed || this.attempts.get(item) !== attempt) return;
    this.endAttempt(item);
    const { state } = this.engine;
    const now = this.engine.now();
    switch (this.queue.failed(item, attempt.number, failure, mayRetry, now, this.engine.random())) {
      // The end of the attempt may release the next request of its key.
      case "ignored": break;
      case "again": failAttempt(state, item.layer); break;
      case "failed": failRequest(state, item.layer, failure); break;
      case "discarded": this.discard(item.layer, failure, now);
    }
    this.follow(true);
    this.engine.noteChanged();
  }

  /** Rolls back the edits that a request was sent for, and reports the failure. */
  private discard(sender: Layer, failure: MutationFailure, now: number): void {
    const { state } = this.engine;
    const gone = discardedWith(state, sender);
    for (const layer of stackOf(state).group(sender).reverse()) {
      // Rolling back a newer edit may have removed this one too.
      if (stackOf(state).get(layer.pendingId) === layer) rollBack(state, layer.pendingId, null, now);
    }
    this.engine.distribute();
    for (const { layer: { pendingId }, attemptCount } of gone) {
      this.notify({ pending_id: pendingId, state: "discarded", attempt: attemptCount, next_attempt_at: null, error: failureOut(failure) });
    }
  }
}

function failureOf(error: unknown): MutationFailure {
  const { code } = typeof error === "object" && error !== null ? error as { code?: unknown; } : { code: null };
  return boundedFailure(error instanceof Error ? error.message : String(error), typeof code === "string" ? code : null);
}

/** True if a mutation with this error is sent again: the server did not refuse it, or may accept it later. */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return true;
  return error.retries ?? (!error.isRefusal || error.code !== null && passing.includes(error.code));
}

function statusOut({ pendingId, state, attempt, nextAttemptAt }: OutboxStatus): { readonly [name: string]: Out; } {
  return { pending_id: pendingId, state, attempt, next_attempt_at: nextAttemptAt };
}

function failureOut(failure: MutationFailure | null): Out {
  return failure === null ? null : { message: failure.message, code: failure.code ?? undefined };
}
