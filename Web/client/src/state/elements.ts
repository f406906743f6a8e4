// The only functions that change a list. Each also updates the reverse index and the steps for observers. Laws: L3,
// L10.

import { unreachable } from "../model/errors.js";
import type { ListStep } from "../queries/difference.js";
import { EXTRA, isShown, LAYERED, MISSING } from "../queries/list.js";
import { Element } from "../queries/query.js";
import type { KeyNode, Query } from "../queries/query.js";
import type { SortKey } from "../queries/view.js";
import type { State } from "./state.js";

/** Begins a change of a query in the current unit: records the elements that observers saw before. */
export function beginChange(state: State, query: Query): void {
  query.kept = null;
  if (query.observerCount === 0 || query.isTouched) return;
  if (!state.unit.isOpen) unreachable(`query ${query.number} changes outside of a unit`);
  query.isTouched = true;
  state.unit.touched.push(query);
  if (state.unit.isMulti) query.before = query.list.shownPrefix(query.shownCountMax);
}

function isStepped(state: State, query: Query): boolean { return query.observerCount > 0 && !state.unit.isMulti; }

/** Inserts an element at an index among all of them. */
export function insertElement(
  state: State, query: Query, node: KeyNode, sortKey: SortKey | null, marks: number, index: number,
): Element {
  beginChange(state, query);
  const element = new Element(node, query, sortKey, marks);
  query.list.insert(element, index);
  element.place = node.holders.push(element) - 1;
  if ((marks & LAYERED) !== 0) query.layered.add(element);
  if (isShown(marks) && isStepped(state, query)) stepIn(state, element);
  if ((marks & EXTRA) === 0) state.noteQuery(query);
  return element;
}

/** Removes an element. */
export function removeElement(state: State, element: Element): void {
  const query = element.query;
  beginChange(state, query);
  if (isShown(element.marks) && isStepped(state, query)) stepOut(state, element);
  takeElement(state, element);
  query.list.remove(element);
  if ((element.marks & EXTRA) === 0) state.noteQuery(query);
}

function takeElement(state: State, element: Element): void {
  const node = element.node;
  element.query.layered.delete(element);
  const last = node.holders.pop();
  if (last !== undefined && last !== element) {
    node.holders[element.place] = last;
    last.place = element.place;
  }
  state.release(node);
}

/** Moves an element to the index of a new sort key. */
export function resortElement(state: State, element: Element, sortKey: SortKey): void {
  const { query } = element;
  const { list, rule } = query;
  if (rule === null) return;
  beginChange(state, query);
  const from = list.index(element, "all");
  let target = list.lowerBound(sortKey, "all", rule);
  // The element itself, under its old key, is before its new index.
  if (target > from) target -= 1;
  if (target !== from && isShown(element.marks) && isStepped(state, query)) {
    const shownFrom = list.index(element, "shown");
    let shownTarget = list.lowerBound(sortKey, "shown", rule);
    if (shownTarget > shownFrom) shownTarget -= 1;
    stepTo(state, element, shownFrom, shownTarget);
  }
  element.sortKey = sortKey;
  if (target !== from) list.move(element, target);
  if ((element.marks & EXTRA) === 0) state.noteQuery(query);
}

/** Records that an element's resource changed while its index did not. */
export function replaceElement(state: State, element: Element): void {
  const { query, node } = element;
  query.kept = null;
  if (query.observerCount === 0) return;
  beginChange(state, query);
  if (!isStepped(state, query) || !isShown(element.marks)) return;
  const at = query.list.index(element, "shown");
  if (at >= query.shownCountMax) return;
  if (query.steps.some((step) => (step.op === "add" || step.op === "replace") && step.node === node)) return;
  query.steps.push({ op: "replace", node, at });
}

/** Sets the marks of an element, which may show or hide it. */
export function markElement(state: State, element: Element, marks: number): void {
  if (element.marks === marks) return;
  const { query } = element;
  beginChange(state, query);
  const was = isShown(element.marks);
  const is = isShown(marks);
  if (was && !is && isStepped(state, query)) stepOut(state, element);
  query.list.setMarks(element, marks);
  if (!was && is && isStepped(state, query)) stepIn(state, element);
  if ((marks & LAYERED) !== 0) query.layered.add(element);
  else query.layered.delete(element);
}

/** Marks an element as missing, or removes that mark. */
export function setMissing(state: State, element: Element, isMissing: boolean): void {
  markElement(state, element, isMissing ? element.marks | MISSING : element.marks & ~MISSING);
}

/** Limits a list to the elements up to a sort key, and removes elements that layers put after it. */
export function setHorizon(state: State, query: Query, horizon: SortKey): void {
  query.horizon = horizon;
  const { list, rule } = query;
  if (rule === null) return;
  while (list.wholeCount > list.count) {
    const last = list.all[list.wholeCount - 1];
    if ((last.marks & EXTRA) === 0 || last.sortKey === null || rule.compare(horizon, last.sortKey) >= 0) return;
    removeElement(state, last);
  }
}

/** Replaces the entity of an element at the same index. Call within a unit of several changes. */
export function retargetElement(state: State, element: Element, node: KeyNode): void {
  beginChange(state, element.query);
  const isLayered = element.query.layered.has(element);
  takeElement(state, element);
  if (isLayered) element.query.layered.add(element);
  element.node = node;
  element.place = node.holders.push(element) - 1;
  state.noteQuery(element.query);
}

/** Removes all elements of a list. Call within a unit of several changes if the list is observed. */
export function removeAllElements(state: State, query: Query): void {
  if (query.list.wholeCount === 0) return;
  beginChange(state, query);
  for (const element of query.list.all) takeElement(state, element);
  query.list.removeAll();
}

// Steps

/** Logs that an element is now shown; with a limit, the last shown element leaves. */
function stepIn(state: State, element: Element): void {
  const { query } = element;
  const countMax = query.shownCountMax;
  const at = query.list.index(element, "shown");
  if (at >= countMax) return;
  if (query.list.shownCount > countMax) {
    addStep(state, query, { op: "remove", node: query.list.at(countMax, "shown").node, at: countMax - 1 });
  }
  addStep(state, query, { op: "add", node: element.node, at });
}

/** Logs that an element is about to be hidden; with a limit, the next element enters. */
function stepOut(state: State, element: Element): void {
  const { query } = element;
  const countMax = query.shownCountMax;
  const at = query.list.index(element, "shown");
  if (at >= countMax) return;
  addStep(state, query, { op: "remove", node: element.node, at });
  if (query.list.shownCount > countMax) {
    addStep(state, query, { op: "add", node: query.list.at(countMax, "shown").node, at: countMax - 1 });
  }
}

/** Logs the effect of a move on the shown part. */
function stepTo(state: State, element: Element, from: number, at: number): void {
  const { query, node } = element;
  const countMax = query.shownCountMax;
  if (from < countMax && at < countMax) {
    if (from !== at) addStep(state, query, { op: "move", node, from, at });
  } else if (from < countMax) {
    const pulled = query.list.at(countMax, "shown").node;
    addStep(state, query, { op: "remove", node, at: from });
    addStep(state, query, { op: "add", node: pulled, at: countMax - 1 });
  } else if (at < countMax) {
    const pushed = query.list.at(countMax - 1, "shown").node;
    addStep(state, query, { op: "remove", node: pushed, at: countMax - 1 });
    addStep(state, query, { op: "add", node, at });
  }
}

/** Adds a step, or combines it with the last one if it reverts or continues that. */
function addStep(state: State, query: Query, step: ListStep<KeyNode>): void {
  const steps = query.steps;
  const last = steps[steps.length - 1];
  if (last !== undefined && last.node === step.node) {
    if (step.op === "remove" && last.op !== "remove" && last.at === step.at) {
      steps.pop();
      if (last.op === "move") addStep(state, query, { op: "remove", node: step.node, at: last.from });
      else if (last.op === "replace") addStep(state, query, step);
      return;
    }
    if (step.op === "add" && last.op === "remove") {
      steps.pop();
      if (last.at !== step.at) steps.push({ op: "move", node: step.node, from: last.at, at: step.at });
      steps.push({ op: "replace", node: step.node, at: step.at });
      state.unit.isUncertain = true;
      return;
    }
  }
  steps.push(step);
}
