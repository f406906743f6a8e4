import type { Binding } from "./binding.js";
import { emitRow } from "./emit.js";
import { Emissions } from "./emissions.js";
import type { Entity } from "./entity.js";
import { Evaluation } from "./evaluation.js";
import type { Unknown } from "./evaluation.js";
import { keysOfValue } from "./extractor.js";
import type { ViewPlan } from "./plan.js";
import type { Relations } from "./relations.js";
import { exactCode } from "../queries/value.js";
import { SharedUses } from "./shared-uses.js";
import { AskCounts, ViewUse } from "./use.js";
import type { ResultRow } from "./use.js";
import { walkBeginnings, walkChange, walkFrom } from "./walks.js";
import type { ChangedSource } from "./walks.js";

/** Counts the questions for an unknown entity among all views of a library. */
export type NoteAsk = (key: string, by: number) => void;

/** One rule with all of its uses. */
export class ViewShape {
  /** The uses by the key of their parameters. */
  private readonly uses = new Map<string, ViewUse>();
  /** The uses that one walk serves; null if each use walks for itself. */
  private readonly sharing: SharedUses | null;
  /** The questions for unknown entities that are the same for every use. */
  readonly commonAsks = new AskCounts();

  /** Creates a shape without uses. */
  constructor(readonly plan: ViewPlan, private readonly relations: Relations, private readonly noteAsk: NoteAsk) {
    this.sharing = plan.route === null ? null : new SharedUses();
  }

  /** The number of uses. */
  get size(): number { return this.uses.size; }

  /** Returns the use with parameters; null if there is none. */
  find(binding: Binding): ViewUse | null { return this.uses.get(binding.key) ?? null; }

  /** Returns the use with parameters, which is computed if it is new. O(rows of the result), if an index leads to them. */
  take(binding: Binding, isUnknown: Unknown): ViewUse {
    const known = this.find(binding);
    if (known !== null) return known;
    const isFirst = this.uses.size === 0;
    const { route } = this.plan;
    // Unlike a condition of `on`, `eq` holds for null, too.
    const keys = route === null ? [] : route.origin.is === "value" ? [exactCode(binding.values[route.parameter])]
      : keysOfValue(route.extractor, binding.values[route.parameter], this.relations.aliases);
    const use = new ViewUse(this.plan, binding, keys);
    this.uses.set(binding.key, use);
    this.sharing?.add(use);
    this.fill(use, isFirst, isUnknown);
    return use;
  }

  /** Removes a use, with its questions. */
  remove(use: ViewUse): void {
    this.uses.delete(use.binding.key);
    this.sharing?.remove(use);
    for (const [key, count] of use.asks.entries) this.noteAsk(key, -count);
    if (this.uses.size === 0) for (const [key, count] of this.commonAsks.entries) this.noteAsk(key, -count);
  }

  /** Returns an evaluation with the parameters of a use. */
  evaluation(use: ViewUse, isUnknown: Unknown): Evaluation { return new Evaluation(this.relations, this.plan, use.binding, null, use, isUnknown); }

  // Filling

  private fill(use: ViewUse, isFirst: boolean, isUnknown: Unknown): void {
    const emissions = new Emissions();
    const { plan } = this;
    const evaluation = this.evaluation(use, isUnknown);
    evaluation.asking = plan.asks ? emissions : null;
    const emit = (): void => emitRow(evaluation, emissions);
    const entries = this.entries(use, evaluation);
    if (entries === null) {
      const [first] = plan.body.steps;
      for (const entity of first.source.relation.members) {
        walkFrom(evaluation, first.source, entity, emit);
        entity.forget();
      }
    } else {
      for (const entity of entries.entities) {
        (entries.isRow ? walkFrom : walkBeginnings)(evaluation, entries.source, entity, emit);
        entity.forget();
      }
    }
    use.apply(undefined, emissions.rows.get(use));
    use.steps = [];
    const isShared = this.sharing !== null;
    const asks = emissions.asks.get(use);
    if (asks !== undefined && isShared) for (const name of asks.keys()) if (!this.isDeferredAsk(name)) asks.delete(name);
    use.asks.apply(undefined, asks, this.noteAsk);
    if (isFirst && isShared && plan.asks) this.fillCommon(isUnknown);
  }

  /** Collects the questions that are the same for every use. */
  private fillCommon(isUnknown: Unknown): void {
    const emissions = new Emissions();
    // Without uses every row is dropped, and every question that depends on parameters.
    const evaluation = new Evaluation(this.relations, this.plan, null, new SharedUses(), null, isUnknown);
    evaluation.asking = emissions;
    const [first] = this.plan.body.steps;
    for (const entity of first.source.relation.members) walkFrom(evaluation, first.source, entity, () => undefined);
    this.commonAsks.apply(undefined, emissions.asks.get(null), this.noteAsk);
  }

  private isDeferredAsk(name: string): boolean {
    const slot = Number(name.slice(0, name.indexOf(" ")));
    const step = this.plan.sources.find((source) => source.slot === slot)?.step ?? 0;
    return this.plan.body.steps.slice(0, step).some(({ hasParameter }) => hasParameter);
  }

  /** Returns the entities from which an index leads to the rows of a use; null if all first entities have to be examined. */
  private entries(use: ViewUse, evaluation: Evaluation): { source: ViewPlan["sources"][number]; isRow: boolean; entities: Entity[]; } | null {
    const { plan: { route, asks, body } } = this;
    if (route === null) return null;
    // A step before the route that depends on parameters asks for entities that only a whole walk reaches.
    if (asks && body.steps.slice(0, route.step).some(({ hasParameter }) => hasParameter)) return null;
    // An index of join keys has no entry for null.
    if (route.origin.is === "value" && use.binding.values[route.parameter] === "null") return null;
    const { source, index } = route;
    return { source, isRow: source.isRow, entities: use.routeKeys.flatMap((key) => [...evaluation.entities(source, index, key)]) };
  }

  // Changes

  /** Collects what a state adds to the results, for the rows that changes concern. */
  emissions(changes: readonly ChangedSource[], isOld: boolean, isUnknown: Unknown): Emissions {
    const emissions = new Emissions();
    const changed = new Set<Entity>();
    for (const { change } of changes) if (change.entity !== null) changed.add(change.entity);
    const collect = (evaluation: Evaluation): void => {
      evaluation.changed = changed;
      evaluation.asking = this.plan.asks ? emissions : null;
      for (const change of changes) walkChange(evaluation, change, isOld, () => emitRow(evaluation, emissions));
    };
    if (this.sharing !== null) collect(new Evaluation(this.relations, this.plan, null, this.sharing, null, isUnknown));
    else for (const use of this.uses.values()) collect(this.evaluation(use, isUnknown));
    return emissions;
  }

  /** Applies the difference of two states to the uses. Returns the changed uses, each with the groups that may look different. */
  apply(old: Emissions, fresh: Emissions): Map<ViewUse, ResultRow[]> {
    const changed = new Map<ViewUse, ResultRow[]>();
    const concerned = new Set([...old.rows.keys(), ...fresh.rows.keys(), ...old.asks.keys(), ...fresh.asks.keys()]);
    concerned.delete(null);
    for (const use of concerned) {
      if (use === null) continue;
      const before = use.rows.size;
      const touched = use.apply(old.rows.get(use), fresh.rows.get(use));
      const differs = use.asks.apply(old.asks.get(use), fresh.asks.get(use), this.noteAsk);
      if (touched.length > 0 || differs || use.steps === null || use.steps.length > 0 || before !== use.rows.size) changed.set(use, touched);
    }
    if (this.commonAsks.apply(old.asks.get(null), fresh.asks.get(null), this.noteAsk)) {
      for (const use of this.uses.values()) if (!changed.has(use)) changed.set(use, []);
    }
    return changed;
  }
}
