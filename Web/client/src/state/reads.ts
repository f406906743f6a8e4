// Readers of entities. Counted as uses; nothing else changes.

import { hasAll, selection } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import type { Sequence } from "../model/sequence.js";
import type { Slot } from "../store/slot.js";
import type { TypeTable } from "../store/library.js";
import { isEvicted } from "./entities.js";
import type { State } from "./state.js";
import { completeness } from "./units.js";

/** Why there is no entity. */
export type Miss = "absent" | "expired" | "evicted" | "deleted";

/** What is known of one key, as readers see it. */
export interface Lookup {
  text: string | null;
  isWhole: boolean;
  isPending: boolean;
  sequence: Sequence | null;
  /** Why there is nothing; null when there is something. */
  miss: Miss | null;
}

/** Looks up one entity. Counts as a use. */
export function lookUp(state: State, slot: Slot | null): Lookup {
  if (slot === null) return { text: null, isWhole: true, isPending: false, sequence: null, miss: "absent" };
  const stored = slot.text;
  if (stored !== null) state.touch(slot);
  const sequence = stored === null ? null : slot.stamp.sequence;
  const overlay = slot.node === null ? null : slot.node.overlay;
  if (overlay !== null && slot.node !== null) {
    if (overlay.visible !== null) {
      return { text: overlay.visible, isWhole: completeness(slot.node) === "whole", isPending: true, sequence, miss: null };
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

/** Returns what a reader of some fields gets of a resource; null when it lacks some of them. */
export function knownPart(text: string, isWhole: boolean, fields: ReadonlySet<string> | null): string | null {
  if (!isWhole && (fields === null || !hasAll(text, fields))) return null;
  return selection(text, fields);
}

/** Returns a page of the entities of a type, in key order, as readers see them. O(n log n). */
export function readPage(
  table: TypeTable | null, after: string | null, countMax: number,
): { entities: string[]; next: string | null; } {
  const found: { id: string; text: string; }[] = [];
  for (const slot of table?.slots.values() ?? []) {
    const text = slot.node === null ? slot.text : slot.node.visible;
    const isWhole = slot.node === null ? slot.completeness === "whole" : completeness(slot.node) === "whole";
    if (text !== null && isWhole && (after === null || compareBytes(slot.id, after) > 0)) found.push({ id: slot.id, text });
  }
  found.sort((left, right) => compareBytes(left.id, right.id));
  const page = found.slice(0, countMax);
  const last = page[page.length - 1];
  return {
    entities: page.map((entity) => entity.text),
    next: found.length > countMax && last !== undefined && table !== null ? `${table.name}:${last.id}` : null,
  };
}
