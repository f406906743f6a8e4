import { kindOf } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { defaultLimits } from "../model/limits.js";
import { refuse } from "./fault.js";
import type { ViewLimits } from "./limits.js";
import { parsePredicate } from "./parse-predicates.js";
import { parseResults } from "./parse-results.js";
import { parseFrom, parseJoins } from "./parse-sources.js";
import { Parsing } from "./parsing.js";
import type { ViewRule } from "./rule.js";
import { RuleObject, canonicalRule, flag, refuseRepeats } from "./rule-json.js";
import { Scope } from "./scope.js";
import type { Frame } from "./scope.js";

const viewMembers = [
  "from", "joins", "where", "group", "aggregates", "having", "include", "select", "order", "limit", "offset", "total",
];

/** Parses the rule of a view from compact JSON. Throws a `ViewRuleError` for the first thing that is wrong. */
export function parseView(json: string, limits: ViewLimits = defaultLimits): ViewRule {
  const byteCount = byteLength(json);
  if (byteCount > limits.ruleByteCountMax) refuse("", `has ${byteCount} bytes; write at most ${limits.ruleByteCountMax}`);
  if (kindOf(json) !== "object") refuse("", "is not an object; write {…}");
  refuseRepeats(json);
  const parsing = new Parsing(limits);
  const rule = new RuleObject(json, "", viewMembers);
  const from = rule.value("from") ?? refuse("/from", "is missing; name the first source, such as {\"type\": \"issue\"}");
  const frame: Frame = { scope: new Scope(), slot: 0, includeDepth: 0, sourceCount: 0, ownSlot: null };
  const steps = [parseFrom(parsing, from, rule.at("from"), frame), ...parseJoins(parsing, rule, frame)];
  const results = parseResults(parsing, rule, steps, frame);
  const where = rule.value("where");
  const filter = where === null ? null
    : parsePredicate(parsing, where, rule.at("where"), { scope: frame.scope, slash: { is: "aggregates", includes: results.includes } });
  const total = rule.value("total");
  return {
    canonical: canonicalRule(json), parameters: parsing.parameters, uses: parsing.uses,
    hasTotal: total !== null && flag(total, rule.at("total")), body: { steps, filter, ...results }, slotCount: parsing.slotCount,
  };
}
