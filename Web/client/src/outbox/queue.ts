// The decisions of the outbox: which requests wait, which is sent next, and what follows an answer. It knows no time, disk or
// server. Protocol/optimistic.md, the outbox.

import { byteLength } from "../json/utf8.js";
import type { Layer } from "../layers/layer.js";
import { changesOut } from "../methods/changes.js";
import { defaultLimits } from "../model/limits.js";
import { textOf } from "../out/value.js";
import { pauseAfter } from "./backoff.js";
import type { LayerSending, MutationFailure } from "./sending.js";

/** Where a request stands. */
export type OutboxPhase =
  | { readonly is: "queued" | "sending" | "failed"; }
  | { readonly is: "waiting"; readonly until: number; }
  /** The request is a part of an older one. */
  | { readonly is: "member"; readonly of: OutboxItem; };

/** One request of a layer. */
export interface OutboxItem {
  readonly layer: Layer;
  sending: LayerSending;
  readonly chain: Chain;
  phase: OutboxPhase;
  /** The failure of the last attempt. */
  lastFailure: MutationFailure | null;
  /** The requests that are a part of this one. */
  readonly members: Set<OutboxItem>;
}

/** The requests of one library and key, which are sent one after another. */
interface Chain {
  readonly name: string;
  /** By number, ascending. */
  readonly items: OutboxItem[];
  /** The requests that belong to it, those too that do not stand in line. */
  count: number;
  sending: OutboxItem | null;
}

/** The progress of a request, as it is told. */
export interface OutboxStatus {
  readonly pendingId: string;
  readonly state: "queued" | "sending" | "waiting" | "failed";
  readonly attempt: number;
  readonly nextAttemptAt: number | null;
  readonly failure: MutationFailure | null;
}

/** What follows an attempt without a confirmation. */
export type Verdict = "ignored" | "again" | "failed" | "discarded";

const QUEUED: OutboxPhase = { is: "queued" };
const SENDING: OutboxPhase = { is: "sending" };
const FAILED: OutboxPhase = { is: "failed" };
/** The requests that are sent at a time. */
const IN_FLIGHT_COUNT_MAX = 8;
/** The newer requests that one request replaces at most. */
const MEMBER_COUNT_MAX = 1_000;
/** The bytes of the changes and the input of a request that replaces others: those of a line, less what the line says besides. */
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
  /** The removed requests whose attempts are under way and keep their key waiting. At most 8. */
  private readonly held = new Set<OutboxItem>();
  private inFlightCount = 0;
  isPaused = false;

  /** The requests, oldest first. */
  get items(): OutboxItem[] {
    return [...this.byNumber.values()].sort((left, right) => left.layer.number - right.layer.number);
  }

  get(number: number): OutboxItem | null { return this.byNumber.get(number) ?? null; }

  // Layers

  /** Adds a layer's request, or takes over what changed about it. */
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
   * Removes a request: its layer has settled, or was rolled back. `holdsKey`: an attempt that is under way keeps the next request
   * of the key waiting until `endHeld`, since the server may still be performing this one.
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

  /** Ends an attempt whose request was removed while it was under way: the next one of its key may be sent. */
  endHeld(item: OutboxItem): void {
    if (!this.held.delete(item)) return;
    this.setPhase(item, QUEUED);
    this.dropIdle(item.chain);
    this.offer(item.chain);
  }

  /** Whether the attempt of a removed request keeps its key waiting. */
  isHeld(item: OutboxItem): boolean { return this.held.has(item); }

  private dropIdle(chain: Chain): void { if (chain.count === 0 && chain.sending === null) this.chains.delete(chain.name); }

  private takeChain(name: string): Chain {
    let chain = this.chains.get(name);
    if (chain === undefined) this.chains.set(name, chain = { name, items: [], count: 0, sending: null });
    return chain;
  }

  /** Puts a request into its chain or takes it out, as its phase says, and offers the chain's first one. */
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

  /** Returns the next request to send, marked as being sent, with the newer ones that it replaces; null when none may be sent now. */
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

  /** Tells whether an attempt is still under way. */
  isSending(item: OutboxItem, attempt: number): boolean {
    return this.byNumber.get(item.layer.number) === item && item.phase.is === "sending" && item.sending.attemptCount === attempt;
  }

  // Answers

  /** Takes an attempt that brought no confirmation; `random`: 0 … 1. */
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

  /** Ends an attempt that was not sent, because the journal failed: it is begun again later. */
  postpone(item: OutboxItem, attempt: number, until: number): void {
    if (this.isSending(item, attempt)) this.wait(item, until);
  }

  private wait(item: OutboxItem, until: number): void {
    this.setPhase(item, { is: "waiting", until });
    this.changed.add(item);
    // An older request of the chain may have been queued again during the attempt.
    this.offer(item.chain);
  }

  // Time and pauses

  /** When `wake` should be called; null when nothing waits. */
  get nextMoment(): number | null {
    if (this.isPaused) return null;
    let first: number | null = null;
    for (const { phase } of this.waiting) if (phase.is === "waiting" && (first === null || phase.until < first)) first = phase.until;
    return first;
  }

  /** Queues the requests whose time has come. */
  wake(now: number): void {
    for (const item of [...this.waiting]) if (item.phase.is === "waiting" && item.phase.until <= now) this.hurry(item);
  }

  /** Queues a request that waits for its time. */
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

  /** Returns the requests whose status may have changed since the last call, oldest first, with those that are a part of them. */
  takeChanged(): OutboxItem[] {
    if (this.changed.size === 0) return [];
    const all = new Set([...this.changed].flatMap((item) => [item, ...item.members]));
    this.changed = new Set();
    return [...all].sort((left, right) => left.layer.number - right.layer.number);
  }
}

/** Returns the requests that follow one directly and that its first attempt may replace. */
function replaceable({ chain, sending, layer }: OutboxItem): OutboxItem[] {
  const { request } = sending;
  const members: OutboxItem[] = [];
  if (!request.isReplaceable || sending.attemptCount > 0) return members;
  // The line has the changes of all, and the input of the newest.
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

/** Returns the bytes that the changes of a layer take in a line. */
function byteCountOf({ changes }: Layer): number { return byteLength(textOf(changesOut(changes))); }

/** Returns the place of the first item that is not older than another. */
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
