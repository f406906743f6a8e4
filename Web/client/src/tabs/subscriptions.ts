// The observations of a following tab, and their restart in each new writing tab.

import type { CacheClock } from "../engine/clock.js";
import type { Notification, Sink } from "../engine/notifications.js";
import { memberOf } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import { textOf } from "../out/value.js";
import type { Out } from "../out/value.js";
import { Subscription, renumbered } from "./subscription.js";

/** How long a refused observation waits until it is tried again, in milliseconds. */
const RETRY_DELAY = 5_000;

/** The observations of a tab, by their number here and by their number in the writing tab. */
export class Subscriptions {
  private readonly byNumber = new Map<number, Subscription>();
  private readonly byRemote = new Map<number, Subscription>();
  /** The observations that are being restarted in another writing tab, by request. */
  private readonly resuming = new Map<number, Subscription>();
  /** Cancels the timer that restarts refused observations; null while none was refused. */
  private stopRetrying: (() => void) | null = null;
  private lastNumber = 0;
  private isEnded = false;

  /** `nextId` gives a request its number; `send` asks the writing tab for an observation. */
  constructor(
    private readonly clock: CacheClock, private readonly nextId: () => number,
    private readonly send: (id: number, method: string, json: string) => void,
  ) { }

  /** The numbers in the writing tab. */
  get remotes(): number[] { return [...this.byRemote.keys()]; }

  /** Adds an observation with its first answer, and returns the answer with this tab's number. */
  add(method: string, json: string, sink: Sink, answer: string): Out {
    this.lastNumber += 1;
    const subscription = new Subscription(this.lastNumber, method, json, sink);
    const own = subscription.begin(answer);
    this.byNumber.set(subscription.number, subscription);
    this.linkRemote(subscription);
    return own;
  }

  /** Removes the observation that the params of `observe.cancel` name. */
  cancel(json: string): void {
    const subscription = this.named(json);
    if (subscription === undefined) return;
    this.byNumber.delete(subscription.number);
    if (subscription.remote !== null) this.byRemote.delete(subscription.remote);
  }

  /** Notes the window to which the params of `view.move` have moved an observation. */
  move(json: string): void { this.named(json)?.move(json); }

  /** Returns the params of a request about an observation with the writing tab's number. */
  remoteParams(json: string): string {
    const remote = this.named(json)?.remote ?? null;
    return remote === null ? json : renumbered(json, remote);
  }

  /** Passes a notification on to the observation that has `remote` in the writing tab. */
  tell(remote: number, method: Notification["method"], params: string): void {
    const subscription = this.byRemote.get(remote);
    if (method === "view.ended" && subscription !== undefined) {
      this.byNumber.delete(subscription.number);
      this.byRemote.delete(remote);
    }
    subscription?.tell(method, params);
  }

  /** True if the data of an observation shows a pending edit; null if there is no such observation. */
  isPending(number: number): boolean | null { return this.byNumber.get(number)?.isPending ?? null; }

  /** Notes whether the observation that has `remote` in the writing tab shows a pending edit. */
  setPending(remote: number, isPending: boolean): void {
    const subscription = this.byRemote.get(remote);
    if (subscription !== undefined) subscription.isPending = isPending;
  }

  /** Starts every observation anew: another tab writes. */
  resumeAll(): void {
    this.byRemote.clear();
    this.resuming.clear();
    this.stop();
    for (const subscription of [...this.byNumber.values()]) {
      subscription.remote = null;
      this.resume(subscription);
    }
  }

  /** Handles the outcome of a restart. Returns false if request `id` is none. */
  answered(id: number, outcome: Out | CacheError): boolean {
    const subscription = this.resuming.get(id);
    if (subscription === undefined) return false;
    this.resuming.delete(id);
    if (!this.byNumber.has(subscription.number)) return true;
    if (outcome instanceof CacheError) {
      this.retryLater();
      return true;
    }
    subscription.resume(textOf(outcome));
    this.linkRemote(subscription);
    return true;
  }

  /** Restarts nothing any more. */
  end(): void {
    this.isEnded = true;
    this.stop();
  }

  private stop(): void {
    this.stopRetrying?.();
    this.stopRetrying = null;
  }

  private named(json: string): Subscription | undefined {
    return this.byNumber.get(Number(memberOf(json, "subscription")));
  }

  private linkRemote(subscription: Subscription): void {
    if (subscription.remote !== null) this.byRemote.set(subscription.remote, subscription);
  }

  private resume(subscription: Subscription): void {
    // The answer may come before `send` returns.
    const id = this.nextId();
    this.resuming.set(id, subscription);
    this.send(id, subscription.method, subscription.json);
  }

  /** Restarts refused observations after a while: the writing tab may have had too many. */
  private retryLater(): void {
    if (this.isEnded) return;
    this.stopRetrying ??= this.clock.schedule(RETRY_DELAY, () => {
      this.stopRetrying = null;
      const started = new Set(this.resuming.values());
      for (const subscription of this.byNumber.values()) {
        if (subscription.remote === null && !started.has(subscription)) this.resume(subscription);
      }
    });
  }
}
