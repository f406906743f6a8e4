// Changed lists → the log from which observers are notified. Before: lists. After: distribution. Laws: L6, L10.

import { listSteps } from "../queries/difference.js";
import type { ListStep } from "../queries/difference.js";
import type { KeyNode, Query } from "../queries/query.js";
import type { ListChange } from "./records.js";
import type { State } from "./state.js";

/** Logs the changes of the queries that a unit changed, by number. */
export function logQueries(state: State, touched: Query[], now: number): void {
  if (touched.length > 1) touched.sort((left, right) => left.number - right.number);
  for (const query of touched) logQuery(state, query, now);
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

/** True if an element both left a list and entered it: an entity that a layer covers may be in it twice. */
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

/** True if the visible value of an element that stays in a list changed in the unit. */
function isReplaced(state: State, node: KeyNode): boolean {
  const old = state.unit.olds.get(node);
  return old !== undefined && old !== node.visible;
}
