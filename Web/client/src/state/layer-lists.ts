// Stage 5a of 7: base ⊕ layers → lists. Before: entities, layers. After: units. Law: L2.

import { fold } from "../layers/layer.js";
import { COVERED, EXTRA, isShown, LAYERED, MISSING, SUPPLIED } from "../queries/list.js";
import { nodeOf } from "../queries/named.js";
import type { Element, KeyNode, Query } from "../queries/query.js";
import { ResourceView } from "../queries/view.js";
import type { SortKey } from "../queries/view.js";
import { isEvaluable } from "../store/stamp.js";
import { insertElement, markElement, removeElement, replaceElement, resortElement } from "./elements.js";
import type { State } from "./state.js";
import { completeness } from "./units.js";

/** The elements of one entity in one list: its own, an extra one added by layers, or both. */
interface Place {
  own: Element | null;
  extra: Element | null;
}

/** Recomputes the visible value of an entity after its base or its layers changed, and updates every list. */
export function settleNode(state: State, node: KeyNode): void {
  foldNode(node);
  state.views?.note(node.slot);
  const places = new Map<Query, Place>();
  const take = (query: Query): Place => {
    let place = places.get(query);
    if (place === undefined) places.set(query, place = { own: null, extra: null });
    return place;
  };
  for (const element of node.holders) note(take(element.query), element);
  const visible = node.overlay === null ? null : node.overlay.visible;
  const view = visible === null ? null : new ResourceView(visible);
  if (view !== null && isEvaluable(completeness(node))) state.queries.filed(node.slot.table)?.candidates?.forEach(view, take);
  for (const [query, place] of places) show(state, node, query, place, view);
}

/** Puts every layered entity at its place in a new list. */
export function settleQuery(state: State, query: Query): void {
  const nodes = new Set<KeyNode>();
  for (const layer of state.layers.all) {
    if (layer.library !== query.library) continue;
    for (const { slot } of layer.changes) {
      const node = slot.table === query.table ? nodeOf(slot) : null;
      if (node !== null) nodes.add(node);
    }
  }
  for (const node of nodes) {
    const place: Place = { own: null, extra: null };
    for (const element of node.holders) if (element.query === query) note(place, element);
    const visible = node.overlay === null ? null : node.overlay.visible;
    show(state, node, query, place, visible === null ? null : new ResourceView(visible));
  }
}

/** Computes the visible resource of an entity from its base and layers. O(base + changes). */
export function foldNode(node: KeyNode): void {
  const overlay = node.overlay;
  if (overlay === null) return;
  let value = node.slot.text;
  let isDeleted = false;
  for (const { change } of overlay.touches) {
    value = fold(change, value);
    if (change.op === "delete") isDeleted = true;
  }
  overlay.visible = value;
  overlay.isDeleted = value === null && isDeleted;
}

function note(place: Place, element: Element): void {
  if ((element.marks & EXTRA) !== 0) place.extra = element;
  else place.own = element;
}

function show(state: State, node: KeyNode, query: Query, place: Place, view: ResourceView | null): void {
  const { own } = place;
  if (!query.isStored && own === null && place.extra === null) return;
  if (query.rule === null) {
    if (own !== null) markElement(state, own, unruledMarks(node, own));
  } else {
    showUnderRule(state, node, query, place, view);
  }
  state.unit.isUncertain = true;
  for (const element of [own, place.extra]) {
    if (element !== null && isShown(element.marks)) replaceElement(state, element);
  }
}

function unruledMarks(node: KeyNode, own: Element): number {
  let marks = own.marks & MISSING;
  if (node.overlay === null) return marks;
  marks |= LAYERED;
  if (node.overlay.visible !== null) marks |= SUPPLIED;
  else if (node.overlay.isDeleted) marks |= COVERED;
  return marks;
}

function showUnderRule(state: State, node: KeyNode, query: Query, place: Place, view: ResourceView | null): void {
  const rule = query.rule;
  if (rule === null) return;
  const isLayered = node.overlay !== null;
  let sortKey: SortKey | null = null;
  if (view !== null && isEvaluable(completeness(node)) && rule.matches(view)) sortKey = rule.sortKey(view, node.slot.id);
  // Past the horizon, unknown elements may come first.
  if (sortKey !== null && query.horizon !== null && rule.compare(query.horizon, sortKey) < 0) sortKey = null;
  const ownKey = place.own === null ? null : place.own.sortKey;
  const isInPlace = sortKey !== null && ownKey !== null && rule.compare(ownKey, sortKey) === 0;
  const isExtra = sortKey !== null && isLayered && !isInPlace;
  // Removals precede insertions, so that the entity is never in the list twice.
  if (place.extra !== null && !isExtra) {
    removeElement(state, place.extra);
    place.extra = null;
  }
  if (place.own !== null) {
    markElement(state, place.own, isLayered ? isInPlace ? LAYERED : LAYERED | COVERED : 0);
  }
  if (sortKey === null || !isExtra) return;
  if (place.extra === null) {
    const index = query.list.lowerBound(sortKey, "all", rule);
    place.extra = insertElement(state, query, node, sortKey, LAYERED | EXTRA, index);
  } else if (place.extra.sortKey === null || rule.compare(place.extra.sortKey, sortKey) !== 0) {
    resortElement(state, place.extra, sortKey);
  }
}
