// Changed entities → the lists, layers and observers that name them. Before: entities. After: lists.

import { edits, lists } from "../parts/index.js";
import type { KeyNode } from "../queries/node.js";
import type { Slot } from "../store/slot.js";
import type { State } from "./state.js";
import { noteObserved, remember } from "./units.js";

/** Records what observers see of a key, before it is written or removed. */
export function rememberSlot(state: State, slot: Slot): void {
  if (slot.node !== null) remember(state, slot.node);
}

/** Updates lists, layers and observers after an entity was written. */
export function followWrite(state: State, slot: Slot, now: number): void {
  const { node, text } = slot;
  if (text === null) return;
  if (node !== null) noteObserved(state, node);
  if (state.queries.size > 0) lists.code.followWriteInLists(state, slot, text, now);
  if (node !== null && node.overlay !== null) edits.code.settleNode(state, node);
}

/** Updates lists and observers after an entity was deleted. */
export function followDelete(state: State, node: KeyNode, now: number): void {
  noteObserved(state, node);
  if (node.holders.length > 0) lists.code.followDeleteInLists(state, node, now);
  if (node.overlay !== null) edits.code.settleNode(state, node);
}

/** Updates lists and observers after an entity was removed from the cache, not deleted by the server. */
export function followRemoval(state: State, node: KeyNode, now: number): void {
  noteObserved(state, node);
  if (node.holders.length > 0) lists.code.forgetInLists(state, node, now);
  if (node.overlay !== null) edits.code.settleNode(state, node);
}
