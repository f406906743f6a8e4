// Stage 3 of 7: events → admission. Before: EventDecoder. After: State.apply. Laws: L4, L7, L8.

import type { Limits } from "../model/limits.js";
import { unreachable } from "../model/errors.js";
import { BEFORE_FIRST, earlier, later, laterKnown, predecessor, successor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { own } from "../store/own.js";
import { HoleList } from "./holes.js";
import { LostRanges } from "./lost.js";
import type { LostRange } from "./lost.js";
import { ReorderBuffer } from "./held.js";
import type { HeldEvent } from "./held.js";

/** The decision on a sequenced event. */
export type Verdict = "apply" | "duplicate" | "late" | "hold" | "new_epoch";

/** The meaning of a heartbeat: nothing new, the first word of a library, missing events, or a log that began anew. */
export type HeartbeatVerdict = "even" | "baseline" | "ahead" | { forgotten: number; };

/** Why queries of a library may be older than its log: numbers were lost, or the log began anew. */
export type StaleCause = "loss" | "new_log" | null;

/** What is kept of a gate over a restart. */
export interface GateRecord {
  epoch: string | null;
  generation: number;
  cursor: Sequence | null;
  staleCause: StaleCause;
  lost: readonly LostRange[];
}

/**
 * One library's place in its log: decides for each event whether it is applied, dropped or held, and knows what is
 * missing. It applies nothing, asks nobody and reads no clock. The table of Protocol/sequencing.md, cell by cell.
 */
export class SequenceGate {
  /** The log's epoch; null while the log names none. */
  epoch: string | null = null;
  /** Grows by one whenever the log begins anew; positions compare only within one generation. */
  generation = 0;
  /** The last settled position; null before the first. */
  cursor: Sequence | null = null;
  staleCause: StaleCause = null;
  lost: LostRanges;
  readonly held: ReorderBuffer;
  readonly holes: HoleList;
  /** The highest number that is known to exist ahead of the cursor, other than held events. */
  tail: Sequence | null = null;
  private tailSeenAt = 0;

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

  get record(): GateRecord {
    return {
      epoch: this.epoch, generation: this.generation, cursor: this.cursor, staleCause: this.staleCause,
      lost: this.lost.ranges,
    };
  }

  get isStale(): boolean { return this.staleCause !== null; }

  // Events

  /** Decides on a sequenced event; a `previous` of null stands for one below it, an `epoch` of null for the current one. */
  verdict(sequence: Sequence, previous: Sequence | null, epoch: string | null): Verdict {
    if (epoch !== null && this.epoch !== null && epoch !== this.epoch) return "new_epoch";
    if (this.cursor === null) return "apply";
    if (sequence <= this.cursor) return this.lost.contains(sequence) ? "late" : "duplicate";
    return (previous ?? predecessor(sequence)) <= this.cursor ? "apply" : "hold";
  }

  adoptFirstEpoch(epoch: string | null): void {
    if (this.epoch !== null || epoch === null) return;
    this.epoch = own(epoch);
    this.holes.keepEpoch(epoch);
  }

  /** Moves the cursor to an event that was applied. */
  advance(sequence: Sequence): void {
    if (this.cursor !== null && sequence <= this.cursor) unreachable(`cursor ${this.cursor} cannot go to ${sequence}`);
    this.cursor = sequence;
    this.forgetReached();
  }

  /** Notes the number of an unusable line. Returns false when it is no hole. */
  noteHole(sequence: Sequence, epoch: string | null, now: number): boolean {
    if (this.epoch !== null && epoch !== this.epoch) return false;
    if (this.cursor === null || sequence <= this.cursor || this.held.has(sequence)) return false;
    this.holes.insert(sequence, epoch, now);
    return true;
  }

  /** Notes that an answer has an unusable line at a position too: holes up to it become missing numbers. */
  proveHoles(through: Sequence, now: number): void {
    const proven = this.holes.highestThrough(through);
    if (this.cursor === null || proven === null || proven <= this.cursor) return;
    if (this.tail === null) this.tailSeenAt = now;
    this.tail = laterKnown(this.tail, proven);
  }

  /** Takes the next held event when nothing is missing before it, or one that the cursor passed; null otherwise. */
  takeReady(): { held: HeldEvent; isPassed: boolean; } | null {
    const held = this.held.first;
    if (this.cursor === null || held === null) return null;
    const isPassed = held.sequence <= this.cursor;
    if (!isPassed && held.previous > this.cursor) return null;
    this.held.takeFirst();
    return { held, isPassed };
  }

  // Heartbeats and epochs

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

  /** Begins the log anew. Returns the number of held events of streams that were dropped. */
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

  /** The first numbers that are missing before something that is known to exist; null when nothing is missing. */
  get missing(): LostRange | null {
    if (this.cursor === null) return null;
    const first = this.held.first;
    if (first !== null) {
      return first.previous <= this.cursor ? null : { first: successor(this.cursor), last: first.previous };
    }
    if (this.tail === null || this.tail <= this.cursor) return null;
    return { first: successor(this.cursor), last: this.tail };
  }

  /** When the first gap was seen; null when nothing is missing. */
  get missingSince(): number | null {
    if (this.missing === null) return null;
    return this.held.first?.heldAt ?? this.tailSeenAt;
  }

  get isFirstMissingHole(): boolean {
    const missing = this.missing;
    return missing !== null && this.holes.contains(missing.first);
  }

  /** Declares what is missing lost: the cursor skips it. Returns false when nothing is missing. */
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

  /** Notes that an admitted event's number is lost anyway: its effect could not be written. */
  noteLost(sequence: Sequence): void {
    this.lost.insert({ first: sequence, last: sequence });
    this.staleCause ??= "loss";
  }

  /** The highest number that the log is known to reach: the tail, or the place before a held event. */
  get witness(): Sequence { return laterKnown(this.tail, this.held.highestPrevious) ?? BEFORE_FIRST; }

  /** Skips numbers that an upstream says do not exist; stops before a held event. */
  skip(through: Sequence): void {
    if (this.cursor === null || through <= this.cursor) return;
    const first = this.held.first;
    const bound = first === null ? through : earlier(first.previous, through);
    if (bound > this.cursor) this.advance(bound);
  }

  /** Ends a staleness by loss when nothing is lost any more. */
  clearLoss(): void {
    if (this.lost.isEmpty && this.staleCause === "loss") this.staleCause = null;
  }

  private forgetReached(): void {
    if (this.cursor === null) return;
    if (this.tail !== null && this.tail <= this.cursor) this.tail = null;
    if (!this.holes.isEmpty) this.holes.removeThrough(this.cursor);
  }
}

/** Returns the higher of two known positions. */
export const higher = later;
