import { pointerOf } from "./parse-paths.js";
import type { PlanSource, PlanStep, Route } from "./plan.js";
import { conjunctsOf, forEachReference, hasParameter } from "./rule.js";
import type { Body, Predicate, SourcePath, Step, ViewRule } from "./rule.js";

const WHOLE = pointerOf("", "");

/**
 * Finds the condition by which uses with different parameters share one walk; null if each has to walk for itself.
 *
 * Every other step may depend on a parameter only where leaving the condition out lets more rows through, which each use
 * then checks: not in a left join, `absent`, or a second `exists`.
 */
export function routeOf(
  rule: ViewRule, steps: readonly PlanStep[], visible: readonly PlanSource[], structuralIncludes: ReadonlySet<number>,
): Route | null {
  // The entities that parameters ask for differ from use to use.
  if (rule.parameters.length === 0 || steps.some(({ asksByParameter }) => asksByParameter)) return null;
  let route: Route | null = null;
  for (const [position, step] of steps.entries()) {
    if (!step.hasParameter) continue;
    if (step.kind === "left" || step.kind === "absent") return null;
    if (step.kind === "exists") {
      const found: Route | null = route === null ? throughCheck(step, position) : null;
      if (found === null) return null;
      route = found;
    } else {
      if (step.kind === "inner" && step.source.anchor === null) return null;
      route ??= throughJoin(step, position);
    }
  }
  const { filter, includes } = rule.body;
  if (conjunctsOf(filter).some((conjunct) => hasParameter(conjunct) && readsIncludes(conjunct))) return null;
  if ([...structuralIncludes].some((index) => bodyHasParameter(includes[index].body))) return null;
  return route ?? throughFilter(filter, visible, steps.length);
}

/** Finds a route in the conditions and the `where` of a joined source. */
function throughJoin(step: PlanStep, position: number): Route | null {
  const { source } = step;
  for (const { left, leftIndex, right } of source.conditions) {
    if (right.is !== "parameter") continue;
    return { origin: { is: "condition", source, left }, parameter: right.index, extractor: right.extractor, source, index: leftIndex, step: position };
  }
  for (const conjunct of conjunctsOf(source.deferred)) {
    const found = equalParameter(conjunct);
    if (found !== null && found.path.slot === source.slot) return throughValue(found.path, found.parameter, source, position);
  }
  return null;
}

/** Finds a route in the `where` of a view. */
function throughFilter(filter: Predicate | null, visible: readonly PlanSource[], end: number): Route | null {
  for (const conjunct of conjunctsOf(filter)) {
    const found = equalParameter(conjunct);
    const source = found === null ? undefined : visible[found.path.slot];
    if (found !== null && source !== undefined) return throughValue(found.path, found.parameter, source, end);
  }
  return null;
}

/** Finds a route in an `exists` whose only use of a parameter is one condition of its own. */
function throughCheck(step: PlanStep, position: number): Route | null {
  const { source } = step;
  const [condition, ...others] = source.conditions.filter(({ right }) => right.is === "parameter");
  if (condition === undefined || others.length > 0 || source.conditions.length < 2 || source.deferred !== null) return null;
  if (step.checkSteps.slice(1).some((inner) => inner.hasParameter || inner.asks) || condition.right.is !== "parameter") return null;
  const { left, leftIndex, right } = condition;
  return { origin: { is: "check", source, left }, parameter: right.index, extractor: right.extractor, source, index: leftIndex, step: position };
}

function throughValue(path: SourcePath, parameter: number, source: PlanSource, step: number): Route {
  const extractor = { is: "values", pointer: WHOLE, isEach: false } as const;
  const index = source.relation.index({ is: "values", pointer: path.pointer, isEach: false });
  return { origin: { is: "value", path }, parameter, extractor, source, index, step };
}

/** Returns the value that has to equal a parameter, if the condition is just that. */
function equalParameter(predicate: Predicate): { path: SourcePath; parameter: number; } | null {
  if (predicate.is !== "test" || predicate.operator !== "eq" || predicate.reference.is !== "source") return null;
  return predicate.operand.is === "parameter" ? { path: predicate.reference.path, parameter: predicate.operand.index } : null;
}

function readsIncludes(predicate: Predicate): boolean {
  let isFound = false;
  forEachReference(predicate, ({ is }) => { if (is === "include") isFound = true; });
  return isFound;
}

function bodyHasParameter({ steps, filter, output }: Body): boolean {
  const inStep = ({ source, joins }: Step): boolean =>
    hasParameter(source.filter) || source.conditions.some(({ right }) => right.is === "parameter") || joins.some(inStep);
  return steps.some(inStep) || hasParameter(filter)
    || output.is === "groups" && output.groups.aggregates.some(({ filter: own }) => hasParameter(own));
}
