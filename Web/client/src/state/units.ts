// Changed lists and entities → the log from which observers are notified. Before: lists. After: distribution. Laws: L6,
// L10.

import { unreachable } from "../model/errors.js";
import { lists } from "../parts/index.js";
import type { KeyNode } from "../queries/node.js";
import type { Completeness } from "../store/stamp.js";
import type { State } from "./state.js";

/** Begins a unit. `isMulti`: it may change several entities, or one list in several places. */
export function beginUnit(state: State, isMulti: boolean): void {
  if (state.unit.isOpen) unreachable("a unit inside a unit");
  state.unit.isOpen = true;
  state.unit.isMulti = isMulti;
}

/** Ends a unit and logs its changes: queries by number, then entities in the order they changed. */
export function endUnit(state: State, now: number): void {
  const unit = state.unit;
  if (unit.touched.length > 0) lists.code.logQueries(state, unit.touched, now);
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

/** Runs `body` as one unit, or as a part of the unit that is already open. */
export function inUnit(state: State, now: number, body: () => void): void {
  if (state.unit.isOpen) {
    body();
    return;
  }
  beginUnit(state, true);
  body();
  endUnit(state, now);
}

/** True if the visible value of an element that stays in a list changed in the unit. */
export function isReplaced(state: State, node: KeyNode): boolean {
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

/** Returns how much of a key's visible value is known. */
export function completeness(node: KeyNode): Completeness {
  if (node.slot.text === null) return "whole";
  const stored = node.slot.completeness;
  if (stored === "whole" || node.overlay === null) return stored;
  // A put in a layer makes everything known.
  return node.overlay.touches.some((touch) => touch.change.op === "put") ? "whole" : stored;
}

/** Records the visible value of a key before the unit. */
export function remember(state: State, node: KeyNode): void {
  if (state.unit.olds.has(node)) return;
  state.unit.olds.set(node, node.visible);
  if (node.slot.text !== null && completeness(node) !== "whole") state.unit.partialOlds.add(node);
}

/** Records that an observed entity may have changed. */
export function noteObserved(state: State, node: KeyNode): void {
  if (node.observerCount > 0) state.unit.entities.add(node);
}
