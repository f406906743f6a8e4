import type { Sequence } from "../model/sequence.js";

/** What wrote a value. */
export type Writer = "event" | "answer" | "transaction" | "confirmation";

/** The last write of an entity or of one of its fields. */
export interface Stamp {
  /** The position of the write; null when it had none. */
  readonly sequence: Sequence | null;
  /** The library's generation; positions compare only within one. */
  readonly generation: number;
  /** When it was written, in milliseconds since 1970. */
  readonly writtenAt: number;
  readonly writer: Writer;
  /** Whether the write named some fields and left the others: a merge, an answer, a confirmation. */
  readonly isPartial: boolean;
}

/** Tells whether an event with a position comes too late to change the value with a stamp. */
export function isNewer(stamp: Stamp, sequence: Sequence | null, generation: number): boolean {
  if (stamp.sequence === null || sequence === null || stamp.generation !== generation) return false;
  // What an answer or a confirmation brought holds the event of its own position already.
  return stamp.writer === "answer" || stamp.writer === "confirmation"
    ? sequence <= stamp.sequence : sequence < stamp.sequence;
}

/** How much of an entity is known: all; only fields that stay; these and some that were written since; an answer's. */
export type Completeness = "whole" | "reduced" | "partial" | "answered";

/** Tells whether rules can be evaluated over an entity. */
export function isEvaluable(completeness: Completeness): boolean {
  return completeness === "whole" || completeness === "answered";
}

/** The stamps of an entity's fields, when not all were written at once. */
export interface FieldStamps {
  /** The stamp of every field that is not named. */
  rest: Stamp;
  named: Map<string, Stamp>;
  completeness: Completeness;
}

/** Returns the completeness after one more write of some fields. */
export function completenessAfter(before: Completeness, writer: Writer): Completeness {
  if (before === "whole") return "whole";
  if (writer === "answer" || writer === "confirmation") return "answered";
  return before === "reduced" ? "partial" : before;
}

/** The record of a deleted entity. */
export interface Tombstone {
  readonly sequence: Sequence | null;
  readonly generation: number;
  readonly deletedAt: number;
}
