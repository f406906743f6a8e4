import type { Layer, LayerChange } from "../layers/layer.js";
import { Raw } from "../out/raw.js";
import type { Slot, SlotNode } from "../store/library.js";

/** A change of a layer to a key. */
export interface Touch {
  /** The layer. */
  layer: Layer;
  /** The change. */
  change: LayerChange;
}

/** The effect of layers on one entity. */
export interface Overlay {
  /** The changes in the order in which they apply. */
  touches: Touch[];
  /** The visible resource; null when nothing is visible. */
  visible: string | null;
  /** True if nothing is visible because a layer deletes the entity. */
  isDeleted: boolean;
}

/**
 * The lists, observers and layers that name a key. A `KeyNode` is one whose holders are elements of lists. Its number
 * orders keys that change at once, and is reused when nothing names the key any more.
 */
export class NodeOf<Holder> implements SlotNode {
  /** The elements of lists that hold the key; each stores its own index here. */
  readonly holders: Holder[] = [];
  /** The number of observers of the entity itself. */
  observerCount = 0;
  /** The effect of layers; null while none has a change for the key. */
  overlay: Overlay | null = null;

  /** Creates a node for a slot. */
  constructor(readonly slot: Slot, readonly number: number) { }

  private raw: Raw | null = null;

  /** The visible resource for answers; the same object while the text is the same. */
  get visibleRaw(): Raw {
    const text = this.visible ?? "null";
    if (this.raw === null || this.raw.text !== text) this.raw = new Raw(text);
    return this.raw;
  }

  /** True if anything names the key. */
  get isNamed(): boolean { return this.holders.length > 0 || this.observerCount > 0 || this.overlay !== null; }

  /** The resource as readers see it; null when there is none. */
  get visible(): string | null { return this.overlay === null ? this.slot.text : this.overlay.visible; }
}
