import type { Reason } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import type { Raw } from "../out/raw.js";
import type { KeyNode, Query } from "../queries/query.js";
import type { LostRange } from "../sequencing/lost.js";
import type { Library, LibraryPhase } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";

/** One step of an observed list, with the values for its observers. */
export type ListChange =
  | { op: "add"; at: number; raw: Raw; node: KeyNode; } | { op: "remove"; at: number; }
  | { op: "replace"; at: number; raw: Raw; old: string | null; node: KeyNode; }
  | { op: "move"; from: number; at: number; };

/** A change in one unit, for observers. */
export type ChangeRecord =
  | { of: "query"; query: Query; steps: ListChange[]; isStale: boolean; isPending: boolean; asOf: Sequence | null; }
  | { of: "entity"; node: KeyNode; text: string | null; old: string | null; isWhole: boolean; wasWhole: boolean; }
  | { of: "renamed"; from: KeyNode; to: KeyNode; }
  | { of: "library"; status: LibraryStatus; } | { of: "view"; send: () => void; };

/** The position of a library. */
export interface LibraryStatus {
  /** The name of the library. */
  library: string;
  /** The state of the library. */
  phase: LibraryPhase;
  /** The name of its log; empty if it has none. */
  epoch: string;
  /** The cursor; null before the first position is known. */
  cursor: Sequence | null;
  /** The lost ranges. */
  lost: readonly LostRange[];
}

/** A line or batch member that could not be used. */
export interface QuarantineRecord {
  /** The number of the record in this cache, from 1. */
  number: number;
  /** Whether it is a line, a member of a batch, or an event from an upstream. */
  kind: "line" | "member" | "upstream";
  /** Why it could not be used. */
  reason: Reason;
  /** The number of the line in its input, from 1. */
  line: number;
  /** The offset of the line's first byte in its input. */
  offset: number;
  /** The library; null if the line names none that can be read. */
  library: string | null;
  /** The sequence; null if there is none that can be read. */
  sequence: Sequence | null;
  /** When it was received, in milliseconds since 1970. */
  receivedAt: number;
  /** The kept beginning of the line or member; bytes if it is not text. */
  excerpt: string | Uint8Array;
  /** The size of the whole line or member in bytes. */
  byteCount: number;
}

/** Where an event is counted. Protocol/sessions.md, log.observe. */
export type Bin = "applied" | "duplicate" | "ignored" | "quarantined" | "held" | "reconciled";

/** A counted event, or a counted line that cannot be used. */
export interface CountedEvent {
  /** The event; null for a line that cannot be used. */
  event: ChangeEvent | null;
  /** The library; null if it cannot be read. */
  library: string | null;
  /** The sequence of the event; null if it has none or cannot be read. */
  sequence: Sequence | null;
  /** The resource type that the event names; null if it names none or cannot be read. */
  type: string | null;
  /** Where the event was counted. */
  bin: Bin;
  /** The number of the line; null for an event from an upstream. */
  line: number | null;
  /** Why the event or the line was quarantined; null if it was not. */
  reason: Reason | null;
  /** True if its sequence had been declared lost. */
  isLate: boolean;
}

/** Receives each event as it is counted. Attached to the state only while the log is observed. */
export interface EventTap {
  /** Records a counted event. */
  hear(counted: CountedEvent): void;
  /** Notifies observers of the events since the last call. */
  tell(): void;
}

/** The counters of lines and events. Protocol/framing.md, conservation. */
export interface EventCounts {
  /** The number of all lines: blank lines, control lines, messages and events. */
  lines: number;
  /** The number of blank lines. */
  blank: number;
  /** The number of control lines. */
  control: number;
  /** The number of lines that are JSON-RPC messages. */
  messages: number;
  /** The number of events that were applied. */
  applied: number;
  /** The number of events that had been received before. */
  duplicate: number;
  /** The number of events of an unknown kind. */
  ignored: number;
  /** The number of lines and events that could not be used. */
  quarantined: number;
  /** The number of events that were held and never applied, because their log began anew. */
  held: number;
  /** The number of batch members that could not be used. */
  membersQuarantined: number;
  /** The number of applied events that an upstream returned. */
  reconciled: number;
  /** The number of events that arrived after their sequence was declared lost. */
  late: number;
}

/** A task for the engine: request missing events of a library, or continue after a pause. */
export type ReconcileRequest =
  | { is: "ask"; library: Library; from: Sequence; attempt: number; }
  | { is: "wait"; library: Library; attempt: number; milliseconds: number; };
