// Params → what the state is asked to do. Each refuses what makes no sense, before anything changes.

import { kindName, presentMember } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import { idOf, isIdTooLong } from "../model/identity.js";
import type { Limits } from "../model/limits.js";
import type { EventMember } from "../wire/events.js";
import { Params, refuse } from "./params.js";

/** The fields that a read may name, of one entity or of one type. */
export const FIELD_COUNT_MAX = 1_000;
const MAX_AGE_MAX = 2147483647;

/** What is known when params are read. */
export interface RequestContext {
  limits: Limits;
  defaultLibrary: string;
  ownType(name: string): string;
}

/** The library that a request names, or the default one. */
export function libraryOf(params: Params, context: RequestContext): string {
  return namedLibrary(params, context) ?? context.defaultLibrary;
}

/** The library that a request names; null when it names none. */
export function namedLibrary(params: Params, context: RequestContext): string | null {
  return params.text("library_id", context.limits.idByteCountMax);
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

/** Reads the id of a resource. */
export function memberOfResource(resource: string, limits: Limits): EventMember {
  const json = presentMember(resource, "id") ?? presentMember(resource, "uuid");
  const id = json === null ? null : idOf(json);
  if (id === null) return { id: "", resource, reason: "missing_id" };
  return { id, resource, reason: isIdTooLong(id, limits.idByteCountMax) ? "id_too_long" : null };
}
