import type { Slot } from "../store/library.js";
import { NodeOf } from "./node.js";
import type { Overlay } from "./node.js";
import type { KeyNode } from "./query.js";

/** Returns what names a slot's key; null if nothing does. */
export function nodeOf({ node }: Slot): KeyNode | null { return node instanceof NodeOf ? node : null; }

/** Returns the effect of layers on a slot's entity; null if no layer has a change for it. */
export function overlayOf(slot: Slot): Overlay | null { return nodeOf(slot)?.overlay ?? null; }

/** Returns a slot's resource as readers see it, with layers; null when there is none. */
export function visibleText(slot: Slot): string | null {
  const node = nodeOf(slot);
  return node === null ? slot.text : node.visible;
}
