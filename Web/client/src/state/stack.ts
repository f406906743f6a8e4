import { changesOut } from "../layers/changes.js";
import { layerByteCount } from "../layers/layer.js";
import type { AwaitedPlace, Layer } from "../layers/layer.js";
import { Renamings } from "../layers/renamings.js";
import type { LayerSending, SentRequest } from "../layers/sending.js";
import type { LayerView } from "../layers/view.js";
import type { Sequence } from "../model/sequence.js";
import { textOf } from "../out/value.js";
import { nodeOf } from "../queries/named.js";
import type { Overlay } from "../queries/node.js";
import type { KeyNode } from "../queries/query.js";
import type { Library } from "../store/library.js";

/** The pending layers, oldest first. Their effect on an entity is stored at its node. */
export class LayerStack implements LayerView {
  private readonly layers = new Map<string, Layer>();
  /** The highest number of a layer or a renaming. */
  private lastNumber = 0;
  /** The temporary ids that were renamed. */
  readonly renamings = new Renamings();
  /** Grows by one with each change of any layer. */
  version = 0;
  /** The bytes of all changes. */
  byteCount = 0;
  /** The layers whose input another layer's request carries, by the pending id of that layer. */
  private readonly members = new Map<string, Set<Layer>>();
  /** The layers whose request was added, changed or removed since the last call of `takeChangedRequests`. */
  private changedRequests = new Set<Layer>();
  /** The changed layers that were removed while the outcome of their request is unknown. */
  private unanswered = new Set<Layer>();

  /** The number of pending layers. */
  get size(): number { return this.layers.size; }

  /** True if there are no pending layers. */
  get isEmpty(): boolean { return this.layers.size === 0; }

  /** The layers, oldest first. */
  get all(): Layer[] { return [...this.layers.values()].sort((left, right) => left.number - right.number); }

  /** The number of the next layer. */
  get nextNumber(): number { return this.lastNumber + 1; }

  /** Reserves a number for a renaming. */
  takeNumber(): number { return this.lastNumber += 1; }

  /** Records a number that the journal has used, so that it is not given again. */
  noteNumber(number: number): void { this.lastNumber = Math.max(this.lastNumber, number); }

  /** Returns the layer with a pending id; null if there is none. */
  get(pendingId: string): Layer | null { return this.layers.get(pendingId) ?? null; }

  /** Returns a layer and all that depend on it, directly or not, oldest first. */
  withDependents(layer: Layer): Layer[] {
    const found = new Set([layer]);
    const rest = [layer];
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      for (const other of this.layers.values()) {
        if (!other.dependsOn.includes(next.pendingId) || found.has(other)) continue;
        found.add(other);
        rest.push(other);
      }
    }
    return [...found].sort((left, right) => left.number - right.number);
  }

  /** Adds a layer on top; its changes are added to the overlays of their nodes. */
  push(layer: Layer, overlayOf: (node: Layer["changes"][number]) => Overlay): void {
    this.noteNumber(layer.number);
    this.version += 1;
    this.layers.set(layer.pendingId, layer);
    this.byteCount += layer.byteCount;
    this.addRequest(layer);
    for (const change of layer.changes) overlayOf(change).touches.push({ layer, change });
  }

  /** Removes a layer. Returns the layers that depended on it, which no longer do. */
  remove(layer: Layer): Layer[] {
    this.version += 1;
    this.layers.delete(layer.pendingId);
    this.byteCount -= layer.byteCount;
    this.removeRequest(layer);
    return this.releaseDependents(layer);
  }

  /** Marks a layer as committed. Returns the layers that depended on it. */
  confirm(layer: Layer, awaited: AwaitedPlace | null): Layer[] {
    this.version += 1;
    layer.isConfirmed = true;
    layer.awaited = awaited;
    this.removeRequest(layer);
    layer.sending = null;
    layer.sent = null;
    this.recount(layer);
    return this.releaseDependents(layer);
  }

  /** Recounts the bytes of a layer after its changes were renamed. */
  recount(layer: Layer): void {
    this.byteCount -= layer.byteCount;
    layer.byteCount = layerByteCount(layer);
    this.byteCount += layer.byteCount;
  }

  private releaseDependents(layer: Layer): Layer[] {
    const released: Layer[] = [];
    for (const other of this.layers.values()) {
      if (!other.dependsOn.includes(layer.pendingId)) continue;
      other.dependsOn = other.dependsOn.filter((id) => id !== layer.pendingId);
      this.recount(other);
      if (other.sending !== null) this.changedRequests.add(other);
      released.push(other);
    }
    return released;
  }

  // Requests

  /** True if requests changed since the outbox looked last. */
  get hasChangedRequests(): boolean { return this.changedRequests.size > 0; }

  /**
   * Returns the layers whose requests changed since the last call, oldest first, and those passed to `noteUnanswered`.
   */
  takeChangedRequests(): { changed: Layer[]; unanswered: ReadonlySet<Layer>; } {
    const { unanswered } = this;
    const changed = [...this.changedRequests].sort((left, right) => left.number - right.number);
    this.changedRequests = new Set();
    this.unanswered = new Set();
    return { changed, unanswered };
  }

  /** Records that a layer is removed while the outcome of its request is unknown. */
  noteUnanswered(layer: Layer): void {
    if (layer.sending !== null && layer.sending.attemptCount > 0) this.unanswered.add(layer);
  }

  /** Keeps the request of a layer as first sent, before the layer changes. True if there is something new to write. */
  keepSent(layer: Layer): boolean {
    if (layer.sending === null || layer.sending.attemptCount === 0 || layer.sent !== null) return false;
    layer.sent = sentBy(this.group(layer));
    this.recount(layer);
    return true;
  }

  /** Returns the request to send for a layer; once sent, it stays the same. */
  outgoing(layer: Layer): SentRequest { return layer.sent ?? sentBy(this.group(layer)); }

  /** Returns a layer and the layers whose changes its request carries, oldest first. */
  group(layer: Layer): Layer[] {
    const members = this.members.get(layer.pendingId);
    if (members === undefined) return [layer];
    return [layer, ...[...members].sort((left, right) => left.number - right.number)];
  }

  /** Updates the progress of a layer's request. */
  changeSending(layer: Layer, change: Partial<LayerSending>): void {
    if (layer.sending === null) return;
    this.removeRequest(layer);
    Object.assign(layer.sending, change);
    this.addRequest(layer);
    this.recount(layer);
  }

  private addRequest(layer: Layer): void {
    const { sending } = layer;
    if (sending === null) return;
    this.changedRequests.add(layer);
    if (sending.sentWith === null) return;
    this.members.set(sending.sentWith, (this.members.get(sending.sentWith) ?? new Set()).add(layer));
  }

  private removeRequest(layer: Layer): void {
    const { sending } = layer;
    if (sending === null) return;
    this.changedRequests.add(layer);
    const members = sending.sentWith === null ? undefined : this.members.get(sending.sentWith);
    members?.delete(layer);
    if (sending.sentWith !== null && members?.size === 0) this.members.delete(sending.sentWith);
  }

  /** Returns the layer that waits for the lowest sequence at or below the cursor; null if there is none. */
  reached(cursor: Sequence, generation: number, library: Library): Layer | null {
    let first: Layer | null = null;
    for (const layer of this.layers.values()) {
      const awaited = layer.awaited;
      if (layer.library !== library || awaited === null || awaited.generation !== generation) continue;
      if (awaited.sequence > cursor) continue;
      if (first === null || first.awaited === null || awaited.sequence < first.awaited.sequence) first = layer;
    }
    return first;
  }

  /** True if a layer waits for an event. */
  get isAwaiting(): boolean { return [...this.layers.values()].some((layer) => layer.awaited !== null); }

  /** True if layers wait for an event in an earlier log of a library. */
  isAwaitingOther(generation: number, library: Library): boolean {
    return [...this.layers.values()].some(
      (layer) => layer.library === library && layer.awaited !== null && layer.awaited.generation !== generation);
  }
}

/** Returns the layer stack of a state, which is created with the first edit. */
export function stackOf(state: { layers: LayerView; }): LayerStack {
  return state.layers instanceof LayerStack ? state.layers : state.layers = new LayerStack();
}

/** Returns the request for layers that are sent together: the changes of all, and the input of the newest. */
function sentBy(group: readonly Layer[]): SentRequest {
  const newest = group[group.length - 1].sending;
  return { input: newest === null ? "null" : newest.request.input, changes: textOf(group.flatMap(({ changes }) => changesOut(changes))) };
}

/** Returns the nodes that layers name, each once, by number. */
export function nodesOf(layers: readonly Layer[]): KeyNode[] {
  const nodes = new Set<KeyNode>();
  for (const { slot } of layers.flatMap(({ changes }) => changes)) {
    const node = nodeOf(slot);
    if (node !== null) nodes.add(node);
  }
  return [...nodes].sort((left, right) => left.number - right.number);
}
