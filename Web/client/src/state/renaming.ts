// Replaces temporary ids by real ones: in layers, in lists, and for observers. Protocol/optimistic.md, temporary ids.

import { memberOf, presentMember } from "../json/text.js";
import type { RealId } from "../layers/renamings.js";
import { EXTRA } from "../queries/list.js";
import { nodeOf, overlayOf } from "../queries/named.js";
import type { Overlay } from "../queries/node.js";
import type { KeyNode } from "../queries/query.js";
import { assigned } from "../store/assigned.js";
import type { Library, TypeTable } from "../store/library.js";
import { removeElement, retargetElement } from "./elements.js";
import { clearTombstone, dropEntity, insertEntity, noteForgotten } from "./entities.js";
import { settleNode } from "./layer-lists.js";
import { holds } from "./lists.js";
import { renameInputs } from "./outbox.js";
import { stackOf } from "./stack.js";
import type { State } from "./state.js";
import { noteObserved, remember } from "./units.js";

/**
 * Replaces a temporary id by the real one everywhere, and in later edits. Call within a unit of several changes. `only`
 * is the type of the entity; null for every type under which layers of the library name the id.
 */
export function rename(state: State, library: Library, id: RealId, only: string | null): void {
  const { temporary, real, json } = id;
  if (temporary === real) return;
  const { renamings } = stackOf(state);
  const naming = tablesNaming(library, temporary);
  // A known renaming must not apply to a newer entity that uses the temporary id since.
  const tables = naming.filter(({ name }) => (only === null || only === name) && !renamings.isEnded(id, name, library));
  if (naming.length === 0 && renamings.isEnded(id, null, library)) return;
  renameInputs(state, library, id, (layer) => {
    const own = layer.changes.filter(({ slot }) => slot.id === temporary);
    return own.length === 0 ? tables.length === naming.length : own.some(({ slot }) => tables.includes(slot.table));
  });
  for (const table of tables) {
    const temporarySlot = table.find(temporary);
    const old = temporarySlot === null ? null : nodeOf(temporarySlot);
    if (old !== null) renameNode(state, old, state.takeNode(table.take(real)), json);
  }
  const isUntyped = naming.length === 0 && only === null && !renamings.isKnown(id, library);
  for (const type of isUntyped ? [null] : tables.map(({ name }) => name)) {
    renamings.learn({ ...id, number: stackOf(state).takeNumber(), library, type, isEnded: false }, state.changes);
  }
}

/** Returns the types under which layers of a library name an id, sorted by name. */
function tablesNaming(library: Library, id: string): TypeTable[] {
  const naming = [...library.types.values()].filter((table) => overlayIn(table, id) !== null);
  return naming.sort((left, right) => left.name < right.name ? -1 : 1);
}

function overlayIn(table: TypeTable, id: string): Overlay | null {
  const slot = table.find(id);
  return slot === null ? null : overlayOf(slot);
}

/**
 * True if real ids would make layers larger than a journal can hold. A confirmation cannot wait until other layers
 * settle: therefore ids may enlarge layers past their bound, up to twice the bound.
 */
export function wouldOverfillLayers(state: State, ids: readonly RealId[], library: Library): boolean {
  let added = 0;
  for (const { temporary, real, json } of ids) {
    for (const table of tablesNaming(library, temporary)) {
      added += (overlayIn(table, temporary)?.touches.length ?? 0) * (real.length + json.length);
    }
  }
  return added > 0 && stackOf(state).byteCount + added > 2 * state.limits.layerByteCountMax;
}

/** Returns a resource with its id replaced. */
export function renamedResource(resource: string, json: string): string {
  const field = presentMember(resource, "id") === null ? "uuid" : "id";
  return assigned(`{"${field}":${json}}`, resource);
}

/** Returns the fields of a merge with their id replaced, if they have one, as those of a response often do. */
export function renamedPart(fields: string, json: string): string {
  return memberOf(fields, "id") === null ? fields : renamedResource(fields, json);
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

/** Replaces the temporary entity by the real one in lists in the server's order. */
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
  // Keeps the sent request before the first of a layer's changes is replaced.
  for (const { layer } of touches) stackOf(state).keepSent(layer);
  for (const { layer, change } of touches) {
    change.slot = fresh.slot;
    if (change.op === "merge") change.fields = renamedPart(change.fields, json);
    if (change.op === "put") change.resource = renamedResource(change.resource, json);
    stackOf(state).recount(layer);
    state.changes?.layers.add(layer);
  }
  fresh.overlay ??= { touches: [], visible: fresh.slot.text, isDeleted: false };
  const order = (touch: typeof touches[number]): number => touch.layer.changes.indexOf(touch.change);
  fresh.overlay.touches = [...fresh.overlay.touches, ...touches].sort(
    (left, right) => left.layer.number - right.layer.number || order(left) - order(right));
}

/** Moves a stored entity from the temporary id to the real one, unless one is stored there. */
function moveBase(state: State, old: KeyNode, fresh: KeyNode, json: string): void {
  const { slot } = old;
  const { text, stamp } = slot;
  if (text === null) return;
  const isWhole = slot.completeness === "whole";
  // Nothing remains under the temporary id: a late event must not create the entity again.
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
