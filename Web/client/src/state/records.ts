import type { Reason } from "../model/errors.js";
import type { Raw } from "../out/raw.js";
import type { Sequence } from "../model/sequence.js";
import type { KeyNode } from "../queries/node.js";
import type { Query } from "../queries/query.js";
import type { LostRange } from "../sequencing/lost.js";
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
