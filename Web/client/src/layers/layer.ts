import type { Sequence } from "../model/sequence.js";
import { assigned } from "../store/assigned.js";
import { mergedByPath } from "../store/graph.js";
import type { Library, Slot } from "../store/library.js";
import { sendingByteCount } from "./sending.js";
import type { LayerSending, SentRequest } from "./sending.js";

/** One change of a layer, as submitted. Its slot changes when a real id becomes known. */
export type LayerChange =
  | { op: "put"; slot: Slot; resource: string; }
  | { op: "patch"; slot: Slot; fields: string; unset: readonly string[]; }
  | { op: "merge"; slot: Slot; fields: string; }
  | { op: "remove_field"; slot: Slot; field: string; }
  /** `isAlong`: a cascade of the policy added the delete; the caller did not request it. */
  | { op: "delete"; slot: Slot; isAlong?: true; };

/** The sequence that a confirmed layer waits for; valid only in its generation of the log. */
export interface AwaitedPlace {
  /** The sequence of the event. */
  sequence: Sequence;
  /** The generation of the log. */
  generation: number;
}

/** An optimistic edit that has not settled. */
export interface Layer {
  /** The number that orders layers. A newer layer has a higher number. */
  readonly number: number;
  /** The id that the caller gave the edit. */
  readonly pendingId: string;
  /** The library that the edit changes. */
  readonly library: Library;
  /** When the edit was made, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The changes, in order. */
  changes: LayerChange[];
  /** The pending ids of the layers that this one depends on: it is rolled back with any of them. */
  dependsOn: string[];
  /** True once the server has confirmed the edit. */
  isConfirmed: boolean;
  /** The event that the confirmed layer waits for; null for none. */
  awaited: AwaitedPlace | null;
  /** The request that is sent for the layer; null if there is none, or no longer one. */
  sending: LayerSending | null;
  /**
   * The request as first sent, kept once the layers that it covers may change; null while it can be built from them.
   */
  sent: SentRequest | null;
  /** The bytes of this layer that count toward `layerByteCountMax`. */
  byteCount: number;
}

/** Applies a change to the value below it; null is no entity. Protocol/optimistic.md, what a layer shows. */
export function fold(change: LayerChange, value: string | null): string | null {
  switch (change.op) {
    case "put": return change.resource;
    case "delete": return null;
    case "patch": return value === null ? null : assigned(change.fields, value, new Set(change.unset));
    case "merge": return value === null ? null : mergedByPath(change.fields, value).text;
    case "remove_field": return value === null ? null : assigned("", value, new Set([change.field]));
  }
}

/** True if a cascade of the policy added the change. */
export function isAlong(change: LayerChange): boolean { return change.op === "delete" && change.isAlong === true; }

/** Returns the bytes of a layer that count toward `layerByteCountMax`. */
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
