// Removal from the cache by a caller; it is not a delete and leaves no tombstones. Protocol/sessions.md, cache.remove.

import { nodeOf } from "../queries/named.js";
import type { Slot } from "../store/library.js";
import { noteClear } from "./clears.js";
import { beginChange } from "./elements.js";
import { dropEntity, noteForgotten } from "./entities.js";
import { followRemoval } from "./follow-removal.js";
import { rememberSlot } from "./follow.js";
import { settleNode } from "./layer-lists.js";
import { dropQuery, unstoreQuery } from "./queries.js";
import { nodesOf } from "./stack.js";
import type { State } from "./state.js";
import { beginUnit, endUnit, noteObserved, remember } from "./units.js";

/** Returns the stored entities that match every argument that is not null; `type` is the cache's name. */
export function selectedSlots(
  state: State, libraryName: string, type: string | null, ids: readonly string[] | null, matching: string | null,
): Slot[] {
  const library = state.libraries.get(libraryName);
  if (library === undefined) return [];
  const table = type === null ? null : library.table(type);
  if (type !== null && table === null) return [];
  const found: Slot[] = [];
  const look = (slot: Slot | null): void => {
    if (slot !== null && slot.text !== null && matchesKey(slot, matching)) found.push(slot);
  };
  if (ids !== null && table !== null) for (const id of new Set(ids)) look(table.find(id));
  else for (const own of table === null ? library.types.values() : [table]) for (const slot of own.slots.values()) look(slot);
  return found;
}

/** True if a key's `type:id` contains a text; ASCII letters match in either case. */
export function matchesKey(slot: Slot, text: string | null): boolean {
  return text === null || lowered(slot.key).includes(lowered(text));
}

function lowered(text: string): string { return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()); }

/** Removes one stored entity from the cache. Returns false if there is none. */
export function forgetEntity(state: State, slot: Slot, now: number): boolean {
  if (slot.text === null) return false;
  noteForgotten(state, slot.table);
  rememberSlot(state, slot);
  dropEntity(state, slot);
  followRemoval(state, slot, now);
  state.tidy(slot);
  return true;
}

/** Removes entities from the cache, as one unit. Returns how many were removed. */
export function removeSlots(state: State, slots: readonly Slot[], now: number): number {
  beginUnit(state, true);
  const count = slots.filter((slot) => forgetEntity(state, slot, now)).length;
  endUnit(state, now);
  return count;
}

/** Removes everything of a library, or (null) of all; pending layers, cursors and lost ranges stay. */
export function clear(state: State, libraryName: string | null, now: number): void {
  noteClear(state, libraryName);
  const cleared = [...state.libraries.values()].filter((library) => libraryName === null || library.name === libraryName);
  if (cleared.length === 0) return;
  beginUnit(state, true);
  for (const library of cleared) {
    for (const table of library.types.values()) {
      noteForgotten(state, table);
      for (const slot of [...table.slots.values()]) {
        if (slot.text === null) continue;
        const node = nodeOf(slot);
        if (node !== null) noteObserved(state, node);
        dropEntity(state, slot);
      }
    }
    state.evicted.removeAll(library.name);
    state.noteLibrary(library);
    state.changes?.cleared.add(library);
  }
  const set = new Set(cleared);
  for (const query of state.queries.all) {
    if (!set.has(query.library)) continue;
    beginChange(state, query);
    unstoreQuery(state, query);
    if (query.observerCount === 0) dropQuery(state, query);
  }
  for (const library of cleared) {
    for (const slot of state.tombstones.removeAll(library)) {
      state.views?.note(slot);
      state.tidy(slot);
    }
  }
  for (const node of nodesOf(state.layers.all.filter((layer) => set.has(layer.library)))) {
    remember(state, node);
    noteObserved(state, node);
    settleNode(state, node);
  }
  endUnit(state, now);
  for (const library of cleared) for (const table of library.types.values()) for (const slot of [...table.slots.values()]) state.tidy(slot);
}
