// Changed lists and entities → the log that observers are told from. Before: lists. After: distribution. Laws: L6, L10.

import { unreachable } from "../model/errors.js";
import { listSteps } from "../queries/difference.js";
import type { ListStep } from "../queries/difference.js";
import type { KeyNode } from "../queries/node.js";
import type { Query } from "../queries/query.js";
import type { Completeness } from "../store/stamp.js";
import type { ListChange } from "./records.js";
import type { State } from "./state.js";

/** Begins a unit; `isMulti`: it may change several entities, or one list in several places. */
export function beginUnit(state: State, isMulti: boolean): void {
  if (state.unit.isOpen) unreachable("a unit inside a unit");
  state.unit.isOpen = true;
  state.unit.isMulti = isMulti;
}

/** Ends a unit and logs its changes: queries by number, then entities in the order they changed. */
export function endUnit(state: State, now: number): void {
  const unit = state.unit;
  if (unit.touched.length > 1) unit.touched.sort((left, right) => left.number - right.number);
  for (const query of unit.touched) logQuery(state, query, now);
  for (const node of unit.entities) logEntity(state, node);
  for (const { from, to } of unit.renamed) state.log.push({ of: "renamed", from, to });
  if (unit.touched.length > 0) unit.touched.length = 0;
  if (unit.entities.size > 0) unit.entities.clear();
  if (unit.renamed.length > 0) unit.renamed.length = 0;
  if (unit.olds.size > 0) unit.olds.clear();
  if (unit.partialOlds.size > 0) unit.partialOlds.clear();
  unit.isOpen = false;
  unit.isUncertain = false;
}

/** Runs a step as one unit; inside one that is open it is part of that. */
export function inUnit(state: State, now: number, body: () => void): void {
  if (state.unit.isOpen) {
    body();
    return;
  }
  beginUnit(state, true);
  body();
  endUnit(state, now);
}

function logQuery(state: State, query: Query, now: number): void {
  let steps = query.steps;
  if (state.unit.isMulti) {
    steps = difference(state, query, query.before);
  } else if (state.unit.isUncertain) {
    if (hasReturning(steps)) steps = difference(state, query, undone(query, steps));
    steps = steps.filter((step) => step.op !== "replace" || isReplaced(state, step.node));
  }
  query.steps = [];
  query.before = [];
  query.isTouched = false;
  const isStale = query.isStale(now);
  if (query.observerCount === 0 || steps.length === 0 && isStale === query.shownStale) return;
  query.shownStale = isStale;
  state.log.push({
    of: "query", query, steps: steps.map((step) => listChange(state, step)), isStale, isPending: query.isPending,
    asOf: query.asOf,
  });
}

function listChange(state: State, step: ListStep<KeyNode>): ListChange {
  switch (step.op) {
    case "add": return { op: "add", at: step.at, raw: step.node.visibleRaw, node: step.node };
    case "remove": return { op: "remove", at: step.at };
    case "move": return { op: "move", from: step.from, at: step.at };
    case "replace": return {
      op: "replace", at: step.at, raw: step.node.visibleRaw, old: state.unit.olds.get(step.node) ?? null, node: step.node,
    };
  }
}

/** Tells whether an element both left a list and came to it: an entity that a layer covers may be in it twice. */
function hasReturning(steps: readonly ListStep<KeyNode>[]): boolean {
  return steps.some((step) => step.op === "add" && steps.some((other) => other.op === "remove" && other.node === step.node));
}

/** Returns the elements that observers saw before the steps of a unit. */
function undone(query: Query, steps: readonly ListStep<KeyNode>[]): KeyNode[] {
  const list = query.list.shownPrefix(query.shownCountMax);
  for (const step of [...steps].reverse()) {
    switch (step.op) {
      case "add": list.splice(step.at, 1); break;
      case "remove": list.splice(step.at, 0, step.node); break;
      case "replace": break;
      case "move":
        list.splice(step.at, 1);
        list.splice(step.from, 0, step.node);
    }
  }
  return list;
}

function difference(state: State, query: Query, before: readonly KeyNode[]): ListStep<KeyNode>[] {
  const after = query.list.shownPrefix(query.shownCountMax);
  return listSteps(before, after, (node) => isReplaced(state, node));
}

/** Tells whether the visible value of an element that was and is in a list changed in the unit. */
function isReplaced(state: State, node: KeyNode): boolean {
  const old = state.unit.olds.get(node);
  return old !== undefined && old !== node.visible;
}

function logEntity(state: State, node: KeyNode): void {
  const old = state.unit.olds.get(node) ?? null;
  const current = state.unit.renamed.find((renamed) => renamed.from === node)?.to ?? node;
  const text = current.visible;
  const wasWhole = !state.unit.partialOlds.has(node);
  const isWhole = completeness(current) === "whole";
  if (text === old && wasWhole === isWhole) return;
  state.log.push({ of: "entity", node, text, old, isWhole, wasWhole });
}

/** Returns how much is known of a key, as readers see it. */
export function completeness(node: KeyNode): Completeness {
  if (node.slot.text === null) return "whole";
  const stored = node.slot.completeness;
  if (stored === "whole" || node.overlay === null) return stored;
  // A put among the layers shows all of it.
  return node.overlay.touches.some((touch) => touch.change.op === "put") ? "whole" : stored;
}

/** Keeps what observers saw of a key before the unit. */
export function remember(state: State, node: KeyNode): void {
  if (state.unit.olds.has(node)) return;
  state.unit.olds.set(node, node.visible);
  if (node.slot.text !== null && completeness(node) !== "whole") state.unit.partialOlds.add(node);
}

/** Notes that an observed entity may have changed. */
export function noteObserved(state: State, node: KeyNode): void {
  if (node.observerCount > 0) state.unit.entities.add(node);
}
