import type { Json } from "./json";
import { flag, list, member, stringify, text } from "./json";

/** A part of a sentence: words, a value as JSON, or the key of an entity, which is shown as a link. */
export type SentencePart = string | { readonly value: string; } | { readonly key: string; };

/** Returns why an entity is in no row of a view, as a sentence. `explanation` is the result of `view.explain`. */
export function whyNot(key: string, explanation: Json): SentencePart[] {
  const why = member(explanation, "why") ?? null;
  const at = text(why, "at") ?? "";
  const culprit = text(why, "entity");
  const start: SentencePart[] = [{ key }, " is in no row: "];
  if (flag(why, "miss")) return [...start, "the cache does not show ", culprit === null || culprit === key ? "it" : { key: culprit }, "."];
  const condition = member(why, "condition");
  if (condition === undefined || condition === null) {
    if (at === "/limit") return [...start, "its row is outside the window of the rule."];
    if (at === "/having") return [...start, "its group does not fulfil having."];
    if (at === "/from") return [...start, "its type is no source of the view."];
    if (culprit !== null) return [...start, "at ", { value: at }, " there may be no match, and ", { key: culprit }, " is one."];
    return [...start, "nothing matches at ", { value: at }, "."];
  }
  const value = member(why, "value");
  const owner: SentencePart[] = culprit === null ? [] : [" of ", { key: culprit }];
  const found: SentencePart[] = value === undefined ? ["there is no value", ...owner] : ["the value", ...owner, " is ", { value: stringify(value) }];
  return [...start, ...found, ", and the condition at ", { value: at }, " is ", { value: stringify(condition) }, "."];
}

/** Returns a name for a row key: the keys of its entities, or the values of its group. */
export function rowName(rowKey: Json): string {
  if (!Array.isArray(rowKey)) return "";
  const parts = (rowKey as readonly Json[]).map((part) => part === null ? "none" : typeof part === "string" ? part : stringify(part));
  return parts.length === 0 ? "all" : parts.join(" + ");
}

/** Returns the names of the parameters that a rule uses, in the order of the rule. */
export function parametersOf(rule: Json): string[] {
  const names = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) return (value as readonly Json[]).forEach(visit);
    const members = value !== null && typeof value === "object" && "members" in value ? value.members : [];
    if (members.length === 1 && members[0][0] === "value") return;
    const name = members.length === 1 ? text(value, "param") : null;
    if (name !== null) names.add(name);
    for (const [, child] of members) visit(child);
  };
  visit(rule);
  return [...names];
}

/** Returns the row keys of an explanation of an entity that is in the view. */
export function rowsOf(explanation: Json): readonly Json[] { return list(explanation, "rows"); }
