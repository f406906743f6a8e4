// Params → what the state is asked to do. Each refuses what makes no sense, before anything changes.

import { canonical } from "../json/canonical.js";
import { elementsOf, kindName, kindOf, membersOf, presentMember } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import { canonicalId, idOf, isIdTooLong } from "../model/identity.js";
import type { Limits } from "../model/limits.js";
import type { Sequence } from "../model/sequence.js";
import type { MutationRequest } from "../outbox/sending.js";
import { Pointer } from "../queries/pointer.js";
import type { QueryKey } from "../queries/query.js";
import { parseRule } from "../queries/rule.js";
import { fetchPolicies } from "../engine/queries.js";
import type { FetchPolicy, QueryRequest } from "../engine/queries.js";
import type { Answer } from "../state/answers.js";
import type { Confirmation, LayerUpdate } from "../state/layers.js";
import type { Invalidation } from "../state/staleness.js";
import type { Step } from "../state/transactions.js";
import type { EventMember } from "../wire/events.js";
import { idText, Params, textOf } from "./params.js";

/** The fields that a read may name, of one entity or of one type. */
const FIELD_COUNT_MAX = 1_000;
const MAX_AGE_MAX = 2147483647;

/** What is known when params are read. */
export interface RequestContext {
  limits: Limits;
  defaultLibrary: string;
  ownType(name: string): string;
}

function refuse(message: string): never { throw new CacheError("invalid_params", message); }

/** The library that a request names, or the default one. */
export function libraryOf(params: Params, context: RequestContext): string {
  return namedLibrary(params, context) ?? context.defaultLibrary;
}

/** The library that a request names; null when it names none. */
export function namedLibrary(params: Params, context: RequestContext): string | null {
  return params.text("library_id", context.limits.idByteCountMax);
}

/** The identity of the query that a request names. */
export function queryKey(params: Params, context: RequestContext): QueryKey {
  const library = libraryOf(params, context);
  const method = params.requiredText("method");
  return { library, method, input: inputOf(params.value("input") ?? "null", "input", context.limits) };
}

function inputOf(json: string, name: string, limits: Limits): string {
  if (byteLength(json) > limits.inputByteCountMax) {
    refuse(`${name} has ${byteLength(json)} bytes: pass at most ${limits.inputByteCountMax}`);
  }
  return canonical(json);
}

/** Reads the request of `query.read` and `query.observe`. */
export function queryRequest(params: Params, context: RequestContext): QueryRequest {
  const key = queryKey(params, context);
  const name = params.text("policy");
  const policy = name === null ? "cacheFirst" : fetchPolicies.find((known) => known === name);
  if (policy === undefined) refuse(`policy is '${name ?? ""}': pass one of ${fetchPolicies.join(", ")}`);
  return {
    key, policy: policy as FetchPolicy, allowsStale: params.flag("allow_stale"), maxStale: params.milliseconds("max_stale"),
    select: selectionOf(params), maxAges: maxAges(params), refreshes: params.flag("refresh"),
  };
}

function selectionOf(params: Params): Map<string, ReadonlySet<string>> | null {
  const value = params.object("select");
  if (value === null) return null;
  const types = new Params(value, "select");
  const selection = new Map<string, ReadonlySet<string>>();
  for (const type of types.names) {
    const fields = types.texts(type, FIELD_COUNT_MAX);
    // A type whose list is null comes whole.
    if (fields !== null) selection.set(type, new Set(fields));
  }
  if (selection.size > FIELD_COUNT_MAX) throw new CacheError("limit_exceeded", `select names ${selection.size} types: name at most ${FIELD_COUNT_MAX}`);
  return selection;
}

/** Reads the limits of one read, in whole seconds. */
export function maxAges(params: Params): Map<string, number> {
  const value = params.object("max_ages");
  if (value === null) return new Map();
  const ages = new Params(value, "max_ages");
  const names = [...ages.names];
  if (names.length > FIELD_COUNT_MAX) throw new CacheError("limit_exceeded", `max_ages names ${names.length} ages: name at most ${FIELD_COUNT_MAX}`);
  return new Map(names.map((name) => {
    const json = ages.value(name) ?? "null";
    const seconds = /^[0-9]{1,10}$/.test(json) ? Number(json) : Infinity;
    if (seconds > MAX_AGE_MAX) refuse(`max_ages.${name} is ${kindName(json)}: pass whole seconds from 0 to ${MAX_AGE_MAX}`);
    return [name, seconds];
  }));
}

/** What a reader of an entity wants. */
export interface EntityRequest {
  library: string;
  type: string;
  id: string;
  fields: ReadonlySet<string> | null;
  maxAges: ReadonlyMap<string, number>;
  maxStale: number | null;
  refreshes: boolean;
}

/** Reads the request of `entity.get` and `entity.observe`. */
export function entityRequest(params: Params, context: RequestContext): EntityRequest {
  const { library, type, id } = entityKey(params, context);
  const fields = params.texts("fields", FIELD_COUNT_MAX);
  return {
    library, type, id, fields: fields === null ? null : new Set(fields), maxAges: maxAges(params),
    maxStale: params.milliseconds("max_stale"), refreshes: params.flag("refresh"),
  };
}

/** The key of the entity that a request names; the type under its own name. */
export function entityKey(params: Params, context: RequestContext): { library: string; type: string; id: string; } {
  return {
    library: libraryOf(params, context), type: context.ownType(params.type(context.limits)), id: params.id(context.limits),
  };
}

// Answers

/** Reads what `query.put` takes and `query.fetch` answers. */
export function answerOf(params: Params, key: QueryKey, context: RequestContext): Answer {
  const { limits } = context;
  const isLocal = params.flag("local");
  const type = params.type(limits);
  const resources = params.objects("resources", limits.batchMemberCountMax);
  if (resources === null && !isLocal) params.wrong("resources", "an array of objects");
  const membership = params.object("membership");
  if (isLocal && membership === null) refuse(`${params.name("local")} is true: pass a membership to evaluate as well`);
  const included = (params.elements("included", limits.batchMemberCountMax) ?? []).map((element, index) => {
    const group = new Params(element, `${params.name("included")}[${index}]`);
    return {
      type: context.ownType(group.type(limits)),
      members: (group.objects("resources", limits.batchMemberCountMax) ?? group.wrong("resources", "an array of objects"))
        .map((resource) => memberOfResource(resource, limits)),
    };
  });
  const ruleText = membership === null ? "" : inputOf(membership, "membership", limits);
  const tags = tagsOf(params);
  return {
    key, timeToLive: params.milliseconds("ttl"), asOf: params.sequence("as_of"),
    rule: ruleText === "" ? null : parseRule(ruleText), ruleText, tags: tags === null ? "" : inputOf(tags, "tags", limits),
    isLocal,
    groups: [
      { type: context.ownType(type), members: (resources ?? []).map((resource) => memberOfResource(resource, limits)) },
      ...included,
    ],
  };
}

function tagsOf(params: Params): string | null {
  const tags = params.value("tags");
  if (tags === null || kindOf(tags) === "object") return tags;
  if (kindOf(tags) === "array" && elementsOf(tags).every((element) => textOf(element) !== null)) return tags;
  return params.wrong("tags", "an array of strings, or an object");
}

/** Reads the id of a resource. */
export function memberOfResource(resource: string, limits: Limits): EventMember {
  const json = presentMember(resource, "id") ?? presentMember(resource, "uuid");
  const id = json === null ? null : idOf(json);
  if (id === null) return { id: "", resource, reason: "missing_id" };
  return { id, resource, reason: isIdTooLong(id, limits.idByteCountMax) ? "id_too_long" : null };
}

// Changes

const operationMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ["put", ["resource_type", "id", "resource"]], ["patch", ["resource_type", "id", "fields", "unset"]],
  ["delete", ["resource_type", "id"]], ["remove_field", ["resource_type", "id", "field"]],
  ["remove", ["resource_type", "ids", "matching"]],
]);

/** Reads the operations of a transaction or a layer. */
export function stepsOf(params: Params, name: string, context: RequestContext): Step[] {
  const elements = params.elements(name, context.limits.batchMemberCountMax) ?? params.wrong(name, "an array of operations");
  return elements.map((element, index) => stepOf(new Params(element, `${name}[${index}]`), `${name}[${index}]`, context));
}

function stepOf(params: Params, place: string, context: RequestContext): Step {
  const { limits } = context;
  const op = params.requiredText("op");
  const members = operationMembers.get(op);
  if (members === undefined) return refuse(`${params.name("op")} is '${op.slice(0, 60)}': pass put, patch, delete, remove_field or remove`);
  params.refuseUnknown(["op", ...members, "expected_sequence", "library_id"], `the operation ${op}`);
  if (op === "remove") return removalStep(params, place, context);
  const type = params.type(limits);
  switch (op) {
    case "put": {
      const resource = params.object("resource") ?? params.wrong("resource", "an object");
      // A type whose key is another field is put under an id of its own.
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

/** Reads what a removal matches. */
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

/** Reads the positions that stored entities must have, by operation. */
export function expectationsOf(params: Params, context: RequestContext): Map<number, Sequence | null> {
  const expected = new Map<number, Sequence | null>();
  (params.elements("operations", context.limits.batchMemberCountMax) ?? []).forEach((element, index) => {
    const operation = new Params(element, `operations[${index}]`);
    if (operation.holds("expected_sequence")) expected.set(index, operation.sequence("expected_sequence"));
  });
  return expected;
}

/** Reads which queries to mark stale. */
export function invalidationOf(params: Params, context: RequestContext): Invalidation {
  const input = params.value("input");
  const invalidation: Invalidation = {
    library: libraryOf(params, context), method: params.text("method"),
    input: input === null ? null : inputOf(input, "input", context.limits), resourceType: params.optionalType(context.limits),
    tags: tagsOf(params), hints: params.object("hints"),
  };
  const { method, resourceType, tags, hints } = invalidation;
  const isOfAll = params.flag("all");
  if (!isOfAll && method === null && input === null && resourceType === null && tags === null && hints === null) {
    refuse("nothing says which queries: pass method, input, resource_type, tags or hints, or all: true");
  }
  return invalidation;
}

/** Reads an optimistic edit. */
export function updateOf(params: Params, context: RequestContext): LayerUpdate {
  const pendingId = params.requiredText("pending_id");
  const steps = stepsOf(params, "changes", context);
  if (steps.length === 0) refuse("changes is empty: pass at least one change");
  const library = libraryOf(params, context);
  return { pendingId, library, steps, dependsOn: dependenciesOf(params, context), send: mutationRequestOf(params) };
}

/** The most attempts that a request may name, and the most places of temporary ids. */
const ATTEMPT_COUNT_MAX = 1_000_000_000;
const TEMPORARY_ID_COUNT_MAX = 1_000;

/** Reads the request that is sent for an edit; null when somebody else sends it. */
function mutationRequestOf(params: Params): MutationRequest | null {
  const value = params.value("send");
  if (value === null) return null;
  const send = new Params(value, "send");
  send.refuseUnknown(["method", "input", "key", "retry", "ids", "coalesce", "on_failure", "discard"], "send");
  const method = send.requiredText("method");
  const key = send.value("key") === null ? null : send.requiredText("key");
  const retry = new Params(send.value("retry") ?? "{}", "send.retry");
  retry.refuseUnknown(["attempts", "for"], "send.retry");
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

/** Reads a server's answer to an edit. */
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
  return { pendingId, library, confirmed, resourceType, sequence, generation: null, realIds };
}

function realIdsOf(params: Params, limits: Limits): { temporary: string; real: string; given: string; }[] {
  const value = params.value("id_map");
  if (value === null) return [];
  if (kindOf(value) !== "object") return params.wrong("id_map", "an object of ids by temporary ids");
  const members = membersOf(value).sort((left, right) => left.name < right.name ? -1 : 1);
  return members.map(({ name, value: json }) => {
    if (name === "" || byteLength(name) > limits.idByteCountMax) refuse(`id_map names an id of ${byteLength(name)} bytes: name 1 to ${limits.idByteCountMax}`);
    const given = idText(json, `id_map.${name}`, limits);
    return { temporary: canonicalId(name), real: canonicalId(given), given };
  });
}
