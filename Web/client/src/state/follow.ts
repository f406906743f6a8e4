// Changed entities → the lists, layers and observers that name them. Before: entities. After: lists.

import { nodeOf } from "../queries/named.js";
import type { KeyNode } from "../queries/query.js";
import type { Slot } from "../store/library.js";
import type { Stamp } from "../store/stamp.js";
import { edits, lists } from "./parts.js";
import type { State } from "./state.js";
import { noteObserved, remember } from "./units.js";

/** Records what observers see of a key, before it is written or removed. */
export function rememberSlot(state: State, slot: Slot): void {
  const node = nodeOf(slot);
  if (node !== null) remember(state, node);
}

/** Updates lists, layers and observers after an entity was written. */
export function followWrite(state: State, slot: Slot, now: number): void {
  const { text } = slot;
  if (text === null) return;
  const node = nodeOf(slot);
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

/** Settles layers that a write of an entity outlived. */
export function followStamp(state: State, slot: Slot, stamp: Stamp): void {
  const node = nodeOf(slot);
  if (node !== null && node.overlay !== null) edits.code.noteOutlivedBy(state, node, stamp);
}
