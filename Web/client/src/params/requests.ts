// Parses params into requests to the state. Throws `invalid_params` before anything changes.

import { kindName } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import { Params, refuse } from "./params.js";

/** Maximum number of fields that a read may name, for one entity or one type. */
export const FIELD_COUNT_MAX = 1_000;
const MAX_AGE_MAX = 2147483647;

/** What is needed to parse params: a state, for example. */
export interface RequestContext {
  /** The bounds of input. */
  limits: Limits;
  /** The library of requests that name none. */
  defaultLibrary: string;
  /** Returns the cache's name of a type that may be an alias. */
  ownType(name: string): string;
}

/** Returns the library that a request names, or the default one. */
export function libraryOf(params: Params, context: RequestContext): string {
  return namedLibrary(params, context) ?? context.defaultLibrary;
}

/** Returns the library that a request names; null if it names none. */
export function namedLibrary(params: Params, context: RequestContext): string | null {
  return params.text("library_id", context.limits.idByteCountMax);
}

/** Returns `max_ages`: whole seconds by `type` or `type.field`. */
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

/** A request to read or observe an entity. */
export interface EntityRequest {
  /** The library of the entity. */
  library: string;
  /** The type of the entity, under the cache's name. */
  type: string;
  /** The canonical id of the entity. */
  id: string;
  /** The fields to return; null for all. */
  fields: ReadonlySet<string> | null;
  /** Maximum ages for this read in seconds, by `type` or `type.field`. */
  maxAges: ReadonlyMap<string, number>;
  /** How far past its maximum age a field is still accepted, in milliseconds; null for not at all. */
  maxStale: number | null;
  /** True to be notified when the entity becomes too old. */
  refreshes: boolean;
}

/** Parses the params of `entity.get` and `entity.observe`. */
export function entityRequest(params: Params, context: RequestContext): EntityRequest {
  const { library, type, id } = entityKey(params, context);
  const fields = params.texts("fields", FIELD_COUNT_MAX);
  return {
    library, type, id, fields: fields === null ? null : new Set(fields), maxAges: maxAges(params),
    maxStale: params.milliseconds("max_stale"), refreshes: params.flag("refresh"),
  };
}

/** Returns the key of the entity in a request, with the type under the cache's name. */
export function entityKey(params: Params, context: RequestContext): { library: string; type: string; id: string; } {
  return {
    library: libraryOf(params, context), type: context.ownType(params.type(context.limits)), id: params.id(context.limits),
  };
}
