// Parses the params of methods that change something. Throws `invalid_params` before anything changes.

import { Pointer } from "../json/pointer.js";
import { kindOf, membersOf, quoted } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import type { RealId } from "../layers/renamings.js";
import type { MutationRequest } from "../layers/sending.js";
import type { Limits } from "../model/limits.js";
import type { Sequence } from "../model/sequence.js";
import type { Confirmation } from "../state/layers.js";
import type { LayerUpdate, Step } from "../state/steps.js";
import { canonicalId } from "../wire/identity.js";
import { memberOfResource } from "./members.js";
import { idText, Params, refuse } from "./params.js";
import { FIELD_COUNT_MAX, libraryOf, namedLibrary } from "./requests.js";
import type { RequestContext } from "./requests.js";
import { refuseUnknown } from "./unknown.js";

const operationMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ["put", ["resource_type", "id", "resource"]], ["patch", ["resource_type", "id", "fields", "unset"]],
  ["merge", ["resource_type", "id", "fields"]], ["delete", ["resource_type", "id"]], ["remove_field", ["resource_type", "id", "field"]],
  ["remove", ["resource_type", "ids", "matching"]],
]);

/** Parses the operations of a transaction or a layer. */
export function stepsOf(params: Params, name: string, context: RequestContext): Step[] {
  const elements = params.elements(name, context.limits.batchMemberCountMax) ?? params.wrong(name, "an array of operations");
  return elements.map((element, index) => stepOf(new Params(element, `${name}[${index}]`), `${name}[${index}]`, context));
}

function stepOf(params: Params, place: string, context: RequestContext): Step {
  const { limits } = context;
  const op = params.requiredText("op");
  const members = operationMembers.get(op);
  if (members === undefined) return refuse(`${params.name("op")} is '${op.slice(0, 60)}': pass put, patch, merge, delete, remove_field or remove`);
  refuseUnknown(params, ["op", ...members, "expected_sequence", "library_id"], `the operation ${op}`);
  if (op === "remove") return removalStep(params, place, context);
  const type = params.type(limits);
  switch (op) {
    case "put": {
      const resource = params.object("resource") ?? params.wrong("resource", "an object");
      // A resource whose key is another field is stored under an explicit id.
      if (params.value("id") !== null) return { op, type, id: params.id(limits), resource };
      const member = memberOfResource(resource, limits);
      if (member.reason !== null) return refuse(`${place} cannot be used (${member.reason}): correct it, nothing changed`);
      return { op, type, id: member.id, resource };
    }
    case "patch": {
      const fields = params.object("fields") ?? params.wrong("fields", "an object");
      if (byteLength(fields) > limits.inputByteCountMax) refuse(`${place}.fields has ${byteLength(fields)} bytes: pass at most ${limits.inputByteCountMax}`);
      return { op, type, id: params.id(limits), fields, unset: params.texts("unset", FIELD_COUNT_MAX) ?? [] };
    }
    case "merge": {
      const fields = params.object("fields") ?? params.wrong("fields", "an object");
      return { op, type, id: params.id(limits), fields };
    }
    case "delete": return { op, type, id: params.id(limits) };
    default: return { op: "remove_field", type, id: params.id(limits), field: params.requiredText("field") };
  }
}

function removalStep(params: Params, place: string, context: RequestContext): Step {
  if (params.holds("expected_sequence")) refuse(`${params.name("expected_sequence")} stands with a removal: it is of no one entity`);
  if (place.startsWith("changes")) refuse(`${place} is a removal: an optimistic edit cannot, pass a delete, nothing changed`);
  const removal = removalOf(params, context);
  if (removal.type === null && removal.matching === null) refuse(`${place} does not say what to remove: pass resource_type or matching`);
  return { op: "remove", ...removal };
}

/** Parses what a removal matches. */
export function removalOf(
  params: Params, context: RequestContext,
): { type: string | null; ids: string[] | null; matching: string | null; } {
  const type = params.optionalType(context.limits);
  const ids = params.ids(context.limits);
  if (ids !== null && type === null) refuse("ids are of no type: pass resource_type as well");
  const matching = params.text("matching");
  if (matching === "") refuse(`${params.name("matching")} is empty and would match everything: pass a part of type:id, or leave it out`);
  return { type, ids, matching };
}

/** Returns the expected sequences of stored entities, by index of the operation; null: the entity must not exist. */
export function expectationsOf(params: Params, context: RequestContext): Map<number, Sequence | null> {
  const expected = new Map<number, Sequence | null>();
  (params.elements("operations", context.limits.batchMemberCountMax) ?? []).forEach((element, index) => {
    const operation = new Params(element, `operations[${index}]`);
    if (operation.holds("expected_sequence")) expected.set(index, operation.sequence("expected_sequence"));
  });
  return expected;
}

/** Parses an optimistic edit. */
export function updateOf(params: Params, context: RequestContext): LayerUpdate {
  const pendingId = params.requiredText("pending_id");
  const steps = stepsOf(params, "changes", context);
  if (steps.length === 0) refuse("changes is empty: pass at least one change");
  const library = libraryOf(params, context);
  return { pendingId, library, steps, dependsOn: dependenciesOf(params, context), send: mutationRequestOf(params) };
}

/** Maximum of `send.retry.attempts`, and of the pointers in `send.ids`. */
const ATTEMPT_COUNT_MAX = 1_000_000_000;
const TEMPORARY_ID_COUNT_MAX = 1_000;

/** Parses `send`, the request for an edit; null if the program sends it by itself. */
function mutationRequestOf(params: Params): MutationRequest | null {
  const value = params.value("send");
  if (value === null) return null;
  const send = new Params(value, "send");
  refuseUnknown(send, ["method", "input", "key", "retry", "ids", "coalesce", "on_failure", "discard"], "send");
  const method = send.requiredText("method");
  const key = send.value("key") === null ? null : send.requiredText("key");
  const retry = new Params(send.value("retry") ?? "{}", "send.retry");
  refuseUnknown(retry, ["attempts", "for"], "send.retry");
  const attemptCountMax = retry.integer("attempts", 1, ATTEMPT_COUNT_MAX);
  const duration = retry.milliseconds("for");
  const temporaryIds = send.texts("ids", TEMPORARY_ID_COUNT_MAX) ?? [];
  temporaryIds.forEach((text, index) => {
    if (typeof Pointer.parse(text) === "string") {
      refuse(`send.ids[${index}] is '${text.slice(0, 60)}': pass a JSON Pointer into input, such as /id`);
    }
  });
  const coalesce = send.text("coalesce");
  if (coalesce !== null && coalesce !== "replace") send.wrong("coalesce", "replace, or leave it out");
  const onFailure = send.text("on_failure") ?? "stop";
  return {
    method, input: send.value("input") ?? "null", key, attemptCountMax, duration, temporaryIds, isReplaceable: coalesce !== null,
    onFailure: onFailure === "stop" || onFailure === "continue" ? onFailure : send.wrong("on_failure", "stop or continue"),
    discardsOnFailure: send.flag("discard"),
  };
}

function dependenciesOf(params: Params, context: RequestContext): string[] {
  const value = params.value("depends_on");
  if (value === null) return [];
  if (kindOf(value) === "string") return [params.requiredText("depends_on")];
  if (kindOf(value) !== "array") return params.wrong("depends_on", "a pending id, or an array of them");
  return [...new Set(params.texts("depends_on", context.limits.layerCountMax) ?? [])];
}

/** Parses a server's response to an edit. */
export function confirmationOf(params: Params, context: RequestContext, pendingId: string): Confirmation {
  const { limits } = context;
  const library = namedLibrary(params, context);
  const value = params.value("confirmed");
  const resources = value === null ? null : kindOf(value) === "object" ? [value]
    : kindOf(value) === "array" ? params.objects("confirmed", limits.batchMemberCountMax)
      : params.wrong("confirmed", "a resource, or an array of them");
  const resourceType = params.optionalType(limits);
  const sequence = params.sequence("sequence");
  const realIds = realIdsOf(params, limits);
  const confirmed = resources === null ? null : resources.map((resource) => memberOfResource(resource, limits));
  const confirmsDeletes = confirmed !== null && confirmed.length === 0;
  return { pendingId, library, confirmed, confirmsDeletes, resourceType, sequence, generation: null, realIds };
}

function realIdsOf(params: Params, limits: Limits): RealId[] {
  const value = params.value("id_map");
  if (value === null) return [];
  if (kindOf(value) !== "object") return params.wrong("id_map", "an object of ids by temporary ids");
  const members = membersOf(value).sort((left, right) => left.name < right.name ? -1 : 1);
  return members.map(({ name, value: json }) => {
    if (name === "" || byteLength(name) > limits.idByteCountMax) refuse(`id_map names an id of ${byteLength(name)} bytes: name 1 to ${limits.idByteCountMax}`);
    const given = idText(json, `id_map.${name}`, limits);
    // The real id keeps its JSON kind: 42 stays an integer.
    return { temporary: canonicalId(name), real: canonicalId(given), json: kindOf(json) === "number" ? json : quoted(given) };
  });
}
