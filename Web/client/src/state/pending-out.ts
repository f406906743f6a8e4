// Pending edits in the form of the protocol. Protocol/optimistic.md.

import { changesOut } from "../layers/changes.js";
import { fold, isAlong } from "../layers/layer.js";
import type { Layer } from "../layers/layer.js";
import type { Out } from "../out/value.js";
import { overlayOf } from "../queries/named.js";
import type { State } from "./state.js";

/** Returns the result of `optimistic.list`, for one library or (null) for all. */
export function pendingOut(state: State, library: string | null): Out {
  const layers = state.layers.all.filter((layer) => library === null || layer.library.name === library);
  return { pending: layers.map((layer) => layerOut(state, layer)) };
}

function layerOut(state: State, layer: Layer): Out {
  const along = layer.changes.filter(isAlong).map(({ slot }) => ({ resource_type: slot.table.name, id: slot.id }));
  return {
    pending_id: layer.pendingId, state: layerState(state, layer), changes: changesOut(layer.changes), library_id: layer.library.name,
    depends_on: layer.dependsOn, along: along.length === 0 ? undefined : along,
  };
}

/** Returns the state of an edit: `pending`, `confirmed` or `orphaned`. */
export function layerState(state: State, layer: Layer): string {
  return isOrphaned(state, layer) ? "orphaned" : layer.isConfirmed ? "confirmed" : "pending";
}

/** True if a layer patches a deleted entity and therefore shows nothing. */
function isOrphaned(state: State, layer: Layer): boolean {
  return layer.changes.some((change) => {
    if (change.op === "put" || change.op === "delete" || !state.tombstones.has(change.slot)) return false;
    let value = change.slot.text;
    for (const touch of overlayOf(change.slot)?.touches ?? []) {
      if (touch.change === change) break;
      value = fold(touch.change, value);
    }
    return value === null;
  });
}
