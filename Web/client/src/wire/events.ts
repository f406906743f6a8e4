import type { Reason } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";

/** The kind of an event. Protocol/events.md, kinds. */
export type EventKind = "changed" | "batch" | "deleted" | "bulk" | "refresh" | "heartbeat" | "reset" | "unknown";

/** One resource in an event: its id, or the reason why it cannot be used. */
export interface EventMember {
  /** The canonical id; empty if the member cannot be used. */
  id: string;
  /** The resource as compact JSON; empty for a delete. */
  resource: string;
  /** Why the member cannot be used; null if it can. */
  reason: Reason | null;
}

/** One usable line that reports a change. */
export interface ChangeEvent {
  /** The kind of the event. */
  kind: EventKind;
  /** The library that the event names; null for the default one. */
  library: string | null;
  /** The position of the event; null if it has none. */
  sequence: Sequence | null;
  /** The event's `prev`; null means `sequence` - 1. */
  previous: Sequence | null;
  /** The epoch of the log; null if the event names none. */
  epoch: string | null;
  /** The id of the edit that the event settles; null for none. */
  mutationId: string | null;
  /** The type with aliases resolved; empty for kinds without one. */
  type: string;
  /** The resources in the event. */
  members: readonly EventMember[];
  /** The `metadata` of a change or the `hints` of a bulk operation, as compact JSON; null if absent. */
  detail: string | null;
  /** The epoch of a reset, or the name of an unknown kind. */
  name: string;
  /** The `last_sequence` of a heartbeat. */
  last: Sequence;
  /** True if the event is a batch of an index operation. */
  isIndex: boolean;
  /** True if the unit of the event goes on in the next line of its library. */
  hasMore: boolean;
  /** True for a reset that begins a state, a heartbeat whose source is stale, and a delete with the reason `scope`. */
  isMarked: boolean;
}

/** A line that cannot be used, with what could still be read of its library and position. */
export interface UnusableLine {
  /** Why the line cannot be used. */
  reason: Reason;
  /** The library; null for the default one, undefined if it cannot be read. */
  library: string | null | undefined;
  /** The sequence; null if it is absent or cannot be read. */
  sequence: Sequence | null;
  /** The epoch; null if it is absent or cannot be read. */
  epoch: string | null;
  /** The type, if it was read before the fault; null otherwise. */
  type: string | null;
}

/**
 * The meaning of a line. `later`: the line is unusable, and the part of the client that salvages it is not loaded yet.
 */
export type DecodedLine =
  | { is: "event"; event: ChangeEvent; }
  | { is: "unusable"; line: UnusableLine; }
  | { is: "blank"; } | { is: "control"; } | { is: "message"; } | { is: "later"; };

/** One line of a stream: its text, or the first bytes of a line that is not text. */
export interface Line {
  /** The text without its line end; null for a line that is too long, or not UTF-8. */
  text: string | null;
  /** The first bytes of a line without a text. */
  bytes: Uint8Array;
  /** The size of the whole line in bytes, without its end. */
  byteCount: number;
  /** The number of the line in its stream, from 1. */
  number: number;
  /** The number of bytes before the line in its stream. */
  offset: number;
  /** True if the line exceeds `lineByteCountMax`. */
  isTooLong: boolean;
  /** The longer text that contains the line; null if there is none. */
  piece: TextPiece | null;
}

/** Several lines as one text, so that they are scanned in place. */
export interface TextPiece {
  /** The text of all lines. */
  text: string;
  /** The offset at which the line begins. */
  start: number;
  /** True if the text has no escapes and is ASCII. */
  isPlain: boolean;
}
