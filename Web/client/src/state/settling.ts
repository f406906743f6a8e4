// Events that settle layers. Protocol/optimistic.md, settling.

import type { Layer } from "../layers/layer.js";
import type { Sequence } from "../model/sequence.js";
import type { KeyNode } from "../queries/query.js";
import type { Library } from "../store/library.js";
import type { Stamp } from "../store/stamp.js";
import type { ChangeEvent } from "../wire/events.js";
import { creationBy } from "./creations.js";
import { settleNode } from "./layer-lists.js";
import type { Creation } from "./outcomes.js";
import { rename } from "./renaming.js";
import { nodesOf, stackOf } from "./stack.js";
import type { State } from "./state.js";
import { beginUnit, endUnit, noteObserved, remember } from "./units.js";

/**
 * Returns a function that settles the layer named by an event that is not yet applied, and layers that waited for its
 * position. Call the function when the event is applied, in the event's own unit.
 */
export function settlingBy(state: State, event: ChangeEvent, library: Library): () => void {
  const creation = creationBy(state, event, library);
  return () => {
    settleNamed(state, event, creation, library);
    if (event.sequence !== null) dropReached(state, event.sequence, library);
    dropOutlived(state);
  };
}

/** Settles the layer whose mutation an event names. `creation` is what the event revealed before it was applied. */
export function settleNamed(state: State, event: ChangeEvent, creation: Creation | null, library: Library): void {
  const layer = event.mutationId === null ? null : stackOf(state).get(event.mutationId);
  if (layer === null || layer.library !== library) return;
  const { renaming, isOpen } = creation ?? { renaming: null, isOpen: false };
  if (renaming !== null) rename(state, library, renaming.id, renaming.type);
  // Later requests of the key may name an entity whose real id only the response contains.
  if (isOpen) stackOf(state).noteUnanswered(layer);
  dropLayers(state, stackOf(state).group(layer));
}

/** True if an event may settle layers, and therefore change several entities. */
export function maySettle(state: State, event: ChangeEvent, library: Library): boolean {
  if (stackOf(state).isEmpty) return false;
  if (event.mutationId !== null) return true;
  const generation = library.gate.generation;
  if (stackOf(state).isAwaitingOther(generation, library)) return true;
  return event.sequence !== null && stackOf(state).reached(event.sequence, generation, library) !== null;
}

/** Settles layers that wait for a position, after the cursor may have moved without an event. */
export function settleReached(state: State, library: Library, now: number): void {
  const cursor = library.cursor;
  if (cursor === null || stackOf(state).reached(cursor, library.gate.generation, library) === null) return;
  beginUnit(state, true);
  dropReached(state, cursor, library);
  endUnit(state, now);
}

/** Removes layers that wait for a position at or below the cursor. */
export function dropReached(state: State, cursor: Sequence, library: Library): void {
  for (; ;) {
    const layer = stackOf(state).reached(cursor, library.gate.generation, library);
    if (layer === null) return;
    dropLayers(state, [layer]);
  }
}

/** Removes settled layers within a unit, and updates lists. */
export function dropLayers(state: State, layers: readonly Layer[]): void {
  if (layers.length === 0) return;
  const nodes = nodesOf(layers);
  for (const node of nodes) {
    remember(state, node);
    noteObserved(state, node);
  }
  for (const layer of layers) {
    for (const released of stackOf(state).remove(layer)) state.changes?.layers.add(released);
    state.changes?.layers.delete(layer);
    state.changes?.removedLayers.add(layer.number);
  }
  const gone = new Set(layers);
  for (const node of nodes) {
    if (node.overlay !== null) {
      node.overlay.touches = node.overlay.touches.filter((touch) => !gone.has(touch.layer));
      if (node.overlay.touches.length === 0) node.overlay = null;
    }
    settleNode(state, node);
    state.release(node);
  }
}

/**
 * Records that the server wrote a layered entity, which settles confirmed layers that wait for an event in an ended
 * log.
 */
export function noteOutlivedBy(state: State, node: KeyNode, stamp: Stamp): void {
  if (stamp.writer === "event" || stamp.writer === "answer") noteOutlived(state, node, stamp.generation);
}

/**
 * Records that the server wrote or deleted a layered entity, which settles confirmed layers that wait in an ended log.
 */
export function noteOutlived(state: State, node: KeyNode, generation: number): void {
  // A late event settles only the layer it names.
  if (node.overlay === null || state.unit.late !== null) return;
  for (const { layer } of node.overlay.touches) {
    if (layer.awaited !== null && layer.awaited.generation !== generation) state.unit.outlived.add(layer);
  }
}

/** Removes the layers that `noteOutlived` recorded in the unit. */
export function dropOutlived(state: State): void {
  if (state.unit.outlived.size === 0) return;
  const gone = [...state.unit.outlived].filter((layer) => stackOf(state).get(layer.pendingId) === layer);
  state.unit.outlived.clear();
  dropLayers(state, gone.sort((left, right) => left.number - right.number));
}
