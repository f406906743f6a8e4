// Reads entities. A read counts as a use, and changes nothing else.

import { hasAll, selection } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import type { Sequence } from "../model/sequence.js";
import { overlayOf, visibleText } from "../queries/named.js";
import type { Slot, TypeTable } from "../store/library.js";
import { isEvicted } from "./entities.js";
import type { State } from "./state.js";
import { isWhole } from "./units.js";

/** Why a read found no entity. */
export type Miss = "absent" | "expired" | "evicted" | "deleted";

/** The visible state of one key. */
export interface Lookup {
  /** The visible resource; null if there is none. */
  text: string | null;
  /** True if all fields are known. */
  isWhole: boolean;
  /** True if the entity shows a pending edit. */
  isPending: boolean;
  /** The sequence of the stored value; null if it has none. */
  sequence: Sequence | null;
  /** Why there is no entity; null if there is one. */
  miss: Miss | null;
}

/** Looks up one entity, and counts this as a use. */
export function lookUp(state: State, slot: Slot | null): Lookup {
  if (slot === null) return { text: null, isWhole: true, isPending: false, sequence: null, miss: "absent" };
  const stored = slot.text;
  if (stored !== null) state.touch(slot);
  const sequence = stored === null ? null : slot.stamp.sequence;
  const overlay = overlayOf(slot);
  if (overlay !== null) {
    if (overlay.visible !== null) {
      return { text: overlay.visible, isWhole: isWhole(slot), isPending: true, sequence, miss: null };
    }
    if (overlay.isDeleted || state.tombstones.has(slot)) {
      return { text: null, isWhole: true, isPending: true, sequence, miss: "deleted" };
    }
    return { text: null, isWhole: true, isPending: true, sequence: null, miss: isEvicted(state, slot) ? "evicted" : "absent" };
  }
  if (stored !== null) {
    return { text: stored, isWhole: slot.completeness === "whole", isPending: false, sequence, miss: null };
  }
  const miss = state.tombstones.has(slot) ? "deleted" : isEvicted(state, slot) ? "evicted" : "absent";
  return { text: null, isWhole: true, isPending: false, sequence: null, miss };
}

/** Returns the requested fields of a resource; null if some of them are unknown. */
export function knownPart(text: string, isWhole: boolean, fields: ReadonlySet<string> | null): string | null {
  if (!isWhole && (fields === null || !hasAll(text, fields))) return null;
  return selection(text, fields);
}

/** Returns a page of the visible entities of a type, in key order. O(n log n). */
export function readPage(
  table: TypeTable | null, after: string | null, countMax: number,
): { entities: string[]; next: string | null; } {
  const found: { id: string; text: string; }[] = [];
  for (const slot of table?.slots.values() ?? []) {
    const text = visibleText(slot);
    if (text !== null && isWhole(slot) && (after === null || compareBytes(slot.id, after) > 0)) found.push({ id: slot.id, text });
  }
  found.sort((left, right) => compareBytes(left.id, right.id));
  const page = found.slice(0, countMax);
  const last = page[page.length - 1];
  return {
    entities: page.map((entity) => entity.text),
    next: found.length > countMax && last !== undefined && table !== null ? `${table.name}:${last.id}` : null,
  };
}
