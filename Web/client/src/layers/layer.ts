import type { LayerSending, SentRequest } from "../outbox/sending.js";
import { sendingByteCount } from "../outbox/sending.js";
import { mergedByPath } from "../store/graph.js";
import { assigned } from "../store/merge.js";
import type { Sequence } from "../model/sequence.js";
import type { Library } from "../store/library.js";
import type { Slot } from "../store/slot.js";

/** One change of a layer, as it was given. Its slot changes when a real id becomes known. */
export type LayerChange =
  | { op: "put"; slot: Slot; resource: string; }
  | { op: "patch"; slot: Slot; fields: string; unset: readonly string[]; }
  | { op: "merge"; slot: Slot; fields: string; }
  | { op: "remove_field"; slot: Slot; field: string; }
  /** `isAlong`: the policy took it along with another one; nobody asked for it. */
  | { op: "delete"; slot: Slot; isAlong?: true; };

/** A place in a library's log that a confirmed layer waits for; in another generation it means nothing. */
export interface AwaitedPlace {
  sequence: Sequence;
  generation: number;
}

/** One mutation that has not settled. */
export interface Layer {
  /** Orders layers. */
  readonly number: number;
  readonly pendingId: string;
  readonly library: Library;
  readonly createdAt: number;
  changes: LayerChange[];
  /** The pending ids of layers with which this one is rolled back. */
  dependsOn: string[];
  isConfirmed: boolean;
  awaited: AwaitedPlace | null;
  /** The request that is sent for the layer; null where there is none, or none any more. */
  sending: LayerSending | null;
  /** The request as it left, where the layers that it serves have changed since or may change; until then they tell. */
  sent: SentRequest | null;
  /** The bytes that count toward the bound on layers. */
  byteCount: number;
}

/** Applies a change to the value under it. Protocol/optimistic.md, what a layer shows. */
export function fold(change: LayerChange, value: string | null): string | null {
  switch (change.op) {
    case "put": return change.resource;
    case "delete": return null;
    case "patch": return value === null ? null : assigned(change.fields, value, new Set(change.unset));
    case "merge": return value === null ? null : mergedByPath(change.fields, value).text;
    case "remove_field": return value === null ? null : assigned("", value, new Set([change.field]));
  }
}

/** Tells whether nobody asked for a change: the policy added it. */
export function isAlong(change: LayerChange): boolean { return change.op === "delete" && change.isAlong === true; }

/** Returns the bytes that a layer's parts count. */
export function layerByteCount(layer: Pick<Layer, "pendingId" | "dependsOn" | "changes" | "sending" | "sent">): number {
  const sentByteCount = layer.sent === null ? 0 : layer.sent.input.length + layer.sent.changes.length;
  return sentByteCount + (layer.sending === null ? 0 : sendingByteCount(layer.sending)) + layer.changes.reduce((sum, change) => sum + changeByteCount(change),
    layer.dependsOn.reduce((sum, id) => sum + id.length + 16, layer.pendingId.length));
}

function changeByteCount(change: LayerChange): number {
  const overhead = 64 + change.slot.id.length;
  switch (change.op) {
    case "put": return overhead + change.resource.length;
    case "patch": return overhead + change.fields.length + change.unset.reduce((sum, name) => sum + name.length + 16, 0);
    case "merge": return overhead + change.fields.length;
    case "remove_field": return overhead + change.field.length;
    case "delete": return overhead;
  }
}
