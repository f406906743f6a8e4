import type { Sequence } from "../model/sequence.js";
import { laterKnown } from "../model/sequence.js";
import type { ChangeEvent } from "../wire/events.js";

/** Where an event came from: a line of a stream, by its number and offset, or an upstream's answer. */
export interface EventSource {
  isUpstream: boolean;
  line: number;
  offset: number;
  /** The size of the line in bytes. */
  byteCount: number;
  /** The line, for the quarantine; null where only parts of it are left. */
  text: string | null;
}

/** An event that waits until the gap before it closes. */
export interface HeldEvent {
  event: ChangeEvent;
  sequence: Sequence;
  /** The event's `prev`, or one below its sequence. */
  previous: Sequence;
  source: EventSource;
  /** When the event was held, in milliseconds since 1970. */
  heldAt: number;
}

/** The held events of one library, ascending by sequence, one each. Refuses nothing; `isOver` past its bounds. */
export class ReorderBuffer {
  private events: HeldEvent[] = [];
  private start = 0;
  private byteCount = 0;

  constructor(private readonly countMax: number, private readonly byteCountMax: number) { }

  get count(): number { return this.events.length - this.start; }

  get isEmpty(): boolean { return this.count === 0; }

  get first(): HeldEvent | null { return this.isEmpty ? null : this.events[this.start]; }

  get all(): readonly HeldEvent[] { return this.events.slice(this.start); }

  get isOver(): boolean { return this.count > this.countMax || this.byteCount > this.byteCountMax; }

  /** The highest `prev` of a held event; null when nothing is held. O(events). */
  get highestPrevious(): Sequence | null {
    return this.all.reduce<Sequence | null>((highest, held) => laterKnown(highest, held.previous), null);
  }

  /** Adds an event. Returns false when one with its sequence is held already: that one stays. */
  insert(held: HeldEvent): boolean {
    const index = this.position(held.sequence);
    if (this.events[index]?.sequence === held.sequence) return false;
    this.events.splice(index, 0, held);
    this.byteCount += held.source.byteCount;
    return true;
  }

  has(sequence: Sequence): boolean { return this.events[this.position(sequence)]?.sequence === sequence; }

  takeFirst(): void {
    this.byteCount -= this.events[this.start].source.byteCount;
    this.start += 1;
    if (this.start === this.events.length || this.start > 512) {
      this.events = this.events.slice(this.start);
      this.start = 0;
    }
  }

  removeAll(): void {
    this.events = [];
    this.start = 0;
    this.byteCount = 0;
  }

  private position(sequence: Sequence): number {
    let low = this.start;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle].sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
