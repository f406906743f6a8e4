// The requests of layers: counted, failed, sent again. Protocol/optimistic.md, the outbox.

import type { Layer } from "../layers/layer.js";
import { stackOf } from "../layers/stack.js";
import type { LayerSending, MutationFailure } from "../outbox/sending.js";
import { renamedInput } from "../outbox/sending.js";
import type { Library } from "../store/library.js";
import { layerOf } from "./layers.js";
import type { State } from "./state.js";

function change(state: State, layer: Layer, sending: Partial<LayerSending>): void {
  stackOf(state).changeSending(layer, sending);
  state.changes?.layers.add(layer);
}

/** Counts an attempt to send a layer's request, and the newer layers whose input it has from now on. */
export function beginAttempt(state: State, sender: Layer, members: readonly Layer[], now: number): void {
  for (const member of members) change(state, member, { sentWith: sender.pendingId });
  const { sending } = sender;
  if (sending === null) return;
  change(state, sender, {
    sentWith: null, attemptCount: sending.attemptCount + 1, firstAttemptAt: sending.firstAttemptAt ?? now,
  });
}

/** Notes that a layer's request failed for good. The layer stays. */
export function failRequest(state: State, layer: Layer, failure: MutationFailure): void { change(state, layer, { failure }); }

/** Lets a failed request be sent again. Returns the layer whose request it is; null for a layer without one. */
export function retryRequest(state: State, pendingId: string, library: string | null): Layer | null {
  const layer = layerOf(state, pendingId, library);
  if (layer.sending === null) return null;
  const sender = (layer.sending.sentWith === null ? null : stackOf(state).get(layer.sending.sentWith)) ?? layer;
  if (sender.sending === null || sender.sending.failure === null) return sender;
  change(state, sender, { failure: null, forgivenCount: sender.sending.attemptCount, firstAttemptAt: null });
  return sender;
}

/** Replaces a temporary id in the inputs of all requests of a library; `json`: the real id as a JSON string. */
export function renameInputs(state: State, library: Library, temporary: string, json: string): void {
  for (const layer of stackOf(state).all) {
    const request = layer.sending?.request;
    if (request === undefined || layer.library !== library || request.temporaryIds.length === 0) continue;
    const input = renamedInput(request, temporary, json);
    if (input === request.input) continue;
    request.input = input;
    change(state, layer, {});
  }
}
