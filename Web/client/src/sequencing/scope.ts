import type { Sequence } from "../model/sequence.js";
import type { HeldEvent } from "./held.js";

/** Maximum bytes of an open unit. Past it, its events so far are applied as if it had ended. */
const BYTE_COUNT_MAX = 64 << 20;
/** The least bytes that a line counts, which bounds the number of lines too. */
const LINE_BYTE_COUNT_MIN = 256;

/** What the log of a scope adds to a library: a unit of several lines, and a state. Protocol/scopes.md. */
export class ScopeState {
  private events: HeldEvent[] = [];
  private byteCount = 0;
  /** The cursor before the open unit; meaningless without one. */
  before: Sequence | null = null;
  /** True from a reset that begins a state to the heartbeat that ends it. */
  isInState = false;
  /** True if the last heartbeat said that the source of the log is stale itself. */
  isSourceStale = false;

  /** True if the lines of a unit wait for its last one. */
  get isOpen(): boolean { return this.events.length > 0; }

  /** The number of lines of a stream that wait for the end of their unit. */
  get waitingCount(): number { return this.events.filter(({ source }) => !source.isUpstream).length; }

  /** True if the open unit exceeds its bound. */
  get isOver(): boolean { return this.byteCount > BYTE_COUNT_MAX; }

  /** True if the library may be older than its source. */
  get isStale(): boolean { return this.isInState || this.isSourceStale; }

  /** Adds the next event of a unit, or the first one, which follows the position `cursor`. */
  add(event: HeldEvent, cursor: Sequence | null): void {
    if (!this.isOpen) this.before = cursor;
    this.events.push(event);
    this.byteCount += Math.max(event.source.byteCount, LINE_BYTE_COUNT_MIN);
  }

  /** Removes and returns the events of the open unit. */
  take(): HeldEvent[] {
    const { events } = this;
    this.events = [];
    this.byteCount = 0;
    return events;
  }
}
