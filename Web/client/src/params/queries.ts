// Parses the params of query methods.

import { canonical } from "../json/canonical.js";
import { elementsOf, kindOf } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import type { QueryKey } from "../queries/query.js";
import { Params, refuse, textOf } from "./params.js";
import { fetchPolicies } from "./policies.js";
import type { FetchPolicy } from "./policies.js";
import { FIELD_COUNT_MAX, libraryOf, maxAges } from "./requests.js";
import type { RequestContext } from "./requests.js";

/** A request to read a query. */
export interface QueryRead {
  /** The query to read. */
  key: QueryKey;
  /** Whether the cache, the upstream or both answer. */
  policy: FetchPolicy;
  /** True to accept a stale list, however old. */
  allowsStale: boolean;
  /** How long a list may have been stale, in milliseconds; null for no such bound. */
  maxStale: number | null;
  /** The fields to return, by type; null for all. */
  select: ReadonlyMap<string, ReadonlySet<string>> | null;
  /** Maximum ages for this read in seconds, by `type` or `type.field`. */
  maxAges: ReadonlyMap<string, number>;
  /** True to fetch the list again when something in it becomes too old. */
  refreshes: boolean;
}

/** Returns the identity of the query in a request. */
export function queryKey(params: Params, context: RequestContext): QueryKey {
  const library = libraryOf(params, context);
  const method = params.requiredText("method");
  return { library, method, input: inputOf(params.value("input") ?? "null", "input", context.limits) };
}

/** Returns a query's input in canonical form. Throws `invalid_params` if it is too long. */
export function inputOf(json: string, name: string, limits: Limits): string {
  if (byteLength(json) > limits.inputByteCountMax) {
    refuse(`${name} has ${byteLength(json)} bytes: pass at most ${limits.inputByteCountMax}`);
  }
  return canonical(json);
}

/** Parses the params of `query.read` and `query.observe`. */
export function queryRequest(params: Params, context: RequestContext): QueryRead {
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
    // A type whose list is null is returned with all fields.
    if (fields !== null) selection.set(type, new Set(fields));
  }
  if (selection.size > FIELD_COUNT_MAX) throw new CacheError("limit_exceeded", `select names ${selection.size} types: name at most ${FIELD_COUNT_MAX}`);
  return selection;
}

/** Returns `tags`, an array of strings or an object, as JSON; null if absent. */
export function tagsOf(params: Params): string | null {
  const tags = params.value("tags");
  if (tags === null || kindOf(tags) === "object") return tags;
  if (kindOf(tags) === "array" && elementsOf(tags).every((element) => textOf(element) !== null)) return tags;
  return params.wrong("tags", "an array of strings, or an object");
}
