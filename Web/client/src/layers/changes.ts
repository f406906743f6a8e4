import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { isAlong } from "./layer.js";
import type { LayerChange } from "./layer.js";

/** Returns a change of a layer as an operation, as submitted. */
export function changeOut(change: LayerChange): Out {
  const key = { op: change.op, resource_type: change.slot.table.name };
  switch (change.op) {
    case "put": return { ...key, resource: new Raw(change.resource) };
    case "patch": return {
      ...key, id: change.slot.id, fields: new Raw(change.fields), unset: change.unset.length === 0 ? undefined : change.unset,
    };
    case "merge": return { ...key, id: change.slot.id, fields: new Raw(change.fields) };
    case "remove_field": return { ...key, id: change.slot.id, field: change.field };
    case "delete": return { ...key, id: change.slot.id };
  }
}

/** Returns the submitted changes of a layer as operations, without those that a cascade added. */
export function changesOut(changes: readonly LayerChange[]): Out[] {
  return changes.filter((change) => !isAlong(change)).map(changeOut);
}
