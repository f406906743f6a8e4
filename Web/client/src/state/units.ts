// Changed lists and entities → the log from which observers are notified. Before: lists. After: distribution. Laws: L6,
// L10.

import { unreachable } from "../model/errors.js";
import { nodeOf } from "../queries/named.js";
import type { KeyNode } from "../queries/query.js";
import type { Slot } from "../store/library.js";
import type { Completeness } from "../store/stamp.js";
import { lists } from "./parts.js";
import type { State } from "./state.js";

/** Begins a unit. `isMulti`: it may change several entities, or one list in several places. */
export function beginUnit(state: State, isMulti: boolean): void {
  if (state.unit.isOpen) unreachable("a unit inside a unit");
  state.views?.settle();
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

function logEntity(state: State, node: KeyNode): void {
  const old = state.unit.olds.get(node) ?? null;
  const current = state.unit.renamed.find((renamed) => renamed.from === node)?.to ?? node;
  const text = current.visible;
  const wasWhole = !state.unit.partialOlds.has(node);
  const isNowWhole = completeness(current) === "whole";
  if (text === old && wasWhole === isNowWhole) return;
  state.log.push({ of: "entity", node, text, old, isWhole: isNowWhole, wasWhole });
}

/** Returns how much of a key's visible value is known. */
export function completeness(node: KeyNode): Completeness {
  if (node.slot.text === null) return "whole";
  const stored = node.slot.completeness;
  if (stored === "whole" || node.overlay === null) return stored;
  // A put in a layer makes everything known.
  return node.overlay.touches.some((touch) => touch.change.op === "put") ? "whole" : stored;
}

/** True if everything is known of a slot's visible value. */
export function isWhole(slot: Slot): boolean {
  const node = nodeOf(slot);
  return (node === null ? slot.completeness : completeness(node)) === "whole";
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
