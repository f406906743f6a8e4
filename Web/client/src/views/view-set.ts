// The live views of one library: their relations, results and windows. A value: it starts nothing and waits for nothing.
// It reads entities through `ViewEntities` and is given every change of one; it then returns what changed in each window.

import { defaultLimits } from "../model/limits.js";
import type { Binding } from "./binding.js";
import { ReadIndex } from "./dependents.js";
import { Emissions } from "./emissions.js";
import { Entity } from "./entity.js";
import type { Evaluation } from "./evaluation.js";
import type { Aliases } from "./extractor.js";
import type { ViewLimits } from "./limits.js";
import { planOf } from "./planner.js";
import { Relations } from "./relations.js";
import type { ViewEntities } from "./relations.js";
import type { ViewRule } from "./rule.js";
import { ViewShape } from "./shape.js";
import { AskCounts } from "./use.js";
import type { ResultRow, ViewUse } from "./use.js";
import { ViewWindow } from "./window.js";
import type { Refresh } from "./window.js";
import type { PatchOperation } from "./value-difference.js";
import { changedSources } from "./walks.js";
import type { Changed, ChangedSource } from "./walks.js";

/** One entity that changed: its visible resource now, null for none, and whether the cache knows it. */
export interface ViewChange { readonly type: string; readonly id: string; readonly text: string | null; readonly isKnown: boolean; }

/** The change of a window; `patch` is empty if only a number may have changed. */
export interface ViewUpdate { readonly window: ViewWindow; readonly patch: readonly PatchOperation[]; readonly added: readonly ResultRow[]; }

/** The views of one library. */
export class ViewSet {
  private readonly relations: Relations;
  private readonly shapes = new Map<string, ViewShape>();
  /** The rules by the types of their sources. */
  private readonly shapesByType = new Map<string, Set<ViewShape>>();
  private readonly dependents = new ReadIndex();
  private readonly windows = new Set<ViewWindow>();
  private readonly windowsOf = new Map<ViewUse, Set<ViewWindow>>();
  /** The unknown entities for which joins ask, over all views. */
  private readonly unknowns = new AskCounts();
  /** The number of uses of all rules. */
  useCount = 0;

  /** Creates a set without views over the entities of a library. */
  constructor(entities: ViewEntities, aliases: Aliases = new Map(), readonly limits: ViewLimits = defaultLimits) {
    this.relations = new Relations(aliases, entities);
  }

  /** The number of windows. */
  get windowCount(): number { return this.windows.size; }

  /** True if a view has entities of a type. */
  has(type: string): boolean { return this.relations.has(type); }

  /** Returns the entity with a key; null if it is not present, or no view has its type. */
  find(type: string, id: string): Entity | null { return this.relations.find(type, id); }

  /** Returns all present entities of a type. */
  everyone(type: string): readonly Entity[] { return this.relations.everyone(type); }

  // Uses

  /** Returns the use of a rule with parameters, computed if it is new, and holds it; null if there are too many uses. */
  hold(rule: ViewRule, binding: Binding): ViewUse | null {
    let shape = this.shapes.get(rule.canonical);
    const known = shape?.find(binding) ?? null;
    if (known === null && this.useCount >= this.limits.useCountMax) return null;
    if (shape === undefined) {
      const plan = planOf(rule, this.relations);
      for (const relation of plan.relations) this.relations.use(relation, 1);
      this.shapes.set(rule.canonical, shape = new ViewShape(plan, this.relations, (key, by) => { this.unknowns.change(key, by); }));
      for (const type of plan.sourcesByType.keys()) this.shapesByType.set(type, (this.shapesByType.get(type) ?? new Set()).add(shape));
    }
    if (known === null) this.useCount += 1;
    const use = known ?? shape.take(binding, this.isUnknown);
    use.holderCount += 1;
    return use;
  }

  /** Releases a use. With the last holder it ends, and with the last use of a rule what that rule alone needed. */
  release(use: ViewUse): void {
    use.holderCount -= 1;
    if (use.holderCount > 0) return;
    const { canonical } = use.plan.rule;
    const shape = this.shapes.get(canonical);
    if (shape === undefined) return;
    shape.remove(use);
    this.useCount -= 1;
    if (shape.size > 0) return;
    this.shapes.delete(canonical);
    for (const type of shape.plan.sourcesByType.keys()) {
      const shapes = this.shapesByType.get(type);
      shapes?.delete(shape);
      if (shapes?.size === 0) this.shapesByType.delete(type);
    }
    for (const relation of shape.plan.relations) this.relations.use(relation, -1);
  }

  /** Returns the shape of a use. */
  shapeOf(use: ViewUse): ViewShape {
    const shape = this.shapes.get(use.plan.rule.canonical);
    if (shape === undefined) throw new Error("a use without its rule");
    return shape;
  }

  /** Returns an evaluation of the current state with the parameters of a use. */
  evaluation(use: ViewUse): Evaluation { return this.shapeOf(use).evaluation(use, this.isUnknown); }

  // Windows

  /** Opens a window of a use that the caller holds; the window holds it, too. */
  open(use: ViewUse, offset: number | null, limit: number | null): ViewWindow {
    const { body } = use.plan;
    const window = new ViewWindow(use, offset ?? body.offset, limit ?? body.limit);
    this.attach(window);
    this.windows.add(window);
    window.update(new Set(), this.refresh([]));
    return window;
  }

  /** Closes a window. */
  close(window: ViewWindow): void {
    window.close(this.refresh([]));
    this.windows.delete(window);
    this.detach(window);
  }

  /** Moves a window; null stays. */
  move(window: ViewWindow, offset: number | null, limit: number | null): ViewUpdate {
    window.offset = offset ?? window.offset;
    window.limit = limit ?? window.limit;
    return { window, ...window.update(new Set(), this.refresh([])) };
  }

  /** Shows another use in a window. */
  replace(window: ViewWindow, use: ViewUse, offset: number, limit: number | null): ViewUpdate {
    use.holderCount += 1;
    this.detach(window);
    use.holderCount -= 1;
    const patch = window.replace(use, offset, limit, this.refresh([]));
    this.attach(window);
    return { window, ...patch };
  }

  private attach(window: ViewWindow): void {
    const { use } = window;
    use.holderCount += 1;
    this.windowsOf.set(use, (this.windowsOf.get(use) ?? new Set()).add(window));
  }

  private detach(window: ViewWindow): void {
    const windows = this.windowsOf.get(window.use);
    windows?.delete(window);
    if (windows?.size === 0) this.windowsOf.delete(window.use);
    this.release(window.use);
  }

  /** Returns the number of different entities that a window asks for and that the cache does not know. */
  missingCount(window: ViewWindow): number { return window.missingCount(this.shapeOf(window.use).commonAsks); }

  /** Returns the keys of the entities that a window asks for and that the cache does not know. */
  missingKeys(window: ViewWindow): string[] {
    return [...new Set([...this.shapeOf(window.use).commonAsks.keys, ...window.use.asks.keys, ...window.missingKeys])];
  }

  private readonly isUnknown = (type: string, id: string): boolean => this.relations.isUnknown(type, id);

  private refresh(changes: readonly Changed[]): Refresh {
    return { evaluation: (use) => this.evaluation(use), dependents: this.dependents, limits: this.limits, changes };
  }

  // Changes

  /**
   * Applies the changes of one unit, each entity once. Returns the windows that may show something. O(changes) if no view
   * has one of the types; otherwise what changes in results.
   */
  apply(given: readonly ViewChange[]): ViewUpdate[] {
    const pending = given.map((change) => this.begun(change)).filter((change): change is PendingChange => change !== null);
    if (pending.length === 0) return [];
    const concerned = this.concerned(pending);
    const old = new Map<ViewShape, Emissions>();
    if (concerned.size > 0) {
      const wasUnknown = new Map(pending.map(({ change, isUnknownBefore }) => [`${change.type}:${change.id}`, isUnknownBefore]));
      const isUnknown = (type: string, id: string): boolean => wasUnknown.get(`${type}:${id}`) ?? this.isUnknown(type, id);
      for (const [shape, changes] of concerned) old.set(shape, shape.emissions(changes, true, isUnknown));
    }
    const touched: string[] = [];
    const current = pending.map((own) => this.written(own, touched));
    const dirty = new Map<ViewWindow, Set<ResultRow>>();
    const dirtyRows = (window: ViewWindow): Set<ResultRow> => {
      let rows = dirty.get(window);
      if (rows === undefined) dirty.set(window, rows = new Set());
      return rows;
    };
    const changed: ViewUse[] = [];
    if (concerned.size > 0) {
      const after = new Map(pending.map(({ change }, index) => [change, current[index]]));
      for (const [shape, changes] of concerned) {
        const fresh = shape.emissions(changes.map((own) => ({ ...own, change: after.get(own.change) ?? own.change })), false, this.isUnknown);
        for (const [use, rows] of shape.apply(old.get(shape) ?? new Emissions(), fresh)) {
          changed.push(use);
          for (const window of this.windowsOf.get(use) ?? []) {
            const all = dirtyRows(window);
            for (const row of rows) all.add(row);
          }
        }
      }
    }
    for (const read of touched) for (const { window, row } of this.dependents.get(read)) dirtyRows(window).add(row);
    const refresh = this.refresh(current);
    const updates = dirty.size === 0 ? [] : [...dirty].map(([window, rows]) => ({ window, ...window.update(rows, refresh) }));
    for (const use of changed) use.steps = [];
    for (const { entity } of current) entity?.forget();
    return updates;
  }

  /** Returns a change with the versions of its entity before it is written; null if nothing changes for views. */
  private begun({ type, id, text, isKnown }: ViewChange): PendingChange | null {
    if (!this.relations.has(type)) return null;
    const entity = this.relations.find(type, id);
    const key = `${type}:${id}`;
    const isUnknownBefore = entity === null && this.unknowns.has(key);
    const changesAsks = isUnknownBefore === isKnown;
    // An absent entity for which an include asks may have become known or unknown.
    const isSame = entity === null ? text === null && !this.dependents.has(key) : entity.text === text;
    if (!changesAsks && isSame) return null;
    const fresh = text === null ? null : new Entity(-1, type, id, text);
    return { change: { type, id, entity, old: entity, fresh, changesAsks }, isUnknownBefore, text };
  }

  /** Writes a change to the relations. Returns it with the versions as they are afterwards. */
  private written({ change, text }: PendingChange, touched: string[]): Changed {
    const { type, id, old, fresh } = change;
    touched.push(`${type}:${id}`);
    if (old === null && fresh === null) return change;
    const entity = old ?? this.relations.add(type, id, text ?? "");
    const former = fresh === null ? entity : entity.become(fresh);
    const touch = (bucket: string): void => { touched.push(bucket); };
    for (const relation of this.relations.ofType(type)) {
      const before = old !== null && relation.members.has(entity) ? former : null;
      const after = fresh !== null && relation.admits(entity) ? entity : null;
      if (before !== null || after !== null) relation.refile(entity, before, after, touch);
    }
    if (fresh === null) this.relations.remove(entity);
    return { ...change, entity, old: old === null ? null : former, fresh: fresh === null ? null : entity };
  }

  private concerned(pending: readonly PendingChange[]): Map<ViewShape, ChangedSource[]> {
    const concerned = new Map<ViewShape, ChangedSource[]>();
    for (const { change } of pending) {
      for (const shape of this.shapesByType.get(change.type) ?? []) {
        const sources = changedSources(change, shape.plan);
        if (sources.length > 0) concerned.set(shape, [...concerned.get(shape) ?? [], ...sources]);
      }
    }
    return concerned;
  }
}

interface PendingChange { readonly change: Changed; readonly isUnknownBefore: boolean; readonly text: string | null; }
