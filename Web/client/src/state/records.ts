import type { Reason } from "../model/errors.js";
import type { Raw } from "../out/raw.js";
import type { Sequence } from "../model/sequence.js";
import type { KeyNode } from "../queries/node.js";
import type { Query } from "../queries/query.js";
import type { LostRange } from "../sequencing/lost.js";
import type { ChangeEvent } from "../wire/events.js";
import type { Library, LibraryPhase } from "../store/library.js";

/** One step of an observed list, with the values that its observers are told. */
export type ListChange =
  | { op: "add"; at: number; raw: Raw; node: KeyNode; } | { op: "remove"; at: number; }
  | { op: "replace"; at: number; raw: Raw; old: string | null; node: KeyNode; }
  | { op: "move"; from: number; at: number; };

/** What one unit changed, for observers. */
export type ChangeRecord =
  | { of: "query"; query: Query; steps: ListChange[]; isStale: boolean; isPending: boolean; asOf: Sequence | null; }
  | { of: "entity"; node: KeyNode; text: string | null; old: string | null; isWhole: boolean; wasWhole: boolean; }
  | { of: "renamed"; from: KeyNode; to: KeyNode; }
  | { of: "library"; status: LibraryStatus; };

/** Where a library stands. */
export interface LibraryStatus {
  library: string;
  phase: LibraryPhase;
  epoch: string;
  cursor: Sequence | null;
  lost: readonly LostRange[];
}

/** A line or a member that could not be used. */
export interface QuarantineRecord {
  /** Its number in this cache, from 1. */
  number: number;
  kind: "line" | "member" | "upstream";
  reason: Reason;
  line: number;
  offset: number;
  /** The library; null where the line names none. */
  library: string | null;
  sequence: Sequence | null;
  receivedAt: number;
  /** What was kept of the line, or of the member. */
  excerpt: string | Uint8Array;
  byteCount: number;
}

/** The outcome of an event. Protocol/sessions.md, log.observe. */
export type Bin = "applied" | "duplicate" | "ignored" | "quarantined" | "held" | "reconciled";

/** One event, or a line that is none, as it is counted. */
export interface CountedEvent {
  /** null for a line that cannot be used. */
  event: ChangeEvent | null;
  /** The library; null where the line names none that can be read. */
  library: string | null;
  sequence: Sequence | null;
  type: string | null;
  bin: Bin;
  /** The number of its line; null for an event of an upstream. */
  line: number | null;
  reason: Reason | null;
  isLate: boolean;
}

/** Hears of each event as it is counted: a part of its own, which is there while somebody follows the log. */
export interface EventTap {
  hear(counted: CountedEvent): void;
  /** Tells the observers what was heard since the last call. */
  tell(): void;
}

/** Where lines and events were counted. Protocol/framing.md, conservation. */
export interface EventCounts {
  lines: number;
  blank: number;
  control: number;
  messages: number;
  applied: number;
  duplicate: number;
  ignored: number;
  quarantined: number;
  held: number;
  membersQuarantined: number;
  reconciled: number;
  late: number;
}

/** A task of the engine, for a library that misses events. */
export type ReconcileRequest =
  | { is: "ask"; library: Library; from: Sequence; attempt: number; }
  | { is: "wait"; library: Library; attempt: number; milliseconds: number; };
