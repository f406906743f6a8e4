import { own } from "../json/own.js";
import { namesOf } from "../json/text.js";
import type { Limits } from "../model/limits.js";
import { later } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { SequenceGate } from "../sequencing/gate.js";
import type { GateRecord } from "../sequencing/gate.js";
import type { LostRange } from "../sequencing/lost.js";
import type { ReconcileMachine } from "../sequencing/reconcile.js";
import type { ScopeState } from "../sequencing/scope.js";
import type { LogDoubt } from "./doubts.js";
import { completenessAfter, markOf, NO_MARK } from "./stamp.js";
import type { Completeness, FieldStamps, Mark, Stamp } from "./stamp.js";
import { topLevel } from "./written.js";
import type { Written } from "./written.js";

/**
 * The state of a library: `cold` before its first position, `live` while nothing is missing, `gap` while events are
 * missing, `reconciling` while they are requested, or `stale` if all of its lists may be out of date.
 */
export type LibraryPhase = "cold" | "live" | "gap" | "reconciling" | "stale";

/** The entities of one library and type. */
export class TypeTable {
  /** The slots by id. */
  readonly slots = new Map<string, Slot>();
  /** The number of stored entities. */
  entityCount = 0;

  /** Creates a table of a type. */
  constructor(readonly library: Library, readonly name: string) { }

  /** Returns the slot of an id; null if there is none. */
  find(id: string): Slot | null { return this.slots.get(id) ?? null; }

  /** Returns the slot of an id, created if it is new. */
  take(id: string): Slot {
    const known = this.slots.get(id);
    if (known !== undefined) return known;
    const slot = new Slot(this, own(id));
    this.slots.set(slot.id, slot);
    return slot;
  }
}

/** One server-side log with its entities, and the requests for its missing events. */
export class Library {
  /** The position in the log. */
  readonly gate: SequenceGate;
  /** The requests for missing events; null before the first one. */
  machine: ReconcileMachine | null = null;
  /** How often the log began anew before the first request: the machine then starts with this number of attempts. */
  logCount = 0;
  /** The tables by type. */
  readonly types = new Map<string, TypeTable>();
  /** The first position of the open request for lost events; null if there is none. */
  healingFrom: Sequence | null = null;
  /** The highest position that the log was known to reach when missing events were last requested. */
  askedWitness: Sequence = -1;
  /** The highest position that a response stood for; it may be above the cursor. */
  answeredThrough: Sequence | null = null;
  /** The highest position that was known when what is known of a key was last dropped. */
  forgottenThrough: Sequence | null = null;
  /** The positions of late events that were held off: copies of them change nothing. */
  readonly heldOff = new Set<Sequence>();
  /** What made lists stale at which position of the current log, for responses that stand for an earlier one. */
  doubts: readonly LogDoubt[] = [];
  /** How often the library was cleared since the cache was opened. */
  clearCount = 0;
  /** Writes to the base other than by events and responses to queries, since the cache was opened. */
  editCount = 0;
  /** The phase that was last reported to observers. */
  shownPhase: LibraryPhase | null = null;
  /** The lost ranges that were last reported to observers. */
  shownLost: readonly LostRange[] = [];
  /** True if the library is among the watched ones of the state. */
  isWatched = false;
  /** True if a gap is requested without waiting for the reorder window. */
  isUrgent = false;
  /** The open unit of several lines, and the state under way; null before the log had one of them. */
  scope: ScopeState | null = null;

  /** Creates a library, restored from a journal's record if there is one. */
  constructor(readonly name: string, limits: Limits, record?: GateRecord) {
    this.gate = new SequenceGate(limits, record);
  }

  /** The cursor in the log, before a unit that has not ended; null before the first position. */
  get cursor(): Sequence | null { return this.scope?.isOpen === true ? this.scope.before : this.gate.cursor; }

  /** True if the library may be older than its source: after a loss, in a new log, and until the end of a state. */
  get isStale(): boolean { return this.gate.isStale || this.scope?.isStale === true; }

  /** The highest position that a stored value may stand for; null if there is none. */
  get knownThrough(): Sequence | null {
    if (this.answeredThrough === null) return this.cursor;
    return this.cursor === null ? this.answeredThrough : later(this.cursor, this.answeredThrough);
  }

  /**
   * When the first gap was noticed, or the first hole whose events have not been requested yet, in milliseconds since
   * 1970; null if there is neither.
   */
  get openSince(): number | null {
    const hole = this.gate.holes.isEmpty ? null : this.gate.holes.unaskedSince;
    const gap = this.gate.missingSince;
    if (hole === null) return gap;
    return gap === null ? hole : Math.min(gap, hole);
  }

  /** The state of the library. */
  get phase(): LibraryPhase {
    if (this.gate.missing !== null) return this.machine?.isActive === true && !this.machine.isHealing ? "reconciling" : "gap";
    if (this.isStale) return "stale";
    return this.cursor === null ? "cold" : "live";
  }

  /** Returns the table of a type; null if there is none. */
  table(type: string): TypeTable | null { return this.types.get(type) ?? null; }

  /** Returns the table of a type, created if it is new. */
  takeTable(type: string): TypeTable {
    const known = this.types.get(type);
    if (known !== undefined) return known;
    const table = new TypeTable(this, own(type));
    this.types.set(table.name, table);
    return table;
  }
}

/** What names a key: lists, observers and layers. The store keeps it and does not look inside. */
export interface SlotNode {
  /** True if anything names the key. */
  readonly isNamed: boolean;
}

/** One key of a library: its stored entity, and what names it. A slot without either is removed. */
export class Slot {
  /** The stored resource as compact JSON, without layers; null when nothing is stored. */
  text: string | null = null;
  private sequence: Sequence | null = null;
  private mark: Mark = NO_MARK;
  /** The stamps of single fields; null if all were written at once. */
  fields: FieldStamps | null = null;
  /** What names the key: `nodeOf` returns it with its type. Null if nothing does. */
  node: SlotNode | null = null;

  /** Creates an empty slot. */
  constructor(readonly table: TypeTable, readonly id: string) { }

  /** The stamp of the last write; meaningless while nothing is stored. */
  get stamp(): Stamp {
    const { generation, writtenAt, writer, isPartial } = this.mark;
    return { sequence: this.sequence, generation, writtenAt, writer, isPartial };
  }

  set stamp(stamp: Stamp) {
    this.sequence = stamp.sequence;
    this.mark = markOf(stamp);
  }

  /** The key within its library, `type:id`. */
  get key(): string { return `${this.table.name}:${this.id}`; }

  /** How much of the entity is known. */
  get completeness(): Completeness { return this.fields === null ? "whole" : this.fields.completeness; }

  /** Returns the stamp of a field. */
  stampOf(field: string): Stamp {
    return this.fields === null ? this.stamp : this.fields.named.get(field) ?? this.fields.rest;
  }

  /** Stores a value. `written` are the fields that were written, null for all. True if the bytes changed. */
  write(text: string, given: Stamp, written: Written | null): boolean {
    const isPartial = written !== null;
    const stamp = given.isPartial === isPartial ? given : { ...given, isPartial };
    this.dateFields(written, text, stamp);
    const isChanged = text !== this.text;
    if (isChanged) this.text = own(text);
    this.stamp = stamp;
    return isChanged;
  }

  private dateFields(written: Written | null, text: string, stamp: Stamp): void {
    if (written === null) {
      this.fields = null;
      return;
    }
    const stamps = this.fields ?? { rest: this.stamp, named: new Map<string, Stamp>(), completeness: "whole" };
    written.date(stamps.named, stamp, stamps.rest);
    stamps.completeness = completenessAfter(stamps.completeness, stamp.writer);
    const present = namesOf(text);
    if (stamps.named.size > present.length) {
      const kept = new Set(present);
      for (const name of stamps.named.keys()) if (!kept.has(topLevel(name))) stamps.named.delete(name);
    }
    const isOneDate = stamps.completeness === "whole" && present.every((name) => stamps.named.get(name) === stamp)
      && [...stamps.named.values()].every((own) => own === stamp);
    this.fields = isOneDate ? null : stamps;
  }
}
