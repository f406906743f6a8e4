// The methods of queries. A part that is loaded with the first one. Protocol/queries.md.

import { store } from "../engine/answers.js";
import type { Sink } from "../engine/notifications.js";
import { answerOut } from "../engine/query-requests.js";
import type { QueryAnswer, QueryRequest } from "../engine/query-requests.js";
import { CacheError } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { answerOf } from "../params/answers.js";
import { Params } from "../params/params.js";
import { queryKey, queryRequest } from "../params/queries.js";
import { refuseUnknown } from "../params/unknown.js";
import { errorOut } from "./errors.js";
import type { Methods, Reply } from "./methods.js";
import { putStrict } from "./strict.js";

/** Adds the methods of this part to a cache. */
export function addMethods(methods: Methods): void {
  const { engine, context } = methods;
  methods.put("query.read", (params, reply, sink) => read(methods, params, reply, sink, false));
  methods.put("query.observe", (params, reply, sink) => read(methods, params, reply, sink, true));
  putStrict(methods, "query.put", answerMembers, (params, reply) => {
    (params.elements("included", context.limits.batchMemberCountMax) ?? []).forEach((element, index) =>
      refuseUnknown(new Params(element, `included[${index}]`), ["resource_type", "resources", "library_id"], "query.put"));
    store(engine, answerOf(params, queryKey(params, context), context), null);
    methods.done(reply, {});
  });
}

const answerMembers = ["method", "input", "resource_type", "resources", "included", "ttl", "as_of", "membership", "tags", "local"];

function read(methods: Methods, params: Params, reply: Reply, sink: Sink, isObserving: boolean): void {
  const { engine, context } = methods;
  const request: QueryRequest = queryRequest(params, context);
  if (isObserving) request.sink = sink;
  const answered = methods.waiting(reply);
  const { key } = request;
  engine.takeQueries().read(
    request, (result) => answered(result instanceof CacheError ? result : answerOut(result)),
    (result) => engine.observers.tell(sink, {
      method: "query.result", params: { method: key.method, input: new Raw(key.input), library_id: key.library, ...laterOut(result) },
    }));
}

function laterOut(result: QueryAnswer | CacheError): { readonly [name: string]: Out; } {
  return result instanceof CacheError ? { error: errorOut(result) } : answerOut(result);
}
