import { own } from "../json/own.js";
import { noLayers } from "../layers/view.js";
import type { LayerView } from "../layers/view.js";
import { noRoomFor } from "../model/errors.js";
import type { Reason } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import { nodeOf } from "../queries/named.js";
import { NodeOf } from "../queries/node.js";
import { noQueries } from "../queries/none.js";
import type { QueryView } from "../queries/none.js";
import type { Element, KeyNode, Query } from "../queries/query.js";
import type { EventSource } from "../sequencing/held.js";
import { EvictedKeys } from "../store/evicted.js";
import { Library } from "../store/library.js";
import type { Slot, TypeTable } from "../store/library.js";
import type { RecentDoubts } from "../store/recent-doubts.js";
import type { RecentWrites } from "../store/recent.js";
import { TombstoneStore } from "../store/tombstones.js";
import type { ChangeEvent } from "../wire/events.js";
import type { Policy } from "./ages.js";
import type { Changes } from "./changes.js";
import type { Bin, ChangeRecord, EventCounts, EventTap, QuarantineRecord } from "./records.js";
import { Unit } from "./unit.js";
import type { ViewWatch } from "./view-watch.js";

/** The settings of a state. */
export interface StateOptions {
  /** The bounds of input and state. */
  limits: Limits;
  /** The library of events that name none. */
  defaultLibrary: string;
  /** The cache's names of types, by alias. */
  aliases: ReadonlyMap<string, string>;
  /** True if an upstream can return missing events. */
  hasUpstream: boolean;
  /** Maximum ages and cascading deletes; null for none. */
  policy: Policy | null;
  /** How long a gap waits for events out of order, in milliseconds. */
  reorderWindow: number;
  /** What eviction keeps, as `type` or `type.field`. */
  evictIgnore: readonly string[];
}

/**
 * The state that events, responses and edits produce: libraries, entities, tombstones, layers and queries. It does no
 * I/O. Only functions of this folder change it; they record in `log` the changes that observers must hear of.
 */
export class State {
  /** The bounds of input and state. */
  readonly limits: Limits;
  /** The library of events and requests that name none. */
  readonly defaultLibrary: string;
  /** The libraries by name. */
  readonly libraries = new Map<string, Library>();
  /** The names of all types, aliases resolved. */
  readonly types = new Set<string>();
  /** The queries. */
  queries: QueryView = noQueries;
  /** The pending edits. */
  layers: LayerView = noLayers;
  /** The live views; null while there are none. */
  views: ViewWatch | null = null;
  /** The tombstones of deleted entities. */
  readonly tombstones: TombstoneStore;
  /** The keys of evicted entities. */
  readonly evicted: EvictedKeys;
  /** The most recent writes, for awaited responses; null before the first response. */
  recent: RecentWrites | null = null;
  /** The current unit of change. */
  readonly unit = new Unit();
  /** The counters of lines and events. */
  readonly counts: EventCounts = {
    lines: 0, blank: 0, control: 0, messages: 0, applied: 0, duplicate: 0, ignored: 0, quarantined: 0, held: 0,
    membersQuarantined: 0, reconciled: 0, late: 0,
  };
  /** The number of events of each unknown kind. */
  readonly ignoredKinds = new Map<string, number>();
  /** The newest quarantine records; at most `quarantineRecordCountMax`. */
  readonly quarantine: QuarantineRecord[] = [];
  /** The number of quarantine records so far. */
  quarantinedCount = 0;
  /** Receives counted events; null while the log is not observed. */
  tap: EventTap | null = null;
  /** Libraries with missing events, now or at the last check. */
  watched: Library[] = [];
  /** The number of losses so far. */
  lossCount = 0;
  /** The newest doubts about lists, for awaited responses; null before the first request. */
  doubts: RecentDoubts | null = null;
  /** The number of open requests. */
  fetchCount = 0;
  /** The number of requests so far, and of responses without one. */
  questionCount = 0;
  /** How often all libraries were cleared. */
  clearCount = 0;
  /** How often each unknown library was cleared while requests are open. */
  readonly unknownClears = new Map<string, number>();
  /** The number of stored entities. */
  entityCount = 0;
  /** The number of evictions so far. */
  evictionCount = 0;
  /** The changes to report to observers, in order. Emptied in the step that fills it. */
  log: ChangeRecord[] = [];
  /** True if changes of libraries are observed. */
  hasLibraryObservers = false;
  /** The changes that the journal does not have yet; null without a journal. */
  changes: Changes | null = null;
  /** Entities in the order of their last use; null if their number has no bound. */
  readonly recency: Set<Slot> | null;
  private readonly released = new Set<KeyNode>();

  /** Creates an empty state. */
  constructor(readonly options: StateOptions) {
    this.limits = options.limits;
    this.defaultLibrary = options.defaultLibrary;
    this.tombstones = new TombstoneStore(options.limits.tombstoneCountMax, options.limits.tombstoneAgeMax);
    this.evicted = new EvictedKeys(options.limits.evictedKeyCountMax);
    this.recency = Number.isFinite(options.limits.entityCountMax) ? new Set() : null;
  }

  // Names

  /** Returns a library, created if it is new; null if there are too many. */
  takeLibrary(name: string): Library | null {
    // Most events belong to the same library as the one before.
    if (this.lastLibrary !== null && this.lastLibrary.name === name) return this.lastLibrary;
    const known = this.libraries.get(name);
    if (known !== undefined) return this.lastLibrary = known;
    if (this.libraries.size >= this.limits.libraryCountMax) return null;
    const library = new Library(own(name), this.limits);
    this.libraries.set(library.name, library);
    this.noteLibrary(library);
    return library;
  }

  /** Returns the cache's name of a type that may be an alias. */
  ownType(name: string): string { return this.options.aliases.get(name) ?? name; }

  /** Records the name of a type. Returns false if there are too many. */
  takeType(type: string): boolean {
    if (this.types.has(type)) return true;
    if (this.types.size >= this.limits.typeCountMax) return false;
    this.types.add(own(type));
    return true;
  }

  /** Returns the slot of a key; its type may be new. Throws `limit_exceeded` if there are too many types. */
  takeSlot(library: Library, type: string, id: string): Slot {
    const own = this.ownType(type);
    if (!this.takeType(own)) throw noRoomFor("resource type");
    return library.takeTable(own).take(id);
  }

  /** Returns the table of a type; null if there is none. */
  findTable(library: string, type: string): TypeTable | null {
    return this.libraries.get(library)?.table(this.ownType(type)) ?? null;
  }

  /** Returns the slot of a key; null if there is none. */
  findSlot(library: string, type: string, id: string): Slot | null { return this.findTable(library, type)?.find(id) ?? null; }

  // Nodes

  /** True if a query, observer, layer or view exists that an event could concern. */
  get hasReaders(): boolean { return this.queries.size > 0 || this.nodeCount > 0 || this.views !== null; }

  private lastLibrary: Library | null = null;
  private nodeCount = 0;
  private lastNumber = 0;
  private readonly freeNumbers: number[] = [];

  /** Returns a key's node, created if it is new. */
  takeNode(slot: Slot): KeyNode {
    const known = nodeOf(slot);
    if (known !== null) return known;
    this.nodeCount += 1;
    const number = this.freeNumbers.pop() ?? this.lastNumber++;
    return slot.node = new NodeOf<Element>(slot, number);
  }

  /** Records that something no longer names a key. Its node is kept until observers have been notified. */
  release(node: KeyNode): void { if (!node.isNamed) this.released.add(node); }

  /** Empties the log, and removes the nodes that nothing names any more. */
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

  /** Removes a slot that stores and names nothing. */
  tidy(slot: Slot): void {
    if (slot.text === null && slot.node === null && !this.tombstones.has(slot)) slot.table.slots.delete(slot.id);
  }

  /** Passes a counted event to the observers of the log. */
  hear(event: ChangeEvent, source: EventSource, bin: Bin, reason: Reason | null = null): void {
    this.tap?.hear({
      event, bin, reason, library: event.library ?? this.defaultLibrary, sequence: event.sequence,
      type: event.type === "" ? null : event.type, line: source.isUpstream ? null : source.line, isLate: this.unit.late !== null,
    });
  }

  // Marks for the journal

  /** Marks an entity or its tombstone as changed. */
  noteSlot(slot: Slot): void {
    this.changes?.slots.add(slot);
    this.views?.note(slot);
  }

  /** Marks a library as changed. */
  noteLibrary(library: Library): void { this.changes?.libraries.add(library); }

  /** Marks a stored query as changed. */
  noteQuery(query: Query): void { if (query.isStored) this.changes?.queries.add(query); }

  /** Counts as a use of an entity, for the order of eviction. */
  touch(slot: Slot): void {
    if (this.recency === null) return;
    this.recency.delete(slot);
    this.recency.add(slot);
  }
}
