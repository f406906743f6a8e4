// From a changed entity to the rows that it may have added, removed or moved.

import { Entity } from "./entity.js";
import type { Evaluation } from "./evaluation.js";
import { keysOf } from "./extractor.js";
import type { PlanCondition, PlanSource, ViewPlan } from "./plan.js";

/** One entity that changed, with both of its versions; null for one that is not present. */
export interface Changed {
  readonly type: string;
  readonly id: string;
  /** The entity itself, which is one of its versions; null for one that is not present before and after. */
  readonly entity: Entity | null;
  /** The version before the change. */
  readonly old: Entity | null;
  /** The version after the change. */
  readonly fresh: Entity | null;
  /** True if the entity became known or unknown. */
  readonly changesAsks: boolean;
}

/** A change of an entity, seen from one source of a plan. */
export interface ChangedSource {
  readonly change: Changed;
  readonly source: PlanSource;
  /** True if the change can add, remove, reorder or regroup rows. */
  readonly isStructural: boolean;
  /** True if the entity became known or unknown, and the source asks for such entities. */
  readonly changesAsks: boolean;
}

/** Returns a change as a plan's sources see it; only sources that it concerns. */
export function changedSources(change: Changed, plan: ViewPlan): ChangedSource[] {
  const found: ChangedSource[] = [];
  for (const source of plan.sourcesByType.get(change.type) ?? []) {
    const { old, fresh } = change;
    const isStructural = old !== null && fresh !== null ? plan.structure[source.number].differs(old, fresh) : old !== fresh;
    const changesAsks = change.changesAsks && source.conditions.some(({ asks }) => asks);
    if (isStructural || changesAsks) found.push({ change, source, isStructural, changesAsks });
  }
  return found;
}

/**
 * Walks over all rows of one state that a change of an entity may have added, removed or moved; `emit` is called with the
 * entities of each bound. The view's `where` was not examined yet.
 *
 * The evaluation shows either the state before the change or the one after it. A row that both states have is reached in
 * both, so that the difference of the two walks is the difference of the results: a row with the entity in it is reached
 * from the entity; a row whose check or left join depends on the entity is reached from either version of it, by the
 * conditions that lead back to the row, and these read unchanged entities only. If one of them changed too, its own change
 * leads to the row.
 */
export function walkChange(evaluation: Evaluation, changed: ChangedSource, isOld: boolean, emit: () => void): void {
  const { change, source } = changed;
  const [own, other] = isOld ? [change.old, change.fresh] : [change.fresh, change.old];
  const entity = own !== null && source.relation.members.has(own) ? own : null;
  if (changed.isStructural) {
    if (source.isRow && entity !== null) walkFrom(evaluation, source, entity, emit);
    if (!source.isRow || evaluation.plan.body.steps[source.step].kind === "left") {
      restrict(evaluation, changed);
      if (entity !== null) walkBeginnings(evaluation, source, entity, emit);
      if (other !== null && source.relation.admits(other)) walkBeginnings(evaluation, source, other, emit);
      evaluation.restriction = null;
    }
  }
  if (changed.changesAsks) walkAsks(evaluation, changed);
}

/** Walks over the rows with an entity at the slot of a source. */
export function walkFrom(evaluation: Evaluation, source: PlanSource, entity: Entity, emit: () => void): void {
  evaluation.slots[source.slot] = entity;
  climb(evaluation, source, source.anchor, source.step, true, () => {
    evaluation.slots[source.slot] = entity;
    if (evaluation.acceptsBound(source)) walkRest(evaluation, source.step + 1, emit);
    evaluation.slots[source.slot] = null;
  });
  evaluation.slots[source.slot] = null;
}

/** Walks over the rows whose check, include or left join may depend on an entity. */
export function walkBeginnings(evaluation: Evaluation, source: PlanSource, entity: Entity, emit: () => void): void {
  const { steps } = evaluation.plan.body;
  evaluation.slots[source.slot] = entity;
  climb(evaluation, source, source.anchor, source.step, true, () => {
    if (!source.isRow) {
      if (source.step < steps.length && evaluation.hasUnchangedMatch(steps[source.step])) return;
      walkRest(evaluation, source.step, emit);
    } else if (evaluation.matches(source).length === 0) {
      walkRest(evaluation, source.step + 1, emit);
    }
  });
  evaluation.slots[source.slot] = null;
}

function walkRest(evaluation: Evaluation, step: number, emit: () => void): void {
  const { steps } = evaluation.plan.body;
  evaluation.walk(steps, step, steps.length, () => {
    emit();
    return true;
  });
}

/** A match of the `exists` that tells uses apart concerns only the uses with its keys, before or after the change. */
function restrict(evaluation: Evaluation, { change, source }: ChangedSource): void {
  const origin = evaluation.plan.route?.origin;
  if (evaluation.sharing === null || origin?.is !== "check" || origin.source !== source) return;
  const keys = new Set<string>();
  for (const entity of [change.old, change.fresh]) {
    if (entity !== null) for (const key of keysOf(origin.left, entity, evaluation.relations.aliases)) keys.add(key);
  }
  evaluation.restriction = keys;
}

/** Collects the questions for an entity that became known or unknown. */
function walkAsks(evaluation: Evaluation, { change, source }: ChangedSource): void {
  const { asking, plan } = evaluation;
  const { steps } = plan.body;
  // Only the id of the entity counts.
  evaluation.slots[source.slot] = new Entity(-1, change.type, change.id, "{}");
  for (const condition of source.conditions) {
    if (!condition.asks) continue;
    evaluation.asking = null;
    climb(evaluation, source, condition, source.step, false, () => {
      if (source.step >= steps.length) return;
      evaluation.asking = asking;
      if (source.isRow) evaluation.ask(source);
      else evaluation.check(steps[source.step]);
      evaluation.asking = null;
    });
  }
  evaluation.asking = asking;
  evaluation.slots[source.slot] = null;
}

/**
 * Follows the entity at the slot of a source back to the beginnings of rows to which it may belong: through the conditions
 * and the indexes of earlier sources, until no condition leads on; then the steps before `end` are walked.
 *
 * `checksParameters`: the entity has to fulfil the conditions with parameters. Those of the sources on the way always have
 * to be fulfilled: a way that leads through a changed entity is then as narrow as the ways that begin at it.
 */
function climb(
  evaluation: Evaluation, source: PlanSource, anchor: PlanCondition | null, end: number, checksParameters: boolean, body: () => void,
): void {
  const { slots } = evaluation;
  if (checksParameters && evaluation.binding !== null) {
    for (const condition of source.conditions) {
      if (condition.right.is === "parameter" && !evaluation.isFulfilled(condition, source)) return;
    }
  }
  const former = slots[source.slot];
  const staysBound = source.isRow && source.step < end;
  if (anchor === null || anchor.right.is !== "source") {
    if (!staysBound) slots[source.slot] = null;
    const { asking } = evaluation;
    evaluation.asking = null;
    evaluation.walk(evaluation.plan.body.steps, 0, end, () => {
      evaluation.asking = asking;
      body();
      evaluation.asking = null;
      return true;
    });
    evaluation.asking = asking;
  } else {
    const { right } = anchor;
    const keys = evaluation.keys(anchor.left, source.slot);
    if (!staysBound) slots[source.slot] = null;
    const candidates = new Set<Entity>();
    for (const key of keys) for (const entity of evaluation.entities(right.source, right.index, key)) candidates.add(entity);
    for (const candidate of candidates) {
      slots[right.slot] = candidate;
      climb(evaluation, right.source, right.source.anchor, end, true, body);
    }
    slots[right.slot] = null;
  }
  slots[source.slot] = former;
}
