import { pointerOf } from "./parse-paths.js";
import type { Extractor } from "./extractor.js";
import type { PlanBody, PlanCondition, PlanInclude, PlanSource, PlanStep, RightSide, ViewPlan } from "./plan.js";
import { isFixed } from "./predicate.js";
import type { Relations } from "./relations.js";
import type { Relation } from "./relation.js";
import { routeOf } from "./route.js";
import { conjunctsOf, forEachReference, hasParameter, isCheck, joined } from "./rule.js";
import type { Body, Condition, Include, Predicate, Reference, Source, SourcePath, Step, ViewRule } from "./rule.js";
import { Structure } from "./structure.js";

const WHOLE = pointerOf("", "");

/** Compiles a rule, and adds the relations and indexes that it needs. */
export function planOf(rule: ViewRule, relations: Relations): ViewPlan { return new Planner(rule, relations).plan(); }

class Planner {
  private readonly sources: PlanSource[] = [];
  private readonly used: Relation[] = [];
  private readonly types = new Set<string>();
  /** The source at each slot that is visible at the place being compiled. */
  private readonly visible: PlanSource[] = [];
  private readonly rowSlots: ReadonlySet<number>;

  constructor(private readonly rule: ViewRule, private readonly relations: Relations) {
    this.rowSlots = new Set(rowSlotsOf(rule.body));
  }

  plan(): ViewPlan {
    const { rule } = this;
    const structuralIncludes = structuralOf(rule.body);
    const steps = rule.body.steps.map((step, index) => this.step(step, index, true));
    const ofSteps = [...this.visible];
    const includes = rule.body.includes.map((include, index) => this.include(include, steps.length, structuralIncludes.has(index)));
    const body = this.body(rule.body, steps, includes);
    const sourcesByType = new Map<string, PlanSource[]>();
    for (const source of this.sources) sourcesByType.set(source.type, [...sourcesByType.get(source.type) ?? [], source]);
    return {
      rule, body, sources: this.sources, sourcesByType, structuralIncludes, relations: this.used, types: this.types,
      structure: this.sources.map((source) => this.structure(source, body, structuralIncludes)),
      route: routeOf(rule, steps, ofSteps, structuralIncludes), asks: steps.some(({ asks }) => asks),
    };
  }

  private body(body: Body, steps: readonly PlanStep[], includes: readonly PlanInclude[]): PlanBody {
    return {
      steps, includes, filter: part(body.filter, false), deferred: part(body.filter, true), output: body.output, order: body.order,
      offset: body.offset, limit: body.limit, rowSlots: rowSlotsOf(body),
    };
  }

  /** Compiles a step. `follows`: changes of the source have to be followed back to rows. */
  private step({ kind, source, joins }: Step, position: number, follows: boolean): PlanStep {
    const isRow = !isCheck(kind) && position < this.rule.body.steps.length && this.rowSlots.has(source.slot);
    const own = this.source(source, position, follows, isRow);
    const checkSteps = isCheck(kind) ? [stepOf("inner", own, []), ...joins.map((join) => this.step(join, position, follows))] : [];
    return stepOf(kind, own, checkSteps);
  }

  private include({ name, body, isOne }: Include, position: number, follows: boolean): PlanInclude {
    const steps = body.steps.map((step) => this.step(step, position, follows));
    const includes = body.includes.map((include) => this.include(include, position, false));
    const groups = body.output.is === "groups" ? body.output.groups : null;
    const isSteady = groups !== null && steps.length === 1 && !steps[0].asks;
    return { name, body: this.body(body, steps, includes), isOne, steadyGroups: isSteady ? groups : null };
  }

  private source(source: Source, step: number, follows: boolean, isRow: boolean): PlanSource {
    const type = this.relations.aliases.get(source.type) ?? source.type;
    this.types.add(type);
    const conjuncts = conjunctsOf(source.filter);
    const rest = joined(conjuncts.filter((conjunct) => !isFixed(conjunct, source.slot)));
    const relation = this.relations.take(type, joined(conjuncts.filter((conjunct) => isFixed(conjunct, source.slot))));
    this.used.push(relation);
    const conditions = source.conditions.map((condition) => this.condition(condition, type, relation, follows));
    const compiled: PlanSource = {
      number: follows ? this.sources.length : -1, slot: source.slot, alias: source.alias, type, relation, conditions,
      residual: part(rest, false), deferred: part(rest, true), filter: source.filter, step, isRow, place: source.place,
      anchor: conditions.find(({ right }) => right.is === "source") ?? null,
    };
    if (follows) this.sources.push(compiled);
    this.visible[source.slot] = compiled;
    return compiled;
  }

  private condition({ left, right, place, text }: Condition, type: string, relation: Relation, follows: boolean): PlanCondition {
    const own = this.leftOf(left, right, type);
    const leftIndex = own.is === "identity" ? null : relation.index(own);
    const other = rightOf(left, right, type, (slot) => this.visible[slot].type);
    let side: RightSide;
    if (right.is === "parameter") {
      side = { is: "parameter", index: right.index, extractor: other };
    } else {
      const source = this.visible[right.slot];
      const isIndexed = follows && (other.is === "values" || other.is === "references");
      side = { is: "source", slot: right.slot, extractor: other, source, index: isIndexed ? source.relation.index(other) : null };
    }
    const asks = own.is === "identity" && (right.is === "parameter" || other.is === "references");
    return { left: own, leftIndex, right: side, asks, place, text };
  }

  private leftOf(left: Condition["left"], right: Condition["right"], type: string): Extractor {
    if (left.is === "key") return { is: "identity" };
    const { pointer, isEach } = left;
    if (right.is !== "entity") return { is: "values", pointer, isEach };
    return { is: "references", pointer, isEach, target: this.visible[right.slot]?.type ?? type };
  }

  /** Finds the values of a source that can change rows, their order and their groups. */
  private structure(source: PlanSource, body: PlanBody, structuralIncludes: ReadonlySet<number>): Structure {
    const structure = new Structure();
    const notePath = (path: SourcePath | null): void => { if (path?.slot === source.slot) structure.addValue(path.pointer); };
    const note = (reference: Reference): void => { if (reference.is === "source") notePath(reference.path); };
    const notePredicate = (predicate: Predicate | null): void => forEachReference(predicate, note);
    const noteExtractor = (extractor: Extractor): void => {
      if (extractor.is === "values") structure.addValue(extractor.pointer);
      if (extractor.is === "references") structure.addReference(extractor.pointer);
    };
    const noteBody = ({ filter, deferred, order, output }: PlanBody): void => {
      notePredicate(filter);
      notePredicate(deferred);
      for (const { reference } of order) note(reference);
      if (output.is !== "groups") return;
      for (const { path } of output.groups.keys ?? []) notePath(path);
      for (const aggregate of output.groups.aggregates) {
        notePath(aggregate.path);
        notePredicate(aggregate.filter);
      }
    };
    for (const { left } of source.conditions) noteExtractor(left);
    for (const other of this.sources) {
      notePredicate(other.filter);
      for (const { right } of other.conditions) if (right.is === "source" && right.slot === source.slot) noteExtractor(right.extractor);
    }
    noteBody(body);
    for (const index of structuralIncludes) noteBody(body.includes[index].body);
    return structure;
  }
}

/** Returns the conditions of a predicate that read parameters, or those that read none. */
function part(predicate: Predicate | null, isDeferred: boolean): Predicate | null {
  return joined(conjunctsOf(predicate).filter((conjunct) => hasParameter(conjunct) === isDeferred));
}

function rowSlotsOf(body: Body): number[] { return body.steps.filter(({ kind }) => !isCheck(kind)).map(({ source }) => source.slot); }

/** Returns the includes that `where` or `order` read. */
function structuralOf(body: Body): Set<number> {
  const found = new Set<number>();
  const note = (reference: Reference): void => { if (reference.is === "include") found.add(reference.index); };
  forEachReference(body.filter, note);
  for (const { reference } of body.order) note(reference);
  return found;
}

function stepOf(kind: Step["kind"], source: PlanSource, checkSteps: readonly PlanStep[]): PlanStep {
  const { conditions, deferred } = source;
  return {
    kind, source, checkSteps, asks: conditions.some(({ asks }) => asks) || checkSteps.some(({ asks }) => asks),
    asksByParameter: conditions.some(({ asks, right }) => asks && right.is === "parameter") || checkSteps.some(({ asksByParameter }) => asksByParameter),
    hasParameter: deferred !== null || conditions.some(({ right }) => right.is === "parameter") || checkSteps.some((step) => step.hasParameter),
  };
}

function rightOf(left: Condition["left"], right: Condition["right"], type: string, typeAt: (slot: number) => string): Extractor {
  switch (right.is) {
    case "entity": return left.is === "key" && typeAt(right.slot) !== type ? { is: "nothing" } : { is: "identity" };
    case "parameter": {
      const whole = { pointer: WHOLE, isEach: false };
      return left.is === "key" ? { is: "references", ...whole, target: type } : { is: "values", ...whole };
    }
    case "value": {
      const { pointer, isEach } = right;
      return left.is === "key" ? { is: "references", pointer, isEach, target: type } : { is: "values", pointer, isEach };
    }
  }
}
