// Readers of lists and entities. Counted as uses; nothing else changes, but that lists forget what is in no tier.

import { hasAll, selection } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import type { Raw } from "../out/raw.js";
import type { Sequence } from "../model/sequence.js";
import { COVERED, isShown } from "../queries/list.js";
import type { Element } from "../queries/list.js";
import type { KeyNode } from "../queries/node.js";
import type { KeptList, Query } from "../queries/query.js";
import type { Slot } from "../store/slot.js";
import type { TypeTable } from "../store/library.js";
import { isEvicted } from "./entities.js";
import { forgetElement } from "./lists.js";
import type { State } from "./state.js";
import { beginUnit, completeness, endUnit } from "./units.js";

/** Why there is no entity. */
export type Miss = "absent" | "expired" | "evicted" | "deleted";

/** A query's list as a reader gets it, or the first element that is not there. */
export interface ListedEntities extends KeptList {
  missing: { slot: Slot; isReduced: boolean; } | null;
  /** Whether a local list lost elements that are in no tier. */
  isShortened: boolean;
  slots: readonly Slot[];
}

/** Returns the shown elements with their resources. `fields`: those that the reader wants; null for all. */
export function readList(
  state: State, query: Query, fields: ReadonlySet<string> | null, isFetched: boolean, now: number,
): ListedEntities {
  const kept = query.kept;
  if (kept !== null) {
    if (state.recency !== null) for (const slot of keptSlots.get(kept) ?? []) state.touch(slot);
    return { ...kept, isPending: query.isPending, missing: null, isShortened: false, slots: keptSlots.get(kept) ?? [] };
  }
  const keys: string[] = [];
  const resources: Raw[] = [];
  const slots: Slot[] = [];
  const lost: Element[] = [];
  let missing: ListedEntities["missing"] = null;
  let isKeepable = true;
  let place = 0;
  for (const element of query.list.all) {
    if (place >= query.shownCountMax) break;
    if ((element.marks & COVERED) !== 0) continue;
    place += 1;
    const { node } = element;
    const { slot } = node;
    const text = node.visible;
    if (slot.text === null && text === null) {
      lost.push(element);
      missing ??= { slot, isReduced: false };
      continue;
    }
    if (slot.text !== null && !isEnough(node, text, fields, isFetched)) {
      missing ??= { slot, isReduced: true };
      continue;
    }
    if (slot.text !== null) state.touch(slot);
    if (slot.text === null || completeness(node) !== "whole") isKeepable = false;
    keys.push(slot.key);
    resources.push(node.visibleRaw);
    slots.push(slot);
  }
  const isPending = query.isPending;
  const hidden = lost.filter((element) => isShown(element.marks));
  let isShortened = false;
  if (hidden.length > 0) {
    beginUnit(state, true);
    for (const element of hidden) forgetElement(state, element, now);
    endUnit(state, now);
    isShortened = query.isLocal;
  } else if (isKeepable && missing === null && lost.length === 0) {
    query.kept = { keys, resources, isPending };
    keptSlots.set(query.kept, slots);
    state.queries.keep(query);
  }
  return { keys, resources, isPending, missing, isShortened, slots };
}

const keptSlots = new WeakMap<KeptList, readonly Slot[]>();

/** Tells whether what is known of an entity is enough for a reader of a list. */
function isEnough(node: KeyNode, text: string | null, fields: ReadonlySet<string> | null, isFetched: boolean): boolean {
  const known = completeness(node);
  if (known === "whole" || known === "answered" && (isFetched || fields === null)) return true;
  return fields !== null && text !== null && hasAll(text, fields);
}

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
