import { noLayers } from "../layers/view.js";
import type { LayerView } from "../layers/view.js";
import type { Limits } from "../model/limits.js";
import { KeyNode } from "../queries/node.js";
import type { Query } from "../queries/query.js";
import { noQueries } from "../queries/none.js";
import type { QueryView } from "../queries/none.js";
import type { RecentDoubts } from "../store/recent-doubts.js";
import { EvictedKeys } from "../store/evicted.js";
import { Library } from "../store/library.js";
import type { TypeTable } from "../store/library.js";
import { own } from "../store/own.js";
import type { RecentWrites } from "../store/recent.js";
import type { Slot } from "../store/slot.js";
import { TombstoneStore } from "../store/tombstones.js";
import type { Changes } from "./changes.js";
import type { Bin, ChangeRecord, EventCounts, EventTap, QuarantineRecord } from "./records.js";
import { Unit } from "./unit.js";
import type { Policy } from "./ages.js";
import type { EventSource } from "../sequencing/held.js";
import { noRoomFor } from "../model/errors.js";
import type { Reason } from "../model/errors.js";
import type { ChangeEvent } from "../wire/events.js";

/** What a state is told when it is made. */
export interface StateOptions {
  limits: Limits;
  defaultLibrary: string;
  /** Own names of types, by the names under which they may come. */
  aliases: ReadonlyMap<string, string>;
  hasUpstream: boolean;
  policy: Policy | null;
  /** Milliseconds that a gap waits for late events. */
  reorderWindow: number;
  /** `type`, or `type.field`: what stays when an entity is evicted. */
  evictIgnore: readonly string[];
}

/**
 * Events → state: sequence gate, entities, tombstones, layers, queries. Synchronous and without I/O; everything that
 * changes it is a function of this folder, and leaves in `log` what observers are to be told.
 */
export class State {
  readonly limits: Limits;
  readonly libraries = new Map<string, Library>();
  /** The names of types, under their own names. */
  readonly types = new Set<string>();
  queries: QueryView = noQueries;
  /** The pending edits. */
  layers: LayerView = noLayers;
  readonly tombstones: TombstoneStore;
  readonly evicted: EvictedKeys;
  /** The newest writes, for answers on their way; null before the first answer. */
  recent: RecentWrites | null = null;
  readonly unit = new Unit();
  readonly counts: EventCounts = {
    lines: 0, blank: 0, control: 0, messages: 0, applied: 0, duplicate: 0, ignored: 0, quarantined: 0, held: 0,
    membersQuarantined: 0, reconciled: 0, late: 0,
  };
  readonly ignoredKinds = new Map<string, number>();
  /** The newest records; bounded by `quarantineRecordCountMax`. */
  readonly quarantine: QuarantineRecord[] = [];
  quarantinedCount = 0;
  /** Hears of counted events; null while nobody follows the log. */
  tap: EventTap | null = null;
  /** Libraries that miss something, or did at the last look. */
  watched: Library[] = [];
  /** Grows with each loss. */
  lossCount = 0;
  /** The newest doubts about lists, for answers on their way; null before the first question. */
  doubts: RecentDoubts | null = null;
  /** The questions that are under way. */
  fetchCount = 0;
  /** The questions so far, and the answers that nobody asked for. */
  questionCount = 0;
  /** How often everything was removed. */
  clearCount = 0;
  /** How often everything of a library was removed that was not known, while questions are under way. */
  readonly unknownClears = new Map<string, number>();
  entityCount = 0;
  evictionCount = 0;
  /** What observers are to be told, in order. Emptied in the step that made it. */
  log: ChangeRecord[] = [];
  hasLibraryObservers = false;
  /** What a journal has not yet; null without one. */
  changes: Changes | null = null;
  /** Entities in the order of their last use; null where their number has no bound. */
  readonly recency: Set<Slot> | null;
  private readonly released = new Set<KeyNode>();

  constructor(readonly options: StateOptions) {
    this.limits = options.limits;
    this.tombstones = new TombstoneStore(options.limits.tombstoneCountMax, options.limits.tombstoneAgeMax);
    this.evicted = new EvictedKeys(options.limits.evictedKeyCountMax);
    this.recency = Number.isFinite(options.limits.entityCountMax) ? new Set() : null;
  }

  // Names

  /** Returns a library, which is opened when it is new; null when there are too many. */
  takeLibrary(name: string): Library | null {
    // Most events are of the same library as the one before.
    if (this.lastLibrary !== null && this.lastLibrary.name === name) return this.lastLibrary;
    const known = this.libraries.get(name);
    if (known !== undefined) return this.lastLibrary = known;
    if (this.libraries.size >= this.limits.libraryCountMax) return null;
    const library = new Library(own(name), this.limits);
    this.libraries.set(library.name, library);
    this.noteLibrary(library);
    return library;
  }

  /** Returns the own name of a type. */
  ownType(name: string): string { return this.options.aliases.get(name) ?? name; }

  /** Notes the name of a type. Returns false when it is one too many. */
  takeType(type: string): boolean {
    if (this.types.has(type)) return true;
    if (this.types.size >= this.limits.typeCountMax) return false;
    this.types.add(own(type));
    return true;
  }

  /** Returns the slot of a key, whose type may be new. */
  takeSlot(library: Library, type: string, id: string): Slot {
    const own = this.ownType(type);
    if (!this.takeType(own)) throw noRoomFor("resource type");
    return library.takeTable(own).take(id);
  }

  findTable(library: string, type: string): TypeTable | null {
    return this.libraries.get(library)?.table(this.ownType(type)) ?? null;
  }

  findSlot(library: string, type: string, id: string): Slot | null { return this.findTable(library, type)?.find(id) ?? null; }

  // Nodes

  /** Whether no query, observer or layer exists that an event could concern. */
  get hasReaders(): boolean { return this.queries.size > 0 || this.nodeCount > 0; }

  private lastLibrary: Library | null = null;
  private nodeCount = 0;
  private lastNumber = 0;
  private readonly freeNumbers: number[] = [];

  /** Returns a key's node, which is made when it is new. */
  takeNode(slot: Slot): KeyNode {
    if (slot.node !== null) return slot.node;
    this.nodeCount += 1;
    const number = this.freeNumbers.pop() ?? this.lastNumber++;
    return slot.node = new KeyNode(slot, number);
  }

  /** Notes that something no longer names a key. The node stays until observers were told. */
  release(node: KeyNode): void { if (!node.isNamed) this.released.add(node); }

  /** Empties the log, and forgets the nodes that nothing names any more. */
  clearLog(): void {
    if (this.log.length > 0) this.log = [];
    if (this.released.size === 0) return;
    for (const node of this.released) {
      if (node.isNamed || node.slot.node !== node) continue;
      node.slot.node = null;
      this.nodeCount -= 1;
      this.freeNumbers.push(node.number);
      this.tidy(node.slot);
    }
    this.released.clear();
  }

  /** Forgets a key of which nothing is known. */
  tidy(slot: Slot): void {
    if (slot.text === null && slot.node === null && !this.tombstones.has(slot)) slot.table.slots.delete(slot.id);
  }

  /** Lets those who follow the log hear of an event. */
  hear(event: ChangeEvent, source: EventSource, bin: Bin, reason: Reason | null = null): void {
    this.tap?.hear({
      event, bin, reason, library: event.library ?? this.options.defaultLibrary, sequence: event.sequence,
      type: event.type === "" ? null : event.type, line: source.isUpstream ? null : source.line, isLate: this.unit.late !== null,
    });
  }

  // Marks for the journal

  noteSlot(slot: Slot): void { this.changes?.slots.add(slot); }

  noteLibrary(library: Library): void { this.changes?.libraries.add(library); }

  noteQuery(query: Query): void { if (query.isStored) this.changes?.queries.add(query); }

  /** Counts as a use for the order of eviction. */
  touch(slot: Slot): void {
    if (this.recency === null) return;
    this.recency.delete(slot);
    this.recency.add(slot);
  }
}
