// Temporary ids that become real ones: in layers, in lists, and for observers. Protocol/optimistic.md, settling.

import { memberOf } from "../json/text.js";
import { stackOf } from "../layers/stack.js";
import type { KeyNode } from "../queries/node.js";
import { EXTRA } from "../queries/list.js";
import type { Library } from "../store/library.js";
import { removeElement, retargetElement } from "./elements.js";
import { clearTombstone, dropEntity, insertEntity, noteForgotten } from "./entities.js";
import { settleNode } from "./layer-lists.js";
import { renamedResource } from "./layers.js";
import { holds } from "./lists.js";
import type { State } from "./state.js";
import { noteObserved, remember } from "./units.js";

/** Replaces a temporary id by the real one, for the types under which layers name it; inside a larger unit. */
export function rename(state: State, library: Library, temporary: string, real: string, json: string): void {
  for (const table of [...library.types.values()].sort((left, right) => left.name < right.name ? -1 : 1)) {
    const old = table.find(temporary)?.node ?? null;
    if (old !== null && old.overlay !== null) renameNode(state, old, state.takeNode(table.take(real)), json);
  }
}

function renameNode(state: State, old: KeyNode, fresh: KeyNode, json: string): void {
  for (const node of [old, fresh]) {
    remember(state, node);
    noteObserved(state, node);
  }
  takePlaces(state, old, fresh);
  moveChanges(state, old, fresh, json);
  moveBase(state, old, fresh, json);
  settleNode(state, old);
  settleNode(state, fresh);
  if (old.observerCount > 0) state.unit.renamed.push({ from: old, to: fresh });
  state.release(old);
}

/** Replaces the temporary entity by the real one in lists that are in the server's order. */
function takePlaces(state: State, old: KeyNode, fresh: KeyNode): void {
  for (let place = old.holders.length - 1; place >= 0; place -= 1) {
    const element = old.holders[place];
    if (element.query.rule !== null) continue;
    if (holds(element.query, fresh)) removeElement(state, element);
    else retargetElement(state, element, fresh);
  }
}

function moveChanges(state: State, old: KeyNode, fresh: KeyNode, json: string): void {
  const touches = old.overlay?.touches ?? [];
  old.overlay = null;
  for (const { layer, change } of touches) {
    change.slot = fresh.slot;
    if (change.op === "merge" && memberOf(change.fields, "id") !== null) change.fields = renamedResource(change.fields, json);
    if (change.op === "put") change.resource = renamedResource(change.resource, json);
    stackOf(state).recount(layer);
    state.changes?.layers.add(layer);
  }
  fresh.overlay ??= { touches: [], visible: fresh.slot.text, isDeleted: false };
  const order = (touch: typeof touches[number]): number => touch.layer.changes.indexOf(touch.change);
  fresh.overlay.touches = [...fresh.overlay.touches, ...touches].sort(
    (left, right) => left.layer.number - right.layer.number || order(left) - order(right));
}

/** Moves a stored entity from the temporary id to the real one, unless an entity is stored there. */
function moveBase(state: State, old: KeyNode, fresh: KeyNode, json: string): void {
  const { slot } = old;
  const { text, stamp } = slot;
  if (text === null) return;
  const isWhole = slot.completeness === "whole";
  // Of the temporary id nothing is left: a late event must not make an entity of it again.
  noteForgotten(state, slot.table);
  dropEntity(state, slot);
  for (let place = old.holders.length - 1; place >= 0; place -= 1) {
    const element = old.holders[place];
    if ((element.marks & EXTRA) === 0) removeElement(state, element);
  }
  if (!isWhole || fresh.slot.text !== null) return;
  clearTombstone(state, fresh.slot);
  insertEntity(state, fresh.slot, renamedResource(text, json), stamp);
}
