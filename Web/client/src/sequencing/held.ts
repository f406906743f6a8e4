import { laterKnown } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import type { ChangeEvent, Line } from "../wire/events.js";

/** The source of an event: a line of a stream, with its number and offset, or an upstream's response. */
export interface EventSource {
  /** True if an upstream returned the event. */
  isUpstream: boolean;
  /** The number of the line, from 1. */
  line: number;
  /** The offset of the line's first byte. */
  offset: number;
  /** The size of the line in bytes. */
  byteCount: number;
  /** The line, for the quarantine; null if it is no longer in memory. */
  text: string | null;
}

/** An event that is held until the gap before it closes. */
export interface HeldEvent {
  /** The event. */
  event: ChangeEvent;
  /** The event's position in the log. */
  sequence: Sequence;
  /** The event's `prev`, or one below its sequence. */
  previous: Sequence;
  /** Where the event came from. */
  source: EventSource;
  /** When the event was held, in milliseconds since 1970. */
  heldAt: number;
}

/**
 * The held events of one library, ascending, one for each sequence. Accepts events past its bounds, and then is
 * `isOver`.
 */
export class ReorderBuffer {
  private events: HeldEvent[] = [];
  private start = 0;
  private byteCount = 0;

  /** Creates an empty buffer. */
  constructor(private readonly countMax: number, private readonly byteCountMax: number) { }

  /** The number of held events. */
  get count(): number { return this.events.length - this.start; }

  /** True if no event is held. */
  get isEmpty(): boolean { return this.count === 0; }

  /** The lowest held event; null if there is none. */
  get first(): HeldEvent | null { return this.isEmpty ? null : this.events[this.start]; }

  /** All held events, ascending. */
  get all(): readonly HeldEvent[] { return this.events.slice(this.start); }

  /** True if the buffer exceeds one of its bounds. */
  get isOver(): boolean { return this.count > this.countMax || this.byteCount > this.byteCountMax; }

  /** The highest `prev` of a held event; null if none is held. O(events). */
  get highestPrevious(): Sequence | null {
    return this.all.reduce<Sequence | null>((highest, held) => laterKnown(highest, held.previous), null);
  }

  /** Adds an event. Returns false if one with its sequence is already held; that one stays. */
  insert(held: HeldEvent): boolean {
    const index = this.position(held.sequence);
    if (this.events[index]?.sequence === held.sequence) return false;
    this.events.splice(index, 0, held);
    this.byteCount += held.source.byteCount;
    return true;
  }

  /** True if an event with a sequence is held. */
  has(sequence: Sequence): boolean { return this.events[this.position(sequence)]?.sequence === sequence; }

  /** Removes the lowest event. */
  takeFirst(): void {
    this.byteCount -= this.events[this.start].source.byteCount;
    this.start += 1;
    if (this.start === this.events.length || this.start > 512) {
      this.events = this.events.slice(this.start);
      this.start = 0;
    }
  }

  /** Removes all events. */
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

/** Returns the source of a line's event: its number, offset, length and text. */
export function sourceOf(line: Line): EventSource {
  return { isUpstream: false, line: line.number, offset: line.offset, byteCount: line.byteCount, text: line.text };
}
