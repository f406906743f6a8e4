import type { Limits } from "../model/limits.js";
import type { Sequence } from "../model/sequence.js";
import { later } from "../model/sequence.js";
import { SequenceGate } from "../sequencing/gate.js";
import type { GateRecord } from "../sequencing/gate.js";
import type { LostRange } from "../sequencing/lost.js";
import type { ReconcileMachine } from "../sequencing/reconcile.js";
import type { Query } from "../queries/query.js";
import type { Candidates } from "../queries/candidates.js";
import type { LogDoubt } from "./doubts.js";
import { own } from "./own.js";
import { Slot } from "./slot.js";

/** What a library is, in one word. */
export type LibraryPhase = "cold" | "live" | "gap" | "reconciling" | "stale";

/** The entities of one library and type, and the queries that list them. */
export class TypeTable {
  readonly slots = new Map<string, Slot>();
  /** The stored queries of the type, in the order of their numbers. */
  readonly queries = new Set<Query>();
  /** The rules of these queries; null before the first one. */
  candidates: Candidates | null = null;
  /** The number of stored entities. */
  entityCount = 0;

  constructor(readonly library: Library, readonly name: string) { }

  find(id: string): Slot | null { return this.slots.get(id) ?? null; }

  /** Returns the slot of an id, which is made when it is new. */
  take(id: string): Slot {
    const known = this.slots.get(id);
    if (known !== undefined) return known;
    const slot = new Slot(this, own(id));
    this.slots.set(slot.id, slot);
    return slot;
  }
}

/** One server-side log, its entities, and the conversation about what is missing of it. */
export class Library {
  readonly gate: SequenceGate;
  /** The conversation with the upstream about missing numbers; null before the first one. */
  machine: ReconcileMachine | null = null;
  /** How often the log began anew before the first conversation: each of them ended an attempt. */
  logCount = 0;
  readonly types = new Map<string, TypeTable>();
  /** The first number of the healing request under way; null when there is none. */
  healingFrom: Sequence | null = null;
  /** The highest number that the log was known to reach when missing numbers were last asked for. */
  askedWitness: Sequence = -1;
  /** The highest position that an answer stood for: an answer may be ahead of the cursor. */
  answeredThrough: Sequence | null = null;
  /** The highest number that was known when something of a key was last forgotten. */
  forgottenThrough: Sequence | null = null;
  /** The numbers of late events that were held off: a copy of one changes nothing. */
  readonly heldOff = new Set<Sequence>();
  /** What made lists stale at which place of the present log, for answers that name an earlier one. */
  doubts: readonly LogDoubt[] = [];
  /** How often everything of the library was removed since the cache was opened. */
  clearCount = 0;
  /** How often somebody wrote to the base, other than the log and answers to queries, since the cache was opened. */
  editCount = 0;
  /** The phase and the lost ranges that observers were told last. */
  shownPhase: LibraryPhase | null = null;
  shownLost: readonly LostRange[] = [];
  isWatched = false;
  isUrgent = false;

  constructor(readonly name: string, limits: Limits, record?: GateRecord) {
    this.gate = new SequenceGate(limits, record);
  }

  /** The cursor; null also before the first position of a log. */
  get cursor(): Sequence | null { return this.gate.cursor; }

  /** The highest position that a stored value may stand for. */
  get knownThrough(): Sequence | null {
    if (this.answeredThrough === null) return this.cursor;
    return this.cursor === null ? this.answeredThrough : later(this.cursor, this.answeredThrough);
  }

  /** When the first gap, or the first hole that was not asked for, was seen; null when there is neither. */
  get openSince(): number | null {
    const hole = this.gate.holes.isEmpty ? null : this.gate.holes.unaskedSince;
    const gap = this.gate.missingSince;
    if (hole === null) return gap;
    return gap === null ? hole : Math.min(gap, hole);
  }

  get phase(): LibraryPhase {
    if (this.gate.missing !== null) return this.machine?.isActive === true && !this.machine.isHealing ? "reconciling" : "gap";
    if (this.gate.isStale) return "stale";
    return this.gate.cursor === null ? "cold" : "live";
  }

  /** Returns the table of a type; null when the library never had one. */
  table(type: string): TypeTable | null { return this.types.get(type) ?? null; }

  /** Returns the table of a type, which is made when it is new. */
  takeTable(type: string): TypeTable {
    const known = this.types.get(type);
    if (known !== undefined) return known;
    const table = new TypeTable(this, own(type));
    this.types.set(table.name, table);
    return table;
  }
}
