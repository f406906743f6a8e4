// Stage 3 of 7: events → admission. Before: EventDecoder. After: State.apply. Laws: L4, L7, L8.

import { own } from "../json/own.js";
import { unreachable } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import { laterKnown, predecessor, successor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { ReorderBuffer } from "./held.js";
import type { HeldEvent } from "./held.js";
import { HoleList } from "./holes.js";
import { LostRanges } from "./lost.js";
import type { LostRange } from "./lost.js";

/** The decision on a sequenced event. */
export type Verdict = "apply" | "duplicate" | "late" | "hold" | "new_epoch";

/**
 * What a heartbeat means: nothing new, the first event of a library, missing events, or a new log, with the number of
 * held events that were dropped.
 */
export type HeartbeatVerdict = "even" | "baseline" | "ahead" | { forgotten: number; };

/** Why all lists of a library may be stale: events were lost, or the log began anew; null if they are not. */
export type StaleCause = "loss" | "new_log" | null;

/** The state of a gate that a journal stores. */
export interface GateRecord {
  /** The epoch of the log; null if it names none. */
  epoch: string | null;
  /** The generation of the log. */
  generation: number;
  /** The cursor; null before the first position is known. */
  cursor: Sequence | null;
  /** Why all lists may be stale; null if they are not. */
  staleCause: StaleCause;
  /** The lost ranges. */
  lost: readonly LostRange[];
}

/**
 * The position of a library in its log: decides for each event whether it is applied, dropped or held, and records what
 * is missing. It applies nothing, sends no requests and reads no clock. Implements the table of Protocol/sequencing.md.
 */
export class SequenceGate {
  /** The epoch of the log; null while the log names none. */
  epoch: string | null = null;
  /** Grows by one whenever the log begins anew; positions compare only within one generation. */
  generation = 0;
  /** The last position up to which no event is awaited; null before the first. */
  cursor: Sequence | null = null;
  /** Why all lists of the library may be stale; null if they are not. */
  staleCause: StaleCause = null;
  /** The positions that were declared lost. */
  lost: LostRanges;
  /** The events that wait until a gap closes. */
  readonly held: ReorderBuffer;
  /** The positions of unusable lines above the cursor. */
  readonly holes: HoleList;
  /** The highest position that is known to exist above the cursor, apart from held events; null if there is none. */
  tail: Sequence | null = null;
  /** When the tail was first noticed, in milliseconds since 1970. */
  tailSeenAt = 0;

  /** Creates a gate, restored from a journal's record if there is one. */
  constructor(private readonly limits: Limits, record?: GateRecord) {
    this.lost = new LostRanges(Math.max(1, limits.lostRangeCountMax), record?.lost ?? []);
    this.held = new ReorderBuffer(limits.heldEventCountMax, limits.heldByteCountMax);
    this.holes = new HoleList(limits.heldEventCountMax);
    if (record === undefined) return;
    this.epoch = record.epoch;
    this.generation = record.generation;
    this.cursor = record.cursor;
    this.staleCause = record.staleCause;
  }

  /** The state to store in a journal. */
  get record(): GateRecord {
    return {
      epoch: this.epoch, generation: this.generation, cursor: this.cursor, staleCause: this.staleCause,
      lost: this.lost.ranges,
    };
  }

  /** True if all lists of the library may be stale. */
  get isStale(): boolean { return this.staleCause !== null; }

  // Events

  /** Decides on a sequenced event. A `previous` of null means `sequence` - 1, an `epoch` of null the current one. */
  verdict(sequence: Sequence, previous: Sequence | null, epoch: string | null): Verdict {
    if (epoch !== null && this.epoch !== null && epoch !== this.epoch) return "new_epoch";
    if (this.cursor === null) return "apply";
    if (sequence <= this.cursor) return this.lost.contains(sequence) ? "late" : "duplicate";
    return (previous ?? predecessor(sequence)) <= this.cursor ? "apply" : "hold";
  }

  /** Sets the epoch if the log had none so far. */
  adoptFirstEpoch(epoch: string | null): void {
    if (this.epoch !== null || epoch === null) return;
    this.epoch = own(epoch);
    this.holes.keepEpoch(epoch);
  }

  /** Moves the cursor to an applied event. */
  advance(sequence: Sequence): void {
    if (this.cursor !== null && sequence <= this.cursor) unreachable(`cursor ${this.cursor} cannot go to ${sequence}`);
    this.cursor = sequence;
    this.forgetReached();
  }

  /** Records the position of an unusable line. Returns false if it is not a hole. */
  noteHole(sequence: Sequence, epoch: string | null, now: number): boolean {
    if (this.epoch !== null && epoch !== this.epoch) return false;
    if (this.cursor === null || sequence <= this.cursor || this.held.has(sequence)) return false;
    this.holes.insert(sequence, epoch, now);
    return true;
  }

  /**
   * Removes and returns the next held event if nothing is missing before it, or the cursor has passed it; null
   * otherwise.
   */
  takeReady(): { held: HeldEvent; isPassed: boolean; } | null {
    const held = this.held.first;
    if (this.cursor === null || held === null) return null;
    const isPassed = held.sequence <= this.cursor;
    if (!isPassed && held.previous > this.cursor) return null;
    this.held.takeFirst();
    return { held, isPassed };
  }

  // Heartbeats and epochs

  /** Handles a heartbeat with the log's highest position. */
  heartbeat(last: Sequence, epoch: string | null, now: number): HeartbeatVerdict {
    if (epoch !== null && this.epoch !== null && epoch !== this.epoch) return { forgotten: this.beginEpoch(epoch, last) };
    this.adoptFirstEpoch(epoch);
    if (this.cursor === null) {
      this.cursor = last;
      return "baseline";
    }
    if (last < this.cursor) return { forgotten: this.beginEpoch(this.epoch, last) };
    if (last === this.cursor) return "even";
    if (this.tail === null) this.tailSeenAt = now;
    this.tail = laterKnown(this.tail, last);
    return "ahead";
  }

  /** Starts a new log. Returns the number of held stream events that were dropped. */
  beginEpoch(epoch: string | null, baseline: Sequence | null): number {
    const forgotten = this.held.all.filter((held) => !held.source.isUpstream).length;
    this.held.removeAll();
    this.holes.removeAll();
    this.tail = null;
    this.lost = new LostRanges(Math.max(1, this.limits.lostRangeCountMax));
    this.epoch = epoch === null ? null : own(epoch);
    this.generation += 1;
    this.cursor = baseline;
    this.staleCause = "new_log";
    return forgotten;
  }

  // Missing numbers

  /** The first range missing below a position that is known to exist; null if nothing is missing. */
  get missing(): LostRange | null {
    if (this.cursor === null) return null;
    const first = this.held.first;
    if (first !== null) {
      return first.previous <= this.cursor ? null : { first: successor(this.cursor), last: first.previous };
    }
    if (this.tail === null || this.tail <= this.cursor) return null;
    return { first: successor(this.cursor), last: this.tail };
  }

  /** When the first gap was noticed, in milliseconds since 1970; null if nothing is missing. */
  get missingSince(): number | null {
    if (this.missing === null) return null;
    return this.held.first?.heldAt ?? this.tailSeenAt;
  }

  /**
   * Declares the first missing range lost, or only its first position; the cursor skips it. False if nothing is
   * missing.
   */
  declareLost(isFirstAlone: boolean): boolean {
    const missing = this.missing;
    if (missing === null) return false;
    const range = isFirstAlone ? { first: missing.first, last: missing.first } : missing;
    this.lost.insert(range);
    this.cursor = range.last;
    this.staleCause ??= "loss";
    this.forgetReached();
    return true;
  }

  /** Records that an admitted event is lost, because its effect could not be written. */
  noteLost(sequence: Sequence): void {
    this.lost.insert({ first: sequence, last: sequence });
    this.staleCause ??= "loss";
  }

  private forgetReached(): void {
    if (this.cursor === null) return;
    if (this.tail !== null && this.tail <= this.cursor) this.tail = null;
    if (!this.holes.isEmpty) this.holes.removeThrough(this.cursor);
  }
}
