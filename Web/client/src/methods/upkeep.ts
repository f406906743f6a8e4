// The methods that report a cache's state or invalidate lists. A part that is loaded on first use.
// Protocol/sessions.md.

import { refuse } from "../params/params.js";
import type { Params } from "../params/params.js";
import { inputOf, tagsOf } from "../params/queries.js";
import { entityKey, libraryOf, maxAges } from "../params/requests.js";
import type { RequestContext } from "../params/requests.js";
import { invalidate } from "../state/invalidation.js";
import type { Invalidation } from "../state/invalidation.js";
import { greeting } from "./greeting.js";
import { explain, statisticsOf } from "./looking.js";
import type { Methods } from "./methods.js";
import { putStrict } from "./strict.js";

/** Adds the methods of this part to a cache. */
export function addMethods(methods: Methods): void {
  const { engine, context } = methods;
  putStrict(methods, "cache.invalidate", ["method", "input", "resource_type", "tags", "hints", "all"], (params, reply) => {
    const stale = invalidate(engine.state, invalidationOf(params, context), engine.now());
    methods.done(reply, { stale });
  });
  methods.add("cache.stats", () => statisticsOf(engine));
  methods.add("cache.explain", (params) => explain(engine, entityKey(params, context), methods.ages(maxAges(params))));
  methods.add("initialize", (params) => greeting(params, namesOf(methods)));
}

/** The names of the methods, sorted. */
function namesOf({ handlers, families }: Methods): string[] {
  return [...new Set([...handlers.keys(), ...families.flatMap(({ names }) => names)])].sort();
}

/** Parses which queries to mark stale. */
function invalidationOf(params: Params, context: RequestContext): Invalidation {
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
