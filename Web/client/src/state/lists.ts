// Stage 6 of 7: changed entities → lists, kept in order. Before: entities. After: units. Laws: L3, L10.

import { COVERED, EXTRA, LAYERED, MISSING } from "../queries/list.js";
import { nodeOf } from "../queries/named.js";
import type { Element, KeyNode, Query } from "../queries/query.js";
import { ResourceView } from "../queries/view.js";
import type { SortKey } from "../queries/view.js";
import type { Slot } from "../store/library.js";
import { isEvaluable } from "../store/stamp.js";
import {
  insertElement, removeElement, replaceElement, resortElement, setHorizon, setMissing,
} from "./elements.js";
import { markStale } from "./stale.js";
import type { State } from "./state.js";

/** Updates the lists that have an entity, and those it enters, after it was written. */
export function followWriteInLists(state: State, slot: Slot, text: string, now: number): void {
  state.unit.stamp += 1;
  const node = nodeOf(slot);
  const filed = state.queries.filed(slot.table)?.candidates;
  const candidates = filed?.isEmpty === false ? filed : null;
  if (node === null && candidates === null) return;
  const view = new ResourceView(text);
  if (node !== null) {
    for (let place = node.holders.length - 1; place >= 0; place -= 1) follow(state, node.holders[place], slot, view, now);
  }
  if (candidates === null || !isEvaluable(slot.completeness)) return;
  candidates.forEach(view, (query) => {
    if (query.visit !== state.unit.stamp) enterSlot(state, slot, query, view, now);
  });
}

/** Updates a list that already has the entity. The effect of layers is computed afterwards. */
function follow(state: State, element: Element, slot: Slot, view: ResourceView, now: number): void {
  if ((element.marks & EXTRA) !== 0) return;
  const query = element.query;
  query.visit = state.unit.stamp;
  const rule = query.rule;
  if (rule === null) {
    if ((element.marks & MISSING) !== 0) setMissing(state, element, false);
    else if ((element.marks & LAYERED) === 0) replaceElement(state, element);
    return;
  }
  if (!rule.matches(view)) {
    removeElement(state, element);
    checkLength(state, query, now);
    return;
  }
  const sortKey = rule.sortKey(view, slot.id);
  if (element.sortKey === null || rule.compare(sortKey, element.sortKey) !== 0) {
    if (query.horizon !== null && rule.compare(query.horizon, sortKey) < 0) {
      // The elements between the list's end and the entity's new place are unknown.
      removeElement(state, element);
      checkLength(state, query, now);
      return;
    }
    resortElement(state, element, sortKey);
  }
  if ((element.marks & LAYERED) === 0) replaceElement(state, element);
}

/** Removes a deleted entity from every list. */
export function followDeleteInLists(state: State, node: KeyNode, now: number): void {
  for (let place = node.holders.length - 1; place >= 0; place -= 1) {
    const element = node.holders[place];
    if ((element.marks & EXTRA) !== 0) continue;
    removeElement(state, element);
    checkLength(state, element.query, now);
  }
}

/** Updates lists after an entity was removed from the cache: lists with a rule lose it, in others it is missing. */
export function forgetInLists(state: State, node: KeyNode, now: number): void {
  for (let place = node.holders.length - 1; place >= 0; place -= 1) {
    const element = node.holders[place];
    if ((element.marks & EXTRA) === 0) forgetElement(state, element, now);
  }
}

/** Hides an element whose entity is in no tier, or removes it from a list with a rule. */
export function forgetElement(state: State, element: Element, now: number): void {
  if (element.query.rule === null) {
    setMissing(state, element, true);
  } else {
    removeElement(state, element);
    if (!element.query.isLocal) markStale(state, element.query, "list", now);
  }
}

/** Updates lists after an entity was reduced to some fields: rules can no longer be evaluated over it. */
export function followReduction(state: State, node: KeyNode, now: number): void {
  for (let place = node.holders.length - 1; place >= 0; place -= 1) {
    const element = node.holders[place];
    element.query.kept = null;
    if ((element.marks & EXTRA) === 0 && element.query.rule !== null) forgetElement(state, element, now);
  }
}

/** Adds a stored entity to a list whose rule it matches, as far as the list is known. */
export function enterSlot(state: State, slot: Slot, query: Query, view: ResourceView, now: number): void {
  if (!isEvaluable(slot.completeness)) {
    // Only some of its fields are known: whether it belongs there is unknown.
    if (!query.isLocal) markStale(state, query, "list", now);
    return;
  }
  const rule = query.rule;
  if (rule === null || !rule.matches(view)) return;
  const sortKey = rule.sortKey(view, slot.id);
  if (query.horizon !== null && rule.compare(query.horizon, sortKey) < 0) return;
  if (!admitsLate(state, query, now)) return;
  enter(state, slot, sortKey, query, now);
}

/** True unless a late event writes the entity and the list's response stands for its sequence or a later one. */
function admitsLate(state: State, query: Query, now: number): boolean {
  const late = state.unit.late;
  if (late === null || query.isLocal) return true;
  if (query.listedThrough === null) {
    markStale(state, query, "list", now);
    return false;
  }
  return query.listedThrough < late;
}

function enter(state: State, slot: Slot, sortKey: SortKey, query: Query, now: number): void {
  const rule = query.rule;
  if (rule === null) return;
  const countMax = query.elementCountMax(state.limits);
  if (query.list.lowerBound(sortKey, "own", rule) >= countMax) {
    // It would be the last element and be removed at once.
    endAtMaximum(state, query, countMax);
    state.noteQuery(query);
    checkLength(state, query, now);
    return;
  }
  const node = state.takeNode(slot);
  const marks = node.overlay === null ? 0 : LAYERED | COVERED;
  insertElement(state, query, node, sortKey, marks, query.list.lowerBound(sortKey, "all", rule));
  if (query.list.count <= countMax) return;
  endAtMaximum(state, query, countMax);
  removeElement(state, query.list.at(countMax, "own"));
  checkLength(state, query, now);
}

/** Moves the horizon of a full list to its last element. */
function endAtMaximum(state: State, query: Query, countMax: number): void {
  const last = query.list.at(countMax - 1, "own");
  if (last.sortKey !== null) setHorizon(state, query, last.sortKey);
}

/** Removes the last elements while there are too many. */
export function trim(state: State, query: Query): void {
  const countMax = query.elementCountMax(state.limits);
  while (query.list.count > countMax) {
    endAtMaximum(state, query, countMax);
    removeElement(state, query.list.at(query.list.count - 1, "own"));
  }
}

/** Marks a list stale if it shows too few elements because those past its end are unknown. */
export function checkLength(state: State, query: Query, now: number): void {
  if (query.horizon !== null && query.list.count < query.shownCountMax) markStale(state, query, "list", now);
}

/** True if a list has a key as an element that layers did not add. */
export function holds(query: Query, node: KeyNode | null): boolean {
  return node !== null && node.holders.some((element) => element.query === query && (element.marks & EXTRA) === 0);
}
