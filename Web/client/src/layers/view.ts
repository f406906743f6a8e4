import type { Layer } from "./layer.js";

/** The pending edits as a state looks at them. */
export interface LayerView {
  readonly size: number;
  readonly isEmpty: boolean;
  /** The layers, oldest first. */
  readonly all: readonly Layer[];
  /** Grows with each change of any layer. */
  readonly version: number;
  /** Whether some layer waits for a place in a log. */
  readonly isAwaiting: boolean;
  /** Whether the outbox has changes to look at. */
  readonly hasChangedRequests: boolean;
}

/** The pending edits of a state that never had one. */
export const noLayers: LayerView = { size: 0, isEmpty: true, all: [], version: 0, isAwaiting: false, hasChangedRequests: false };
