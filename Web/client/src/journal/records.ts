// The records of a journal: plain values that survive both a structured clone and JSON.

import type { Layer, LayerChange } from "../layers/layer.js";
import type { Renaming } from "../layers/renamings.js";
import type { LayerSending, SentRequest } from "../layers/sending.js";
import type { Limits } from "../model/limits.js";
import { parseSequence } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { EXTRA, LAYERED, MISSING } from "../queries/list.js";
import { Query } from "../queries/query.js";
import { tableOf } from "../queries/table.js";
import { ResourceView } from "../queries/view.js";
import type { SortKey } from "../queries/view.js";
import type { StaleCause } from "../sequencing/gate.js";
import { ScopeState } from "../sequencing/scope.js";
import type { Changes } from "../state/changes.js";
import { insertElement } from "../state/elements.js";
import { edits, lists, views } from "../state/parts.js";
import { fileQuery } from "../state/queries.js";
import type { State } from "../state/state.js";
import { beginUnit, endUnit } from "../state/units.js";
import { Library } from "../store/library.js";
import type { Slot } from "../store/library.js";
import type { Completeness, Stamp, Writer } from "../store/stamp.js";
import { DAMAGE_COUNT_MAX, hasShape } from "./damage.js";
import type { DamagedRecord } from "./damage.js";
import type { JournalBatch, JournalContents, JournalStore, JournalWrite } from "./journal.js";

type StampRecord = readonly [sequence: string | null, generation: number, writtenAt: number, writer: Writer, isPartial: boolean];

interface EntityRecord {
  library: string;
  type: string;
  id: string;
  /** The resource; null for a tombstone. */
  text: string | null;
  stamp: StampRecord;
  rest?: StampRecord;
  named?: readonly (readonly [string, StampRecord])[];
  completeness?: Completeness;
}

interface LibraryRecord {
  name: string;
  epoch: string | null;
  generation: number;
  cursor: string | null;
  staleCause: StaleCause;
  lost: readonly (readonly [string, string])[];
  answeredThrough: string | null;
  forgottenThrough: string | null;
  /** Absent unless a state is under way; then true. */
  isInState?: true;
  /** Absent unless the source of the log is stale; then true. */
  isSourceStale?: true;
  /** Absent when there are none. */
  doubts?: readonly (readonly [sequence: string, type: string | null, hints: string | null])[];
}

interface QueryRecord {
  number: number;
  library: string;
  method: string;
  input: string;
  type: string;
  tags: string;
  rule: string;
  isLocal: boolean;
  timeToLive: number | null;
  asOf: string | null;
  storedAt: number;
  invalidSince: number | null;
  horizon: SortKey | null;
  ids: readonly string[];
}

type ChangeRecord =
  | { op: "put"; type: string; id: string; resource: string; }
  | { op: "patch"; type: string; id: string; fields: string; unset: readonly string[]; }
  | { op: "merge"; type: string; id: string; fields: string; }
  | { op: "remove_field"; type: string; id: string; field: string; }
  | { op: "delete"; type: string; id: string; isAlong?: true; };

interface LayerRecord {
  number: number;
  pendingId: string;
  library: string;
  createdAt: number;
  isConfirmed: boolean;
  awaited: readonly [string, number] | null;
  dependsOn: readonly string[];
  changes: readonly ChangeRecord[];
  /** The request of the layer; absent when there is none. */
  sending?: LayerSending;
  /** The request as first sent; absent while the layer itself still has it unchanged. */
  sent?: SentRequest;
}

/** A renamed temporary id; stored among the layers. */
interface RenamingRecord {
  number: number;
  library: string;
  type: string | null;
  temporary: string;
  real: string;
  json: string;
  isEnded: boolean;
}

const written = (sequence: Sequence | null): string | null => sequence === null ? null : String(sequence);
const read = (text: string | null): Sequence | null => text === null ? null : parseSequence(text);

/** Returns the key prefix of a library's records. */
function libraryKey(name: string): string { return `${JSON.stringify(name)}/`; }

/** Returns the batch that writes a set of changes. */
export function batchOf(state: State, changes: Changes): JournalBatch {
  const writes: JournalWrite[] = [];
  const add = (store: JournalStore, key: string, value: unknown): void => { writes.push({ store, key, value }); };
  for (const slot of changes.slots) add("entities", `${libraryKey(slot.table.library.name)}${slot.key}`, entityRecord(state, slot));
  for (const library of changes.libraries) add("libraries", library.name, libraryRecord(library));
  for (const number of changes.removedQueries) add("queries", String(number), undefined);
  for (const query of changes.queries) add("queries", String(query.number), queryRecord(query));
  for (const number of changes.removedLayers) add("layers", String(number), undefined);
  for (const one of changes.layers) add("layers", String(one.number), one.changes === undefined ? renamingRecord(one) : layerRecord(one));
  for (const { library, key, isEvicted } of changes.evicted.values()) {
    add("evicted", `${libraryKey(library)}${key}`, isEvicted ? { library, key } : undefined);
  }
  for (const [key, view] of changes.views) add("views", key, view ?? undefined);
  const cleared = [...changes.cleared].flatMap((library) => [
    { store: "entities" as const, prefix: libraryKey(library.name) }, { store: "evicted" as const, prefix: libraryKey(library.name) },
  ]);
  return { cleared, writes };
}

function stampRecord(stamp: Stamp): StampRecord {
  return [written(stamp.sequence), stamp.generation, stamp.writtenAt, stamp.writer, stamp.isPartial];
}

function stampOf([sequence, generation, writtenAt, writer, isPartial]: StampRecord): Stamp {
  return { sequence: read(sequence), generation, writtenAt, writer, isPartial };
}

function entityRecord(state: State, slot: Slot): EntityRecord | undefined {
  const key = { library: slot.table.library.name, type: slot.table.name, id: slot.id };
  if (slot.text === null) {
    const tombstone = state.tombstones.get(slot);
    if (tombstone === null) return undefined;
    return { ...key, text: null, stamp: [written(tombstone.sequence), tombstone.generation, tombstone.deletedAt, "event", false] };
  }
  const stored = { ...key, text: slot.text, stamp: stampRecord(slot.stamp) };
  if (slot.fields === null) return stored;
  const { rest, named, completeness } = slot.fields;
  return {
    ...stored, rest: stampRecord(rest), completeness,
    named: [...named].map(([name, stamp]) => [name, stampRecord(stamp)] as const),
  };
}

function libraryRecord(library: Library): LibraryRecord {
  const { epoch, generation, staleCause, lost } = library.gate.record;
  const { scope } = library;
  return {
    name: library.name, epoch, generation, cursor: written(library.cursor), staleCause,
    ...scope?.isInState === true ? { isInState: true } : {}, ...scope?.isSourceStale === true ? { isSourceStale: true } : {},
    lost: lost.map((range) => [String(range.first), String(range.last)] as const),
    answeredThrough: written(library.answeredThrough), forgottenThrough: written(library.forgottenThrough),
    ...library.doubts.length === 0 ? {} : { doubts: library.doubts.map(({ sequence, type, hints }) => [String(sequence), type, hints] as const) },
  };
}

function queryRecord(query: Query): QueryRecord | undefined {
  if (!query.isStored || query.table === null) return undefined;
  return {
    number: query.number, library: query.key.library, method: query.key.method, input: query.key.input,
    type: query.table.name, tags: query.tags, rule: query.ruleText, isLocal: query.isLocal, timeToLive: query.timeToLive,
    asOf: written(query.asOf), storedAt: query.storedAt, invalidSince: query.invalidSince, horizon: query.horizon,
    ids: query.list.all.filter((element) => (element.marks & EXTRA) === 0).map((element) => element.node.slot.id),
  };
}

function renamingRecord({ number, library, type, temporary, real, json, isEnded }: Renaming): RenamingRecord {
  return { number, library: library.name, type, temporary, real, json, isEnded };
}

function layerRecord(layer: Layer): LayerRecord {
  return {
    number: layer.number, pendingId: layer.pendingId, library: layer.library.name, createdAt: layer.createdAt,
    isConfirmed: layer.isConfirmed, dependsOn: layer.dependsOn,
    ...layer.sending === null ? {} : { sending: edits.code.recordedSending(layer.sending) },
    ...layer.sent === null ? {} : { sent: layer.sent },
    awaited: layer.awaited === null ? null : [String(layer.awaited.sequence), layer.awaited.generation],
    changes: layer.changes.map((change): ChangeRecord => {
      const key = { type: change.slot.table.name, id: change.slot.id };
      switch (change.op) {
        case "put": return { op: "put", ...key, resource: change.resource };
        case "patch": return { op: "patch", ...key, fields: change.fields, unset: change.unset };
        case "merge": return { op: "merge", ...key, fields: change.fields };
        case "remove_field": return { op: "remove_field", ...key, field: change.field };
        case "delete": return { op: "delete", ...key, ...change.isAlong === true ? { isAlong: true } : {} };
      }
    }),
  };
}

// Reading

/** Loads a journal's contents into a new state. Returns the damaged records, which are left out. */
export function recover(state: State, contents: JournalContents, limits: Limits, now: number): DamagedRecord[] {
  const damage: DamagedRecord[] = [];
  const note = (store: JournalStore, key: string): void => { if (damage.length < DAMAGE_COUNT_MAX) damage.push({ store, key }); };
  /** Passes each usable record of a store to `body`; a record for which `body` throws is damaged too. */
  const each = <Row>(store: JournalStore, body: (record: Row) => void, order?: (left: Row, right: Row) => number): void => {
    // A journal of a program may not have the newer stores.
    const usable = [...contents[store] ?? []].filter(([key, value]) => {
      if (hasShape(value, store)) return true;
      note(store, key);
      return false;
    }) as [string, Row][];
    if (order !== undefined) usable.sort(([, left], [, right]) => order(left, right));
    for (const [key, record] of usable) {
      try {
        body(record);
      } catch {
        note(store, key);
      }
    }
  };
  each<LibraryRecord>("libraries", (record) => recoverLibrary(state, record, limits));
  const tombstones: [Slot, EntityRecord][] = [];
  each<EntityRecord>("entities", (record) => {
    const library = state.takeLibrary(record.library);
    if (library === null || !state.takeType(record.type)) return;
    const slot = library.takeTable(record.type).take(record.id);
    if (record.text === null) tombstones.push([slot, record]);
    else recoverEntity(state, slot, record, record.text);
  });
  tombstones.sort(([, left], [, right]) => left.stamp[2] - right.stamp[2]);
  for (const [slot, { stamp }] of tombstones) {
    state.tombstones.insert({ sequence: read(stamp[0]), generation: stamp[1], deletedAt: stamp[2] }, slot);
  }
  each<{ library: string; key: string; }>("evicted", ({ library, key }) => { state.evicted.insert(library, key); });
  const byNumber = (left: { number: number; }, right: { number: number; }): number => left.number - right.number;
  const laid: Layer[] = [];
  each<LayerRecord | RenamingRecord>("layers", (record) => {
    if ("temporary" in record) return recoverRenaming(state, record);
    const layer = recoverLayer(state, record);
    if (layer !== null) laid.push(layer);
  }, byNumber);
  beginUnit(state, true);
  each<QueryRecord>("queries", (record) => {
    recoverQuery(state, record);
    // The cursor of a library whose record is damaged is unknown: its lists are fetched again.
    const query = state.queries.find({ library: record.library, method: record.method, input: record.input });
    if (query !== null && damage.some(({ store }) => store === "libraries")) query.invalidSince ??= query.storedAt;
  }, byNumber);
  if (laid.length > 0) for (const node of edits.code.nodesOf(laid)) edits.code.settleNode(state, node);
  endUnit(state, now);
  each<{ library: string; name: string; rule: string; }>("views", (record) => views.code.restoreView(state, record));
  state.clearLog();
  return damage;
}

function recoverLibrary(state: State, record: LibraryRecord, limits: Limits): void {
  const library = new Library(record.name, limits, {
    epoch: record.epoch, generation: record.generation, cursor: read(record.cursor), staleCause: record.staleCause,
    lost: record.lost.map(([first, last]) => ({ first: read(first) ?? 0, last: read(last) ?? 0 })),
  });
  library.answeredThrough = read(record.answeredThrough);
  library.forgottenThrough = read(record.forgottenThrough);
  library.doubts = (record.doubts ?? []).map(([sequence, type, hints]) => ({ sequence: read(sequence) ?? 0, type, hints }));
  if (record.isInState === true || record.isSourceStale === true) {
    library.scope = new ScopeState();
    library.scope.isInState = record.isInState === true;
    library.scope.isSourceStale = record.isSourceStale === true;
  }
  state.libraries.set(record.name, library);
}

function recoverEntity(state: State, slot: Slot, record: EntityRecord, text: string): void {
  slot.text = text;
  slot.stamp = stampOf(record.stamp);
  if (record.rest !== undefined) {
    slot.fields = {
      rest: stampOf(record.rest), completeness: record.completeness ?? "whole",
      named: new Map((record.named ?? []).map(([name, stamp]) => [name, stampOf(stamp)])),
    };
  }
  slot.table.entityCount += 1;
  state.entityCount += 1;
  state.recency?.add(slot);
}

function recoverLayer(state: State, record: LayerRecord): Layer | null {
  const library = state.takeLibrary(record.library);
  if (library === null) return null;
  const changes = record.changes.map((change): LayerChange => {
    const slot = state.takeSlot(library, change.type, change.id);
    switch (change.op) {
      case "put": return { op: "put", slot, resource: change.resource };
      case "patch": return { op: "patch", slot, fields: change.fields, unset: change.unset };
      case "merge": return { op: "merge", slot, fields: change.fields };
      case "remove_field": return { op: "remove_field", slot, field: change.field };
      case "delete": return { op: "delete", slot, ...change.isAlong === true ? { isAlong: true } : {} };
    }
  });
  // A record of an older version has no `isUnderWay`: then no attempt is.
  const sending = record.sending === undefined ? null : edits.code.recordedSending(record.sending);
  const parts = { pendingId: record.pendingId, dependsOn: [...record.dependsOn], changes, sending, sent: record.sent ?? null };
  const sequence = record.awaited === null ? null : read(record.awaited[0]);
  const layer: Layer = {
    ...parts, number: record.number, library, createdAt: record.createdAt, isConfirmed: record.isConfirmed,
    awaited: record.awaited === null || sequence === null ? null : { sequence, generation: record.awaited[1] },
    byteCount: edits.code.layerByteCount(parts),
  };
  edits.code.pushLayer(state, layer);
  return layer;
}

function recoverRenaming(state: State, { number, library: name, type, temporary, real, json, isEnded }: RenamingRecord): void {
  const library = state.takeLibrary(name);
  if (library === null) return;
  const layers = edits.code.stackOf(state);
  layers.noteNumber(number);
  layers.renamings.restore({ number, library, type, temporary, real, json, isEnded });
}

function recoverQuery(state: State, record: QueryRecord): void {
  const library = state.takeLibrary(record.library);
  if (library === null || !state.takeType(record.type)) return;
  const key = { library: record.library, method: record.method, input: record.input };
  const rule = record.rule === "" ? null : lists.code.parseRule(record.rule);
  const query = tableOf(state).add(new Query(key, library, record.number));
  query.table = library.takeTable(record.type);
  query.tags = record.tags;
  query.ruleText = record.rule;
  query.rule = rule;
  query.isLocal = record.isLocal;
  query.timeToLive = record.timeToLive;
  query.asOf = read(record.asOf);
  query.storedAt = record.storedAt;
  query.invalidSince = record.invalidSince;
  query.horizon = record.horizon;
  fileQuery(state, query);
  if (query.isLocal) return lists.code.evaluate(state, query);
  for (const id of record.ids) recoverElement(state, query, query.table.take(id));
}

function recoverElement(state: State, query: Query, slot: Slot): void {
  const { rule, list } = query;
  if (rule === null) {
    const node = state.takeNode(slot);
    const marks = (slot.text === null ? MISSING : 0) | (node.overlay === null ? 0 : LAYERED);
    insertElement(state, query, node, null, marks, list.wholeCount);
  } else if (slot.text === null) {
    query.invalidSince ??= query.storedAt;
    state.tidy(slot);
  } else {
    const node = state.takeNode(slot);
    const sortKey = rule.sortKey(new ResourceView(slot.text), slot.id);
    insertElement(state, query, node, sortKey, node.overlay === null ? 0 : LAYERED, list.lowerBound(sortKey, "all", rule));
  }
}
