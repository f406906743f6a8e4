import type { Slot, TypeTable } from "../store/library.js";
import type { State } from "./state.js";

/** How many entities of each table were evicted since the cache was opened. */
const counts = new WeakMap<TypeTable, number>();

/** Counts an evicted entity. */
export function noteEviction(state: State, slot: Slot): void {
  counts.set(slot.table, evictionCount(slot.table) + 1);
  state.views?.note(slot);
}

/** Returns how many entities of a table were evicted since the cache was opened. */
export function evictionCount(table: TypeTable | null): number { return table === null ? 0 : counts.get(table) ?? 0; }
