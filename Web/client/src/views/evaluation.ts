// Evaluates the steps of a plan over the relations, for one state of the entities.

import type { Binding } from "./binding.js";
import { rowName } from "./contribution.js";
import type { Emissions } from "./emissions.js";
import type { Entity } from "./entity.js";
import { keysOf, keysOfValue } from "./extractor.js";
import type { Extractor } from "./extractor.js";
import { isDeferred } from "./plan.js";
import type { PlanCondition, PlanSource, PlanStep, Route, ViewPlan } from "./plan.js";
import { holds } from "./predicate.js";
import type { Values } from "./predicate.js";
import type { ReadLog } from "./read-log.js";
import { bucketName } from "./relation.js";
import type { JoinIndex } from "./relation.js";
import type { Relations } from "./relations.js";
import type { Predicate, SourcePath } from "./rule.js";
import type { SharedUses } from "./shared-uses.js";
import type { ViewUse } from "./use.js";
import { exactCode } from "../queries/value.js";

/** Tells whether an entity is unknown in the state that an evaluation shows. */
export type Unknown = (type: string, id: string) => boolean;

/**
 * One evaluation. The slots are the entities that are bound at the moment, one for each visible source. A walk binds one
 * source after the other and calls its body for each way to do so.
 */
export class Evaluation {
  /** The bound entities. */
  readonly slots: (Entity | null)[];
  /** What is read for one row; null outside of rendering. */
  log: ReadLog | null = null;
  /** Receives the questions for unknown entities; null while they are not collected. */
  asking: Emissions | null = null;
  /** The entities that the change concerns, in this state; null outside of changes. */
  changed: ReadonlySet<Entity> | null = null;
  /** The keys of the only uses that the examined change concerns; null for all. */
  restriction: ReadonlySet<string> | null = null;
  /** The aggregates of includes of the bound row, by index. */
  includeValues: readonly (string | undefined)[] = [];
  private leavesOutChanged = false;
  /** The keys by which the current row finds its uses, if an `exists` tells them apart. */
  private checkKeys: readonly string[] = [];

  /**
   * Creates an evaluation. `binding`: the parameters, or null for a walk that serves all uses in `sharing`; conditions
   * with parameters then count as fulfilled. `use`: the use of the parameters.
   */
  constructor(
    readonly relations: Relations, readonly plan: ViewPlan, public binding: Binding | null, readonly sharing: SharedUses | null,
    readonly use: ViewUse | null, private readonly isUnknown: Unknown,
  ) {
    this.slots = new Array<Entity | null>(Math.max(plan.rule.slotCount, 1)).fill(null);
  }

  // Values

  /** Returns the value of a reference to a source or to an include, given the bound entities. */
  readonly read: Values = (reference) => {
    if (reference.is === "source") return this.value(reference.path);
    const include = reference.is === "include" ? this.includeValues[reference.index] : undefined;
    return include === undefined || reference.is !== "include" ? null : reference.pointer.value(include);
  };

  /** Returns a value of a bound entity; null if there is none. */
  value({ slot, pointer }: SourcePath): string | null { return this.slots[slot]?.value(pointer) ?? null; }

  /** True if a condition holds for the bound entities. */
  holds(predicate: Predicate | null): boolean { return predicate === null || holds(predicate, this.binding, this.read); }

  /** Returns the join keys of the entity at a slot; none without one. */
  keys(extractor: Extractor, slot: number): readonly string[] {
    const entity = this.slots[slot];
    return entity === null ? [] : keysOf(extractor, entity, this.relations.aliases);
  }

  /** Returns the keys of the right side of a condition; null if they are those of a parameter that is not bound. */
  rightKeys({ right }: PlanCondition): readonly string[] | null {
    if (right.is === "source") return this.keys(right.extractor, right.slot);
    return this.binding === null ? null : keysOfValue(right.extractor, this.binding.values[right.index], this.relations.aliases);
  }

  // Joins

  /** Returns the entities of a source that fulfil its conditions. O(entities of the smallest bucket). */
  matches(source: PlanSource): Entity[] {
    let best: { condition: PlanCondition; keys: readonly string[]; count: number; } | null = null;
    for (const condition of source.conditions) {
      const keys = this.rightKeys(condition);
      if (keys === null) continue;
      const { leftIndex } = condition;
      const count = leftIndex === null ? keys.length : keys.reduce((sum, key) => sum + leftIndex.entities(key).size, 0);
      if (best === null || count < best.count) best = { condition, keys, count };
    }
    if (best === null) return [...source.relation.members].filter((entity) => this.accepts(source, entity, null));
    const { condition, keys } = best;
    const found: Entity[] = [];
    for (const key of keys) {
      for (const entity of this.entities(source, condition.leftIndex, key)) {
        if ((keys.length === 1 || !found.includes(entity)) && this.accepts(source, entity, condition)) found.push(entity);
      }
    }
    return found;
  }

  /** Returns the entities of a source's relation with a key; `index` is null for the id as the key. */
  entities(source: PlanSource, index: JoinIndex | null, key: string): Iterable<Entity> {
    if (index !== null) {
      if (this.log !== null) {
        index.isRead = true;
        this.log.reads.add(bucketName(index, key));
      }
      return index.entities(key);
    }
    this.log?.reads.add(`${source.type}:${key}`);
    const entity = this.relations.find(source.type, key);
    return entity !== null && source.relation.members.has(entity) ? [entity] : [];
  }

  /** True if an entity fulfils the conditions of a source, of which one is known to hold. */
  private accepts(source: PlanSource, entity: Entity, known: PlanCondition | null): boolean {
    const former = this.slots[source.slot];
    this.slots[source.slot] = entity;
    const isAccepted = this.acceptsBound(source, known);
    this.slots[source.slot] = former;
    return isAccepted;
  }

  /** True if the entity at the slot of a source fulfils the source's conditions. */
  acceptsBound(source: PlanSource, known: PlanCondition | null = null): boolean {
    for (const condition of source.conditions) if (condition !== known && !this.isFulfilled(condition, source)) return false;
    return this.holds(source.residual) && (this.binding === null || this.holds(source.deferred));
  }

  /** True if the bound entities fulfil a condition, or if its parameter is not bound. */
  isFulfilled(condition: PlanCondition, source: PlanSource): boolean {
    const right = this.rightKeys(condition);
    if (right === null) return true;
    return right.length > 0 && this.keys(condition.left, source.slot).some((key) => right.includes(key));
  }

  // Walks

  /**
   * Binds the sources of steps, from one to before another, in every way that fulfils their conditions. A source of a row
   * that is bound before keeps its entity, which is checked. `body` returns false to end the walk, which then does, too.
   */
  walk(steps: readonly PlanStep[], first: number, end: number, body: () => boolean): boolean {
    if (first >= end) return body();
    const step = steps[first];
    const { slot } = step.source;
    if (step.kind === "exists" || step.kind === "absent") {
      return this.check(step) !== (step.kind === "exists") || this.walk(steps, first + 1, end, body);
    }
    if (this.asking !== null || this.log !== null) this.ask(step.source);
    if (this.slots[slot] !== null) return !this.acceptsBound(step.source) || this.walk(steps, first + 1, end, body);
    let found = step.kind === "from"
      ? [...step.source.relation.members].filter((entity) => this.accepts(step.source, entity, null)) : this.matches(step.source);
    if (this.leavesOutChanged) found = found.filter((entity) => this.changed?.has(entity) !== true);
    if (found.length === 0 && step.kind === "left") return this.walk(steps, first + 1, end, body);
    let goesOn = true;
    for (const entity of found) {
      this.slots[slot] = entity;
      goesOn = this.walk(steps, first + 1, end, body);
      if (!goesOn) break;
    }
    this.slots[slot] = null;
    return goesOn;
  }

  /** True if an `exists` or `absent` has a match, given the bound entities. */
  check(step: PlanStep): boolean {
    const { checkSteps } = step;
    const { route } = this.plan;
    if (this.binding === null && route?.origin.is === "check" && route.origin.source === step.source) return this.collectKeys(step, route.origin.left);
    // Every question counts, also one behind the first match.
    const seesAll = (this.asking !== null || this.log !== null) && step.asks;
    let isFound = false;
    this.walk(checkSteps, 0, checkSteps.length, () => {
      isFound = true;
      return seesAll;
    });
    return isFound;
  }

  /**
   * True if an `exists` or `absent` has a match that the change does not touch: then no row depends on the change. False
   * also where leaving entities out could add matches: with a left join, or a check inside.
   */
  hasUnchangedMatch(step: PlanStep): boolean {
    if (this.changed === null || this.binding === null || step.asks || step.checkSteps.some(({ kind }) => kind !== "inner")) return false;
    this.leavesOutChanged = true;
    const isFound = !this.walk(step.checkSteps, 0, step.checkSteps.length, () => false);
    this.leavesOutChanged = false;
    return isFound;
  }

  /** Collects the keys of all matches, by which the uses are found for which the check holds. */
  private collectKeys(step: PlanStep, left: Extractor): boolean {
    const keys = new Set<string>();
    this.walk(step.checkSteps, 0, step.checkSteps.length, () => {
      for (const key of this.keys(left, step.source.slot)) keys.add(key);
      return true;
    });
    this.checkKeys = [...keys];
    return keys.size > 0;
  }

  // Questions

  /** Notes the entities that a source asks for by `@key` and that the cache does not know. */
  ask(source: PlanSource): void {
    for (const condition of source.conditions) {
      if (!condition.asks) continue;
      for (const id of this.rightKeys(condition) ?? []) {
        const key = `${source.type}:${id}`;
        this.log?.reads.add(key);
        if (!this.isUnknown(source.type, id)) continue;
        if (this.log !== null) this.log.missing.add(key);
        else this.noteAsk(key, source);
      }
    }
  }

  private noteAsk(key: string, source: PlanSource): void {
    const name = `${source.slot} ${rowName(this.slots)} ${key}`;
    if (this.sharing === null) this.asking?.ask(this.use, name, key);
    else if (!isDeferred(this.plan, source.step)) this.asking?.ask(null, name, key);
    else for (const use of this.uses(source.step)) this.asking?.ask(use, name, key);
  }

  // Sharing

  /** Returns the uses whose parameters let the bound entities of the steps before another one through. */
  uses(step: number): ViewUse[] {
    const { sharing, plan: { route, body } } = this;
    if (sharing === null) return [];
    let found: Iterable<ViewUse> = sharing.all;
    if (route !== null && (route.step < step || step === body.steps.length)) {
      const keys = this.routeKeys(route).filter((key) => this.restriction?.has(key) !== false);
      found = keys.length === 1 ? sharing.uses(keys[0]) : new Set(keys.flatMap((key) => [...sharing.uses(key)]));
    }
    const passed: ViewUse[] = [];
    for (const use of found) {
      this.binding = use.binding;
      if (this.passesParameters(step)) passed.push(use);
    }
    this.binding = null;
    return passed;
  }

  private routeKeys({ origin }: Route): readonly string[] {
    switch (origin.is) {
      case "value": {
        const value = this.value(origin.path);
        return value === null ? [] : [exactCode(value)];
      }
      case "condition": return this.keys(origin.left, origin.source.slot);
      case "check": return this.checkKeys;
    }
  }

  /**
   * True if the conditions with parameters hold for the bound entities of the steps before another one. An `exists` that
   * tells uses apart is not examined: the uses were found by its matches.
   */
  private passesParameters(end: number): boolean {
    for (let index = 0; index < end; index += 1) {
      const { kind, hasParameter, source } = this.plan.body.steps[index];
      if (!hasParameter || kind === "exists" || kind === "absent") continue;
      for (const condition of source.conditions) {
        if (condition.right.is === "parameter" && !this.isFulfilled(condition, source)) return false;
      }
      if (!this.holds(source.deferred)) return false;
    }
    return true;
  }
}
