// Replaces temporary ids in edits that are made after the real ids became known. Protocol/optimistic.md, temporary ids.

import type { Layer } from "../layers/layer.js";
import type { Renaming } from "../layers/renamings.js";
import { namedIds, renamedInput } from "../layers/sending.js";
import type { MutationRequest } from "../layers/sending.js";
import type { Library } from "../store/library.js";
import { renamedPart } from "./renaming.js";
import { stackOf } from "./stack.js";
import type { State } from "./state.js";
import type { LayerUpdate, Step } from "./steps.js";

/** Returns an edit with renamed temporary ids replaced by the real ones, in its changes and in its request. */
export function renamedUpdate(state: State, update: LayerUpdate): LayerUpdate {
  const library = state.libraries.get(update.library);
  if (library === undefined || stackOf(state).renamings.isEmpty) return update;
  const send = update.send === null ? null : renamedRequest(state, update.send, update.steps, library);
  return { ...update, steps: renamedSteps(state, update.steps, library), send };
}

function renamedSteps(state: State, steps: readonly Step[], library: Library): Step[] {
  // Later changes of the edit refer to an entity that the edit itself adds.
  const added = new Set<string>();
  return steps.map((step) => {
    if (step.op === "remove") return step;
    const type = state.ownType(step.type);
    const key = JSON.stringify([type, step.id]);
    if (step.op === "put") {
      added.add(key);
      return step;
    }
    const known = added.has(key) ? null : stackOf(state).renamings.find(step.id, type, library);
    return known === null ? step : renamedStep(step, known);
  });
}

function renamedStep(step: Exclude<Step, { op: "remove" | "put"; }>, { real, json }: Renaming): Step {
  return step.op === "merge" ? { ...step, id: real, fields: renamedPart(step.fields, json) } : { ...step, id: real };
}

function renamedRequest(state: State, given: MutationRequest, steps: readonly Step[], library: Library): MutationRequest {
  let request = given;
  for (const id of [...namedIds(given)].sort()) {
    const own = steps.flatMap((step) => step.op !== "remove" && step.id === id ? [step] : []);
    if (own.some(({ op }) => op === "put")) continue;
    const known = stackOf(state).renamings.findNamed(id, new Set(own.map(({ type }) => state.ownType(type))), library);
    if (known !== null) request = { ...request, input: renamedInput(request, id, known.json) };
  }
  return request;
}

/** Ends the renaming of ids under which a layer adds entities: they are temporary ids again. */
export function endRenamings(state: State, layer: Layer): void {
  for (const { op, slot } of layer.changes) {
    if (op === "put") stackOf(state).renamings.end(slot.id, slot.table.name, layer.library, state.changes);
  }
}
