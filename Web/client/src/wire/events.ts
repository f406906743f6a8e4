import type { Reason } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";

/** What an event says. Protocol/events.md, kinds. */
export type EventKind = "changed" | "batch" | "deleted" | "bulk" | "refresh" | "heartbeat" | "reset" | "unknown";

/** One resource of an event: an id, or the reason why it cannot be used. */
export interface EventMember {
  /** The id in its canonical form; empty when the member cannot be used. */
  id: string;
  /** The resource as compact JSON; empty for a delete. */
  resource: string;
  reason: Reason | null;
}

/** One usable line that reports a change. */
export interface ChangeEvent {
  kind: EventKind;
  /** The library that the event names; null for the default one. */
  library: string | null;
  sequence: Sequence | null;
  /** The `prev` that the event names; null stands for `sequence` - 1. */
  previous: Sequence | null;
  epoch: string | null;
  mutationId: string | null;
  /** The type under its own name, aliases resolved; empty for kinds without one. */
  type: string;
  members: readonly EventMember[];
  /** `metadata` of a change, or `hints` of a bulk operation, as compact JSON; null when absent. */
  detail: string | null;
  /** The epoch of a reset, or the name of an unknown kind. */
  name: string;
  /** `last_sequence` of a heartbeat. */
  last: Sequence;
  /** Whether a batch is an index operation. */
  isIndex: boolean;
}

/** A line that cannot be used, with what it still says of its place. */
export interface UnusableLine {
  reason: Reason;
  /** The library; null for the default one, undefined where the line names none that can be read. */
  library: string | null | undefined;
  sequence: Sequence | null;
  epoch: string | null;
  /** The type that was read before the fault; null where none was. */
  type: string | null;
}

/** What a line is. `later`: it is none that can be used, and the part that reads what it still says is not loaded yet. */
export type DecodedLine =
  | { is: "event"; event: ChangeEvent; }
  | { is: "unusable"; line: UnusableLine; }
  | { is: "blank"; } | { is: "control"; } | { is: "message"; } | { is: "later"; };

/** One line of a stream: its text, or the bytes of one that is no text. */
export interface Line {
  /** The text without its end; null for a line that is too long, or no UTF-8. */
  text: string | null;
  /** The first bytes of a line without a text. */
  bytes: Uint8Array;
  /** The size of the whole line in bytes, without its end. */
  byteCount: number;
  /** The number of the line in its stream, from 1. */
  number: number;
  /** The number of bytes before the line in its stream. */
  offset: number;
  isTooLong: boolean;
  /** The text that the line is a part of; null for a line by itself. */
  piece: TextPiece | null;
}

/** Several lines as one text, so that they are read where they stand. */
export interface TextPiece {
  text: string;
  /** Where the line begins. */
  start: number;
  /** Whether the text is ASCII without an escape. */
  isPlain: boolean;
}
