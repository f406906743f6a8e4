// Reads lists. A read counts as a use; apart from that, lists only lose elements that are in no tier.

import { hasAll } from "../json/text.js";
import type { Raw } from "../out/raw.js";
import { COVERED, isShown } from "../queries/list.js";
import type { Element, KeptList, KeyNode, Query } from "../queries/query.js";
import { tableOf } from "../queries/table.js";
import type { Slot } from "../store/library.js";
import { forgetElement } from "./lists.js";
import type { State } from "./state.js";
import { beginUnit, completeness, endUnit } from "./units.js";

/** A query's list as read, or the first element that cannot be read. */
export interface ListedEntities extends KeptList {
  /** The first element that cannot be read, or lacks fields; null if there is none. */
  missing: { slot: Slot; isReduced: boolean; } | null;
  /** True if the read removed elements that are in no tier from a local list. */
  isShortened: boolean;
  /** The slots of the shown elements. */
  slots: readonly Slot[];
}

/** Returns the shown elements with their resources. `fields` are the requested fields; null for all. */
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
    tableOf(state).keep(query);
  }
  return { keys, resources, isPending, missing, isShortened, slots };
}

const keptSlots = new WeakMap<KeptList, readonly Slot[]>();

/** True if the known fields of an entity are enough for a reader of a list. */
function isEnough(node: KeyNode, text: string | null, fields: ReadonlySet<string> | null, isFetched: boolean): boolean {
  const known = completeness(node);
  if (known === "whole" || known === "answered" && (isFetched || fields === null)) return true;
  return fields !== null && text !== null && hasAll(text, fields);
}
