import { nodeOf } from "../queries/named.js";
import type { Slot } from "../store/library.js";
import { edits, lists } from "./parts.js";
import type { State } from "./state.js";
import { noteObserved } from "./units.js";

/** Updates lists and observers after an entity was removed from the cache, not deleted by the server. */
export function followRemoval(state: State, slot: Slot, now: number): void {
  const node = nodeOf(slot);
  if (node === null) return;
  noteObserved(state, node);
  if (node.holders.length > 0) lists.code.forgetInLists(state, node, now);
  if (node.overlay !== null) edits.code.settleNode(state, node);
}
