// The decisions of the outbox: which requests wait, which is sent next, and what follows a response. It reads no clock,
// and uses no disk and no server. Protocol/optimistic.md, the outbox.

import { byteLength } from "../json/utf8.js";
import { changesOut } from "../layers/changes.js";
import type { Layer } from "../layers/layer.js";
import type { LayerSending, MutationFailure } from "../layers/sending.js";
import { defaultLimits } from "../model/limits.js";
import { textOf } from "../out/value.js";
import { pauseAfter } from "./backoff.js";

/** The progress of a request. */
export type OutboxPhase =
  | { readonly is: "queued" | "sending" | "failed"; }
  | { readonly is: "waiting"; readonly until: number; }
  /** An older request carries this one. */
  | { readonly is: "member"; readonly of: OutboxItem; };

/** The request of a layer, in the outbox. */
export interface OutboxItem {
  /** The layer of the request. */
  readonly layer: Layer;
  /** The request and its attempts. */
  sending: LayerSending;
  /** The queue of the request. */
  readonly chain: Chain;
  /** The progress of the request. */
  phase: OutboxPhase;
  /** The failure of the last attempt; null if there is none. */
  lastFailure: MutationFailure | null;
  /** The newer requests that this one carries. */
  readonly members: Set<OutboxItem>;
}

/** A queue: the requests of one library and key, which are sent one after another. */
interface Chain {
  readonly name: string;
  /** The queued requests by layer number, ascending. */
  readonly items: OutboxItem[];
  /** The number of requests that belong to the queue, including those that are not queued. */
  count: number;
  sending: OutboxItem | null;
}

/** The progress of a request, as notifications report it. */
export interface OutboxStatus {
  /** The id of the edit. */
  readonly pendingId: string;
  /** Waiting for its turn, being sent, waiting for the next attempt, or failed for good. */
  readonly state: "queued" | "sending" | "waiting" | "failed";
  /** The number of attempts so far. */
  readonly attempt: number;
  /** The time of the next attempt in milliseconds since 1970; null if none is scheduled. */
  readonly nextAttemptAt: number | null;
  /** The failure of the last attempt; null if there is none. */
  readonly failure: MutationFailure | null;
}

/** What follows a failed attempt: nothing (it was no longer current), a retry, a final failure, or a rollback. */
export type Verdict = "ignored" | "again" | "failed" | "discarded";

const QUEUED: OutboxPhase = { is: "queued" };
const SENDING: OutboxPhase = { is: "sending" };
const FAILED: OutboxPhase = { is: "failed" };
/** Maximum number of requests that are sent at a time. */
const IN_FLIGHT_COUNT_MAX = 8;
/** Maximum number of newer requests that one request replaces. */
const MEMBER_COUNT_MAX = 1_000;
/**
 * Maximum bytes of the changes and input of a request that replaces others: a line's, less 64 KiB for the rest of the
 * message.
 */
const GROUP_BYTE_COUNT_MAX = defaultLimits.lineByteCountMax - (64 << 10);

/** The requests of pending layers. Bounded by the layers. */
export class OutboxQueue {
  private readonly byNumber = new Map<number, OutboxItem>();
  private readonly byPendingId = new Map<string, OutboxItem>();
  private readonly chains = new Map<string, Chain>();
  /** The chains whose first request may be sent. */
  private readonly ready = new Set<Chain>();
  private readonly waiting = new Set<OutboxItem>();
  private changed = new Set<OutboxItem>();
  /** Removed requests whose running attempts block their queue. At most 8. */
  private readonly held = new Set<OutboxItem>();
  private inFlightCount = 0;
  /** True while nothing is sent. */
  isPaused = false;

  /** The requests, oldest first. */
  get items(): OutboxItem[] {
    return [...this.byNumber.values()].sort((left, right) => left.layer.number - right.layer.number);
  }

  /** Returns the request of the layer with a number; null if there is none. */
  get(number: number): OutboxItem | null { return this.byNumber.get(number) ?? null; }

  // Layers

  /** Adds the request of a layer, or updates it. */
  put(layer: Layer, sending: LayerSending): void {
    const sender = sending.sentWith === null ? null : this.byPendingId.get(sending.sentWith) ?? null;
    let item = this.byNumber.get(layer.number);
    if (item === undefined) {
      const chain = this.takeChain(JSON.stringify([layer.library.name, sending.request.key]));
      item = { layer, sending, chain, phase: QUEUED, lastFailure: sending.failure, members: new Set() };
      chain.count += 1;
      this.byNumber.set(layer.number, item);
      this.byPendingId.set(layer.pendingId, item);
    }
    item.sending = sending;
    if (item.phase.is === "member" && item.phase.of !== sender) {
      item.phase.of.members.delete(item);
      this.setPhase(item, QUEUED);
    } else if (item.phase.is === "failed" && sending.failure === null) {
      this.setPhase(item, QUEUED);
      item.lastFailure = null;
    }
    if (sender !== null && item.phase.is === "queued") {
      this.setPhase(item, { is: "member", of: sender });
      sender.members.add(item);
    } else if (sending.failure !== null && item.phase.is !== "failed") {
      this.setPhase(item, FAILED);
      item.lastFailure = sending.failure;
    }
    this.changed.add(item);
    this.settleInChain(item);
  }

  /**
   * Removes the request of a layer that has settled or was rolled back. `holdsKey`: a running attempt blocks the next
   * request of the key until `endHeld`, since the server may still be performing this one.
   */
  remove(number: number, holdsKey = false): void {
    const item = this.byNumber.get(number);
    if (item === undefined) return;
    const { chain } = item;
    this.byNumber.delete(number);
    this.byPendingId.delete(item.layer.pendingId);
    this.changed.delete(item);
    if (item.phase.is === "member") item.phase.of.members.delete(item);
    if (item.phase.is === "sending" && holdsKey) this.held.add(item);
    else this.setPhase(item, QUEUED);
    takeOut(chain.items, item);
    for (const member of item.members) {
      this.setPhase(member, QUEUED);
      this.changed.add(member);
      this.settleInChain(member);
    }
    this.offer(chain);
    chain.count -= 1;
    this.dropIdle(chain);
  }

  /** Ends the running attempt of a removed request: the next request of its key may be sent. */
  endHeld(item: OutboxItem): void {
    if (!this.held.delete(item)) return;
    this.setPhase(item, QUEUED);
    this.dropIdle(item.chain);
    this.offer(item.chain);
  }

  /** True if the request was removed and its running attempt blocks its key. */
  isHeld(item: OutboxItem): boolean { return this.held.has(item); }

  private dropIdle(chain: Chain): void { if (chain.count === 0 && chain.sending === null) this.chains.delete(chain.name); }

  private takeChain(name: string): Chain {
    let chain = this.chains.get(name);
    if (chain === undefined) this.chains.set(name, chain = { name, items: [], count: 0, sending: null });
    return chain;
  }

  /**
   * Adds a request to its queue or removes it, depending on its phase, and offers the queue's first request for
   * sending.
   */
  private settleInChain(item: OutboxItem): void {
    const isOut = item.phase.is === "member" || item.phase.is === "failed" && item.sending.request.onFailure === "continue";
    if (isOut) takeOut(item.chain.items, item);
    else putIn(item.chain.items, item);
    this.offer(item.chain);
  }

  private setPhase(item: OutboxItem, phase: OutboxPhase): void {
    if (item.phase.is === "sending") {
      this.inFlightCount -= 1;
      item.chain.sending = null;
    }
    this.waiting.delete(item);
    item.phase = phase;
    if (phase.is === "waiting") this.waiting.add(item);
    if (phase.is !== "sending") return;
    this.inFlightCount += 1;
    item.chain.sending = item;
  }

  private offer(chain: Chain): void {
    const [first] = chain.items;
    const mayBeSent = chain.sending === null && chain.items.length > 0 && first.phase.is === "queued" && first.layer.dependsOn.length === 0;
    if (mayBeSent) this.ready.add(chain);
    else this.ready.delete(chain);
  }

  // Sending

  /**
   * Returns the next request, now marked as being sent, with the newer ones that it replaces; null if none may be sent
   * now.
   */
  next(): { item: OutboxItem; members: OutboxItem[]; } | null {
    if (this.isPaused || this.inFlightCount >= IN_FLIGHT_COUNT_MAX || this.ready.size === 0) return null;
    const firsts = [...this.ready].map((chain) => chain.items[0]);
    const item = firsts.reduce((oldest, one) => one.layer.number < oldest.layer.number ? one : oldest);
    const members = replaceable(item);
    this.setPhase(item, SENDING);
    this.ready.delete(item.chain);
    this.changed.add(item);
    return { item, members };
  }

  /** True if the attempt is still running. */
  isSending(item: OutboxItem, attempt: number): boolean {
    return this.byNumber.get(item.layer.number) === item && item.phase.is === "sending" && item.sending.attemptCount === attempt;
  }

  // Answers

  /** Handles a failed attempt, and decides what follows. `random` is from 0 to 1. */
  failed(item: OutboxItem, attempt: number, failure: MutationFailure, mayRetry: boolean, now: number, random: number): Verdict {
    if (!this.isSending(item, attempt)) return "ignored";
    const { sending } = item;
    const { attemptCountMax, duration, discardsOnFailure } = sending.request;
    const countedAttempts = sending.attemptCount - sending.forgivenCount;
    const isSpent = attemptCountMax !== null && countedAttempts >= attemptCountMax
      || duration !== null && now - (sending.firstAttemptAt ?? now) >= duration;
    item.lastFailure = failure;
    if (!mayRetry || isSpent) return discardsOnFailure ? "discarded" : "failed";
    this.wait(item, now + pauseAfter(countedAttempts, random));
    return "again";
  }

  /** Ends an attempt that was not sent because the journal failed, and schedules it again. */
  postpone(item: OutboxItem, attempt: number, until: number): void {
    if (this.isSending(item, attempt)) this.wait(item, until);
  }

  private wait(item: OutboxItem, until: number): void {
    this.setPhase(item, { is: "waiting", until });
    this.changed.add(item);
    // An older request of the queue may have been queued again during the attempt.
    this.offer(item.chain);
  }

  // Time and pauses

  /** When to call `wake` next; null if nothing waits. */
  get nextMoment(): number | null {
    if (this.isPaused) return null;
    let first: number | null = null;
    for (const { phase } of this.waiting) if (phase.is === "waiting" && (first === null || phase.until < first)) first = phase.until;
    return first;
  }

  /** Queues the waiting requests whose time has come. */
  wake(now: number): void {
    for (const item of [...this.waiting]) if (item.phase.is === "waiting" && item.phase.until <= now) this.hurry(item);
  }

  /** Queues a waiting request at once. */
  hurry(item: OutboxItem): void {
    if (item.phase.is !== "waiting") return;
    this.setPhase(item, QUEUED);
    this.changed.add(item);
    this.offer(item.chain);
  }

  // Statuses

  /** Returns the status of a request. */
  status(item: OutboxItem): OutboxStatus {
    const own = item.phase.is === "member" ? item.phase.of : item;
    const { phase } = own;
    return {
      pendingId: item.layer.pendingId, state: phase.is === "member" ? "queued" : phase.is, attempt: own.sending.attemptCount,
      nextAttemptAt: phase.is === "waiting" ? phase.until : null, failure: own.lastFailure,
    };
  }

  /**
   * Returns the requests whose status may have changed since the last call, with those that they carry, oldest first.
   */
  takeChanged(): OutboxItem[] {
    if (this.changed.size === 0) return [];
    const all = new Set([...this.changed].flatMap((item) => [item, ...item.members]));
    this.changed = new Set();
    return [...all].sort((left, right) => left.layer.number - right.layer.number);
  }
}

/** Returns the requests directly after one that its first attempt may replace. */
function replaceable({ chain, sending, layer }: OutboxItem): OutboxItem[] {
  const { request } = sending;
  const members: OutboxItem[] = [];
  if (!request.isReplaceable || sending.attemptCount > 0) return members;
  // The message has the changes of all, and the input of the newest.
  let changesByteCount = byteCountOf(layer);
  for (const next of chain.items) {
    if (next.layer.number <= layer.number) continue;
    const isTaken = members.length < MEMBER_COUNT_MAX && next.phase.is === "queued" && next.layer.dependsOn.length === 0
      && next.sending.attemptCount === 0 && next.sending.request.isReplaceable && next.sending.request.method === request.method;
    if (!isTaken) break;
    changesByteCount += byteCountOf(next.layer);
    if (changesByteCount + byteLength(next.sending.request.input) > GROUP_BYTE_COUNT_MAX) break;
    members.push(next);
  }
  return members;
}

/** Returns the bytes of a layer's changes in a message. */
function byteCountOf({ changes }: Layer): number { return byteLength(textOf(changesOut(changes))); }

/** Returns the index of the first item whose layer number is not below another. */
function placeOf(items: readonly OutboxItem[], number: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].layer.number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function putIn(items: OutboxItem[], item: OutboxItem): void {
  const place = placeOf(items, item.layer.number);
  if (items[place] !== item) items.splice(place, 0, item);
}

function takeOut(items: OutboxItem[], item: OutboxItem): void {
  const place = placeOf(items, item.layer.number);
  if (items[place] === item) items.splice(place, 1);
}
