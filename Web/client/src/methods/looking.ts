// The reports of a cache: its counters, and where an entity's value comes from. Protocol/sessions.md.

import { membersOf } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { COVERED } from "../queries/list.js";
import { nodeOf, visibleText } from "../queries/named.js";
import type { KeyNode, QueryKey } from "../queries/query.js";
import type { Ages } from "../state/ages.js";
import { limitsOf } from "../state/expiry.js";
import { isWhole } from "../state/units.js";
import type { Slot } from "../store/library.js";
import type { Stamp } from "../store/stamp.js";
import { PATH_SEPARATOR, topLevel } from "../store/written.js";
import type { MethodHost } from "./host.js";

/** Returns the result of `cache.stats`. */
export function statisticsOf(engine: MethodHost): { [name: string]: Out; } {
  const { state, observers, misses } = engine;
  const { counts } = state;
  const names = [...state.libraries.keys()].sort();
  const libraries = Object.fromEntries(names.map((name) => {
    const { phase, epoch, cursor, lost } = engine.status(name);
    return [name, { epoch, sequence: cursor, state: phase, lost: lost.map((range) => [range.first, range.last]) }];
  }));
  let byteCount = 0;
  for (const library of state.libraries.values()) {
    for (const table of library.types.values()) for (const slot of table.slots.values()) byteCount += slot.text?.length ?? 0;
  }
  return {
    entities: state.entityCount, queries: state.queries.storedCount, observers: observers.size, pending: state.layers.size,
    memory_bytes: byteCount, disk_bytes: 0, hits: engine.hitCount, misses: { ...misses },
    evictions: state.evictionCount, notifications: observers.notificationCount, libraries,
    storage: engine.flusher.storage, lines: counts.lines,
    events: {
      applied: counts.applied, duplicate: counts.duplicate, ignored: counts.ignored, quarantined: counts.quarantined,
      held: counts.held + [...state.libraries.values()].reduce((sum, { scope }) => sum + (scope?.waitingCount ?? 0), 0),
    },
    members_quarantined: counts.membersQuarantined, reconciled: counts.reconciled, late: counts.late, blank: counts.blank,
    control: counts.control, messages: counts.messages, ignored_kinds: Object.fromEntries([...state.ignoredKinds].sort()),
  };
}

/** Returns the result of `cache.explain`. */
export function explain(
  engine: MethodHost, { library, type, id }: { library: string; type: string; id: string; }, ages: Ages,
): Out {
  const { state } = engine;
  const slot = state.findSlot(library, type, id);
  const isEvicted = state.evicted.has(library, `${type}:${id}`);
  if (slot === null) {
    return { miss: isEvicted ? "evicted" : "absent", deletion: null, fields: [], layers: [], queries: [], observers: 0 };
  }
  const now = engine.now();
  const node = nodeOf(slot);
  const tombstone = state.tombstones.get(slot);
  const limits = new Map(slot.text === null ? [] : limitsOf(ages, slot.table.name, slot.text, null).map(({ field, limit }) => [field, limit]));
  const fields = slot.text === null ? [] : membersOf(slot.text).map(({ name }) => {
    const stamp = slot.stampOf(name);
    const age = Math.max(now - stamp.writtenAt, 0);
    const limit = limits.get(name) ?? null;
    return {
      name, writer: stamp.writer, sequence: stamp.sequence, written_at: stamp.writtenAt, age,
      max_age: limit?.seconds ?? null, rule: limit?.rule ?? null, stale: limit !== null && age >= limit.seconds * 1_000,
    };
  });
  const nested = nestedFields(slot).map(({ name, stamp: { writer, sequence, writtenAt } }) => ({
    name, writer, sequence, written_at: writtenAt, age: Math.max(now - writtenAt, 0), max_age: null, rule: null, stale: false,
  }));
  return {
    miss: explainMiss(slot, tombstone !== null, isEvicted),
    deletion: slot.text !== null || tombstone === null ? null
      : { writer: "event", sequence: tombstone.sequence, written_at: tombstone.deletedAt },
    fields: [...fields, ...nested], layers: pendingIdsOver(node), queries: placesOf(slot, now), observers: node?.observerCount ?? 0,
  };
}

/** Returns the fields inside embedded objects that were written separately from them, by path. */
export function nestedFields(slot: Slot): { name: string; stamp: Stamp; }[] {
  if (slot.text === null || slot.fields === null) return [];
  const present = new Set(membersOf(slot.text).map(({ name }) => name));
  const nested = [...slot.fields.named].filter(([path]) => path.includes(PATH_SEPARATOR) && present.has(topLevel(path)));
  return nested.sort(([left], [right]) => compareBytes(left, right))
    .map(([path, stamp]) => ({ name: path.split(PATH_SEPARATOR).join("."), stamp }));
}

function placesOf(slot: Slot, now: number): Out[] {
  const shown = (nodeOf(slot)?.holders ?? []).filter((element) => (element.marks & COVERED) === 0);
  const order = (left: QueryKey, right: QueryKey): number =>
    left.method < right.method || left.method === right.method && left.input < right.input ? -1 : 1;
  return [...shown].sort((left, right) => order(left.query.key, right.query.key)).map((element) => {
    const { query } = element;
    return {
      library_id: query.key.library, method: query.key.method, input: new Raw(query.key.input),
      index: query.list.index(element, "shown"), stale: query.isStale(now),
    };
  });
}

/** Returns the pending ids of the layers over a node, oldest first. */
function pendingIdsOver(node: KeyNode | null): string[] {
  return [...new Set((node?.overlay?.touches ?? []).map((touch) => touch.layer.pendingId))];
}

function explainMiss(slot: Slot, isDeleted: boolean, isEvicted: boolean): Out {
  if (visibleText(slot) !== null) return isWhole(slot) ? null : "evicted";
  if (isDeleted || slot.text !== null) return "deleted";
  return isEvicted ? "evicted" : "absent";
}
