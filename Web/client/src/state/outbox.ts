// The progress of layers' requests: attempts, failures, retries. Protocol/optimistic.md, the outbox.

import type { Layer } from "../layers/layer.js";
import type { RealId } from "../layers/renamings.js";
import { interruptedCount, renamedInput } from "../layers/sending.js";
import type { LayerSending, MutationFailure } from "../layers/sending.js";
import { nodeOf } from "../queries/named.js";
import type { Library, Slot } from "../store/library.js";
import { layerOf } from "./pending.js";
import { stackOf } from "./stack.js";
import type { State } from "./state.js";

function change(state: State, layer: Layer, sending: Partial<LayerSending>): void {
  stackOf(state).changeSending(layer, sending);
  state.changes?.layers.add(layer);
}

/** Counts an attempt to send a layer's request, and marks the newer layers that the request carries from now on. */
export function beginAttempt(state: State, sender: Layer, members: readonly Layer[], now: number): void {
  for (const member of members) change(state, member, { sentWith: sender.pendingId });
  const { sending } = sender;
  if (sending === null) return;
  const forgivenCount = interruptedCount(sending);
  change(state, sender, {
    sentWith: null, attemptCount: sending.attemptCount + 1, forgivenCount, isUnderWay: true,
    firstAttemptAt: sending.attemptCount === forgivenCount ? now : sending.firstAttemptAt,
  });
  // Each of the layers may be rolled back separately.
  if (members.length > 0) stackOf(state).keepSent(sender);
}

/** Records that a layer's last attempt failed; the request is sent again. */
export function failAttempt(state: State, layer: Layer): void { change(state, layer, { isUnderWay: false }); }

/** Records that a layer's request failed for good. The layer stays. */
export function failRequest(state: State, layer: Layer, failure: MutationFailure): void {
  change(state, layer, { isUnderWay: false, failure });
}

/**
 * Fails the requests of the edits of an entity that left what the reader may see: the server would refuse them. The
 * edits stay, so that the program can show them. An attempt that is under way decides by itself.
 */
export function failDeparted(state: State, slot: Slot): void {
  const layers = new Set((nodeOf(slot)?.overlay?.touches ?? []).map(({ layer }) => layer));
  for (const layer of layers) {
    const { sending } = layer;
    if (sending === null || sending.failure !== null || sending.isUnderWay || sending.sentWith !== null || layer.isConfirmed) continue;
    failRequest(state, layer, { message: "the entity is no longer in the scope", code: "scope" });
  }
}

/** Returns the layers that the failure of a request rolls back, oldest first, with the number of attempts for each. */
export function discardedWith(state: State, sender: Layer): { layer: Layer; attemptCount: number; }[] {
  const group = stackOf(state).group(sender);
  const gone = new Set(group.flatMap((layer) => stackOf(state).withDependents(layer)));
  return [...gone].sort((left, right) => left.number - right.number).map((layer) => {
    const own = group.includes(layer) ? sender : layer;
    return { layer, attemptCount: own.sending?.attemptCount ?? 0 };
  });
}

/**
 * Allows a failed request to be sent again. Returns the layer whose request is sent; null for a layer without a
 * request.
 */
export function retryRequest(state: State, pendingId: string, library: string | null): Layer | null {
  const layer = layerOf(state, pendingId, library);
  if (layer.sending === null) return null;
  const sender = (layer.sending.sentWith === null ? null : stackOf(state).get(layer.sending.sentWith)) ?? layer;
  if (sender.sending === null || sender.sending.failure === null) return sender;
  change(state, sender, { failure: null, isUnderWay: false, forgivenCount: sender.sending.attemptCount, firstAttemptAt: null });
  return sender;
}

/** Keeps the requests of restored layers that are sent together: journals of older versions do not have them. */
export function keepSentGroups(state: State): void {
  for (const layer of stackOf(state).all) {
    if (stackOf(state).group(layer).length > 1 && stackOf(state).keepSent(layer)) state.changes?.layers.add(layer);
  }
}

/**
 * Replaces a temporary id in the inputs of a library's unsent requests. `concerns`: true if a layer refers to the id.
 */
export function renameInputs(
  state: State, library: Library, { temporary, json }: RealId, concerns: (layer: Layer) => boolean,
): void {
  for (const layer of stackOf(state).all) {
    const { sending } = layer;
    if (sending === null || layer.library !== library || sending.attemptCount > 0 || !concerns(layer)) continue;
    const { request } = sending;
    const input = renamedInput(request, temporary, json);
    if (input === request.input) continue;
    request.input = input;
    change(state, layer, {});
  }
}
