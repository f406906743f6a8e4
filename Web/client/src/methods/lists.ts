// The methods of queries. A part that is loaded with the first one. Protocol/queries.md.

import type { Engine } from "../engine/engine.js";
import type { Sink } from "../engine/notifications.js";
import { answerOut } from "../engine/queries.js";
import type { QueryAnswer } from "../engine/queries.js";
import { CacheError } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import type { QueryKey } from "../queries/query.js";
import { parseRule } from "../queries/rule.js";
import { storeAnswer } from "../state/answers.js";
import type { Answer } from "../state/answers.js";
import type { Question } from "../state/questions.js";
import { errorOut } from "./errors.js";
import type { Methods, Reply } from "./methods.js";
import { Params, refuse } from "./params.js";
import { inputOf, queryKey, queryRequest, tagsOf } from "./queries.js";
import { memberOfResource } from "./requests.js";
import type { RequestContext } from "./requests.js";
import { putStrict, refuseUnknown } from "./strict.js";

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
  const request = queryRequest(params, context);
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

/** Stores a server's response to a query. Throws if it is refused; then nothing was stored. */
export function store(engine: Engine, answer: Answer, question: Question | null): void {
  const query = storeAnswer(engine.state, answer, question, engine.now());
  engine.distribute();
  if (engine.refreshes === null) engine.followExpiry();
  else engine.refreshes.answered(query);
  engine.noteChanged();
}

/** Parses the params of `query.put`, or the result of `query.fetch`. */
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
