// Evicts the least recently used entities, except for those that must stay. Protocol/limits.md. Law: L9.

import { selection } from "../json/text.js";
import { isShown } from "../queries/list.js";
import { nodeOf } from "../queries/named.js";
import type { Slot } from "../store/library.js";
import { topLevel } from "../store/written.js";
import { dropEntity, noteEvicted, noteForgotten } from "./entities.js";
import { noteEviction } from "./evictions.js";
import { followRemoval } from "./follow-removal.js";
import { rememberSlot } from "./follow.js";
import { lists } from "./parts.js";
import type { State } from "./state.js";
import { beginUnit, endUnit } from "./units.js";

/** The types and fields that eviction keeps. */
interface KeptParts {
  readonly types: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

const known = new WeakMap<readonly string[], KeptParts>();

/** Parses names of the forms `type`, `type.field` and `type.*`. */
function keptParts(names: readonly string[]): KeptParts {
  const read = known.get(names);
  if (read !== undefined) return read;
  const types = new Set<string>();
  const fields = new Map<string, Set<string>>();
  for (const name of names) {
    const dot = name.lastIndexOf(".");
    if (dot < 0 || name.endsWith(".*")) {
      types.add(dot < 0 ? name : name.slice(0, dot));
    } else {
      const type = name.slice(0, dot);
      fields.set(type, (fields.get(type) ?? new Set()).add(name.slice(dot + 1)));
    }
  }
  const parts = { types, fields };
  known.set(names, parts);
  return parts;
}

/** Evicts entities until `entityCountMax` holds, or until all remaining ones must stay. */
export function evict(state: State, now: number): void {
  const recency = state.recency;
  if (recency === null || state.entityCount <= state.limits.entityCountMax) return;
  beginUnit(state, true);
  // Entities of types that views have are evicted last.
  if (state.views !== null) evictSome(state, recency, (slot) => mustStay(state, slot) || state.views?.keeps(slot) === true, now);
  evictSome(state, recency, (slot) => mustStay(state, slot), now);
  endUnit(state, now);
}

function evictSome(state: State, recency: ReadonlySet<Slot>, isKept: (slot: Slot) => boolean, now: number): void {
  let seenCount = recency.size;
  for (const slot of recency) {
    if (state.entityCount <= state.limits.entityCountMax || seenCount === 0) break;
    seenCount -= 1;
    if (isKept(slot)) state.touch(slot);
    else leave(state, slot, now);
  }
}

function leave(state: State, slot: Slot, now: number): void {
  const kept = keptParts(state.options.evictIgnore).fields.get(slot.table.name);
  if (kept !== undefined) {
    // At its old place in the order of use, it would be examined again and again.
    state.touch(slot);
    if (slot.completeness === "reduced") return;
    reduce(state, slot, new Set([...kept, "id", "uuid"]), now);
    state.evictionCount += 1;
    noteEviction(state, slot);
    return;
  }
  rememberSlot(state, slot);
  dropEntity(state, slot);
  const forgotten = state.evicted.insert(slot.table.library.name, slot.key);
  noteEvicted(state, slot, true);
  if (forgotten !== null) noteForgotten(state, slot.table);
  state.evictionCount += 1;
  noteEviction(state, slot);
  followRemoval(state, slot, now);
  state.tidy(slot);
}

/** Reduces an entity to some fields. Its stamps stay. */
function reduce(state: State, slot: Slot, fields: ReadonlySet<string>, now: number): void {
  const stamps = slot.fields ?? { rest: slot.stamp, named: new Map(), completeness: "whole" };
  for (const name of stamps.named.keys()) if (!fields.has(topLevel(name))) stamps.named.delete(name);
  stamps.completeness = "reduced";
  slot.fields = stamps;
  slot.text = selection(slot.text ?? "{}", fields);
  state.noteSlot(slot);
  const node = nodeOf(slot);
  if (node !== null && node.holders.length > 0) lists.code.followReduction(state, node, now);
}

/** True if an entity must not be evicted: it is observed or pending, or its type is kept. */
function mustStay(state: State, slot: Slot): boolean {
  if (keptParts(state.options.evictIgnore).types.has(slot.table.name)) return true;
  const node = nodeOf(slot);
  if (node === null) return false;
  if (node.overlay !== null || node.observerCount > 0) return true;
  return node.holders.some((element) => {
    const { query } = element;
    if (query.observerCount === 0) return false;
    if (query.pinnedCountMax === Infinity) return true;
    return isShown(element.marks) && query.list.index(element, "shown") < query.pinnedCountMax;
  });
}
