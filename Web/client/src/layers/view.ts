import type { Layer } from "./layer.js";

/** The part of a layer stack that a state needs without the code for edits. */
export interface LayerView {
  /** The number of pending layers. */
  readonly size: number;
  /** True if there are no pending layers. */
  readonly isEmpty: boolean;
  /** The layers, oldest first. */
  readonly all: readonly Layer[];
  /** Grows by one with each change of any layer. */
  readonly version: number;
  /** True if a layer waits for an event. */
  readonly isAwaiting: boolean;
  /** True if requests changed since the outbox looked last. */
  readonly hasChangedRequests: boolean;
}

/** The view of a state that never had an edit. */
export const noLayers: LayerView = { size: 0, isEmpty: true, all: [], version: 0, isAwaiting: false, hasChangedRequests: false };
