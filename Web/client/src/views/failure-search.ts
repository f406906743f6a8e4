// Why an entity is in no row: the first condition that failed, for the row that came furthest.

import { Entity } from "./entity.js";
import type { Evaluation } from "./evaluation.js";
import type { Extractor } from "./extractor.js";
import type { PlanCondition, PlanSource, PlanStep } from "./plan.js";
import { evaluateStructural } from "./render.js";
import { conjunctsOf, isCheck } from "./rule.js";
import type { Predicate } from "./rule.js";

/** Maximum number of rows that are examined, so that an explanation ends. */
const ROW_COUNT_MAX = 10_000;

/** Why an entity is in no row of a result. */
export interface Failure {
  /** The pointer to the innermost predicate or condition; `/limit` for a row outside the window. */
  readonly at: string;
  /** The condition as JSON; null for a source or a window. */
  readonly condition: string | null;
  /** The value that failed as JSON; null if there is none. */
  readonly value: string | null;
  /** The entity whose value failed; null for none. */
  readonly entity: Entity | null;
}

/** A place in the order of the rule: a later one came further. */
type Rank = readonly number[];

/** Searches all rows that an entity could be in. */
export class FailureSearch {
  /** The complete rows: the bound entities by slot. */
  readonly rows: (Entity | null)[][] = [];
  /** The condition that failed last in the order of the rule. */
  best: { readonly rank: Rank; readonly failure: Failure; } | null = null;
  private stepCount = 0;

  /** Creates a search. `everyone` returns all present entities of a type, those too that a relation does not have. */
  constructor(private readonly evaluation: Evaluation, private readonly everyone: (type: string) => readonly Entity[]) { }

  /** Searches the rows in which a source of the view has an entity. */
  search(source: PlanSource, entity: Entity): void {
    const { body } = this.evaluation.plan;
    this.walk(body.steps, 0, [], source.slot, entity, () => {
      evaluateStructural(this.evaluation);
      for (const predicate of [body.filter, body.deferred]) {
        if (this.evaluation.holds(predicate)) continue;
        this.noteFilter(predicate, [body.steps.length]);
        return;
      }
      this.rows.push([...this.evaluation.slots]);
    });
  }

  private walk(steps: readonly PlanStep[], index: number, rank: Rank, slot: number, entity: Entity | null, complete: () => void): void {
    this.stepCount += 1;
    if (this.stepCount > ROW_COUNT_MAX) return;
    if (index >= steps.length) return complete();
    const step = steps[index];
    const { source } = step;
    const own = [...rank, index];
    const goOn = (): void => this.walk(steps, index + 1, rank, slot, entity, complete);
    if (isCheck(step.kind)) {
      if (this.check(step, own)) goOn();
      return;
    }
    const { slots } = this.evaluation;
    const isFixed = source.slot === slot && entity !== null;
    const candidates = isFixed ? [entity] : this.candidates(source);
    let isMatched = false;
    for (const candidate of candidates) {
      slots[source.slot] = candidate;
      if (!this.accepts(source, own)) continue;
      isMatched = true;
      goOn();
    }
    slots[source.slot] = null;
    if (isMatched || isFixed) return;
    if (step.kind === "left") return goOn();
    if (candidates.length === 0) this.noteUnmatched(source, own);
  }

  /** Returns the entities of a source's type that fulfil its first condition, ascending by their keys. */
  private candidates(source: PlanSource): Entity[] {
    const { evaluation } = this;
    const [first] = source.conditions;
    const found = this.everyone(source.type).filter((candidate) => {
      evaluation.slots[source.slot] = candidate;
      return first === undefined || evaluation.isFulfilled(first, source);
    });
    evaluation.slots[source.slot] = null;
    // Those that fulfil the fixed part of `where` come first: a condition that fails behind it came further.
    const { members } = source.relation;
    return found.sort((left, right) => Number(members.has(right)) - Number(members.has(left)) || (left.key < right.key ? -1 : 1));
  }

  private accepts(source: PlanSource, rank: Rank): boolean {
    for (const [number, condition] of source.conditions.entries()) {
      if (this.evaluation.isFulfilled(condition, source)) continue;
      this.note([...rank, number], this.failureOf(condition, source));
      return false;
    }
    if (this.evaluation.holds(source.filter)) return true;
    this.noteFilter(source.filter, [...rank, source.conditions.length]);
    return false;
  }

  /** Notes that no entity of a source fulfils the first condition. */
  private noteUnmatched(source: PlanSource, rank: Rank): void {
    const [first] = source.conditions;
    if (first === undefined) this.note(rank, { at: source.place, condition: null, value: null, entity: null });
    else this.note([...rank, 0], this.failureOf(first, source));
  }

  private check(step: PlanStep, rank: Rank): boolean {
    const { source, checkSteps } = step;
    if (this.evaluation.check(step) === (step.kind === "exists")) return true;
    if (step.kind === "exists") {
      this.walk(checkSteps, 0, rank, -1, null, () => undefined);
      return false;
    }
    let match: Entity | null = null;
    this.evaluation.walk(checkSteps, 0, checkSteps.length, () => {
      match = this.evaluation.slots[source.slot];
      return false;
    });
    this.note(rank, { at: source.place, condition: null, value: null, entity: match });
    return false;
  }

  private failureOf({ left, right, place, text }: PlanCondition, source: PlanSource): Failure {
    const [slot, extractor] = right.is === "source" ? [right.slot, right.extractor] : [source.slot, left];
    return { at: place, condition: text, value: this.valueOf(extractor, slot), entity: this.evaluation.slots[slot] };
  }

  /** Returns the value from which an extractor makes keys. */
  private valueOf(extractor: Extractor, slot: number): string | null {
    return extractor.is === "values" || extractor.is === "references" ? this.evaluation.value({ slot, pointer: extractor.pointer }) : null;
  }

  private noteFilter(predicate: Predicate | null, rank: Rank): void {
    const conjuncts = conjunctsOf(predicate);
    const number = conjuncts.findIndex((conjunct) => !this.evaluation.holds(conjunct));
    const failed = conjuncts[number];
    if (failed === undefined || failed.is === "all") return;
    const reference = failed.is === "test" ? failed.reference : null;
    this.note([...rank, number], {
      at: failed.place, condition: failed.text, value: reference === null ? null : this.evaluation.read(reference),
      entity: reference?.is === "source" ? this.evaluation.slots[reference.path.slot] : null,
    });
  }

  private note(rank: Rank, failure: Failure): void {
    if (this.best === null || isBefore(this.best.rank, rank)) this.best = { rank, failure };
  }
}

/** True if a rank is before another one. */
export function isBefore(left: Rank, right: Rank): boolean {
  for (let index = 0; index < left.length && index < right.length; index += 1) {
    if (left[index] !== right[index]) return left[index] < right[index];
  }
  return left.length < right.length;
}
