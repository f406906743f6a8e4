// Finds pending edits.

import type { Layer } from "../layers/layer.js";
import { CacheError } from "../model/errors.js";
import { stackOf } from "./stack.js";
import type { State } from "./state.js";

/** Returns the error for an edit that is not pending. */
export function unknownPending(id: string): CacheError {
  return new CacheError("unknown_pending", `'${id}' is not pending: it has settled or never existed; see optimistic.list`);
}

/**
 * Returns a layer. Throws `unknown_pending` if there is none, or if it belongs to another library than the one named.
 */
export function layerOf(state: State, pendingId: string, library: string | null): Layer {
  const layer = stackOf(state).get(pendingId);
  if (layer === null || library !== null && layer.library.name !== library) throw unknownPending(pendingId);
  return layer;
}
