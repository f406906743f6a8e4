import type { QueryKey } from "../queries/query.js";
import { parseRule } from "../queries/rule.js";
import type { Answer } from "../state/answers.js";
import { memberOfResource } from "./members.js";
import { Params, refuse } from "./params.js";
import { inputOf, tagsOf } from "./queries.js";
import type { RequestContext } from "./requests.js";

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
