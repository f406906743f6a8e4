import type { Sequence } from "../model/sequence.js";

/** Who wrote a value: an event, a response, a transaction, or the confirmation of an edit. */
export type Writer = "event" | "answer" | "transaction" | "confirmation";

/** The last write of an entity or of one of its fields. */
export interface Stamp {
  /** The position of the write; null if it had none. */
  readonly sequence: Sequence | null;
  /** The generation of the library's log. Positions of different generations cannot be compared. */
  readonly generation: number;
  /** When it was written, in milliseconds since 1970. */
  readonly writtenAt: number;
  /** Who wrote the value. */
  readonly writer: Writer;
  /** True if the write set only some fields: a merge, a response, or a confirmation. */
  readonly isPartial: boolean;
}

/** True if an event at a position is too late to change a value with this stamp. */
export function isNewer(stamp: Stamp, sequence: Sequence | null, generation: number): boolean {
  if (stamp.sequence === null || sequence === null || stamp.generation !== generation) return false;
  // A response or confirmation already includes the event at its own position.
  return stamp.writer === "answer" || stamp.writer === "confirmation"
    ? sequence <= stamp.sequence : sequence < stamp.sequence;
}

/**
 * How much of an entity is known: everything; only the fields that eviction keeps; those and fields written since; or
 * only the fields of responses.
 */
export type Completeness = "whole" | "reduced" | "partial" | "answered";

/** True if rules can be evaluated over an entity with this completeness. */
export function isEvaluable(completeness: Completeness): boolean {
  return completeness === "whole" || completeness === "answered";
}

/** The stamps of an entity's fields, if not all were written at once. */
export interface FieldStamps {
  /** The stamp of every field that is not in `named`. */
  rest: Stamp;
  /** The stamps of single fields, by name or path. */
  named: Map<string, Stamp>;
  /** How much of the entity is known. */
  completeness: Completeness;
}

/** Returns the completeness after another write of some fields. */
export function completenessAfter(before: Completeness, writer: Writer): Completeness {
  if (before === "whole") return "whole";
  if (writer === "answer" || writer === "confirmation") return "answered";
  return before === "reduced" ? "partial" : before;
}

/** The record of a deleted entity. */
export interface Tombstone {
  /** The position of the delete; null if it had none. */
  readonly sequence: Sequence | null;
  /** The generation of the library's log. */
  readonly generation: number;
  /** When the entity was deleted, in milliseconds since 1970. */
  readonly deletedAt: number;
}

/** A stamp without its sequence. Consecutive writes share one, which saves 40 bytes for each entity. */
export type Mark = Omit<Stamp, "sequence">;

/** The mark of a slot that stores nothing. */
export const NO_MARK: Mark = { generation: 0, writtenAt: 0, writer: "event", isPartial: false };

let lastMark = NO_MARK;

/** Returns the mark of a stamp; the previous one if they are equal. */
export function markOf({ generation, writtenAt, writer, isPartial }: Stamp): Mark {
  const isSame = lastMark.generation === generation && lastMark.writtenAt === writtenAt && lastMark.writer === writer
    && lastMark.isPartial === isPartial;
  return isSame ? lastMark : lastMark = { generation, writtenAt, writer, isPartial };
}
