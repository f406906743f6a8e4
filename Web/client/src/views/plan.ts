// How the rows of a rule are found and kept. docs/decisions/0028-views.md.

import type { Extractor } from "./extractor.js";
import type { JoinIndex, Relation } from "./relation.js";
import type { Groups, Order, Output, Predicate, SourcePath, StepKind, ViewRule } from "./rule.js";
import type { Structure } from "./structure.js";

/** A source of a plan: its relation, and how it is joined. */
export interface PlanSource {
  /** The index of the source among those whose changes can change rows; -1 for another one. */
  readonly number: number;
  readonly slot: number;
  readonly alias: string;
  /** The cache's own name of the type. */
  readonly type: string;
  readonly relation: Relation;
  readonly conditions: readonly PlanCondition[];
  /** The part of the source's `where` that reads other sources, but no parameter. */
  readonly residual: Predicate | null;
  /** The part of the source's `where` that reads parameters. */
  readonly deferred: Predicate | null;
  /** The whole `where`, for explanations. */
  readonly filter: Predicate | null;
  /** The step of the view whose rows the source decides on; the number of steps for a source of an include. */
  readonly step: number;
  /** True for a source that is a part of the view's rows. */
  readonly isRow: boolean;
  readonly place: string;
  /** The condition that leads to an earlier source; null if only parameters do. */
  readonly anchor: PlanCondition | null;
}

/** The right side of a condition: the keys of an earlier source's entity, or those of a parameter's value. */
export type RightSide =
  | { readonly is: "source"; readonly slot: number; readonly extractor: Extractor; readonly source: PlanSource; readonly index: JoinIndex | null; }
  | { readonly is: "parameter"; readonly index: number; readonly extractor: Extractor; };

/** A condition of `on` as a comparison of join keys. */
export interface PlanCondition {
  readonly left: Extractor;
  /** The index of the source's own relation over `left`; null for its identity. */
  readonly leftIndex: JoinIndex | null;
  readonly right: RightSide;
  /** True if the condition asks for the entity to which a value refers, which the cache may not know. */
  readonly asks: boolean;
  readonly place: string;
  readonly text: string;
}

/** One step of a plan; `checkSteps` have to match inside `exists` and `absent`, the source itself first. */
export interface PlanStep {
  readonly kind: StepKind;
  readonly source: PlanSource;
  readonly checkSteps: readonly PlanStep[];
  /** True if the step asks for entities that the cache may not know. */
  readonly asks: boolean;
  /** True if the step asks for an entity to which a parameter refers. */
  readonly asksByParameter: boolean;
  /** True if a parameter decides on the step. */
  readonly hasParameter: boolean;
}

/** An include of a plan. */
export interface PlanInclude {
  readonly name: string;
  readonly body: PlanBody;
  readonly isOne: boolean;
  /** The groups, if a changed match can be added to them and taken away: there are no joins, and nothing is asked for. */
  readonly steadyGroups: Groups | null;
}

/** The steps of a view or an include, and what is made of their rows. */
export interface PlanBody {
  readonly steps: readonly PlanStep[];
  /** The part of `where` that reads no parameter. */
  readonly filter: Predicate | null;
  /** The part of `where` that reads parameters. */
  readonly deferred: Predicate | null;
  readonly output: Output;
  readonly includes: readonly PlanInclude[];
  readonly order: readonly Order[];
  readonly offset: number;
  readonly limit: number | null;
  /** The slots of the sources of which a row consists. */
  readonly rowSlots: readonly number[];
}

/** The condition by which a row finds the uses that show it: uses with different parameters then share one walk. */
export interface Route {
  /** A value of the row, or the left side of a condition with a parameter of a joined source or of an `exists`. */
  readonly origin:
  | { readonly is: "value"; readonly path: SourcePath; } | { readonly is: "condition" | "check"; readonly source: PlanSource; readonly left: Extractor; };
  readonly parameter: number;
  /** Makes the keys of the parameter's value. */
  readonly extractor: Extractor;
  /** The source whose index has the rows' entities by these keys; the index is null if their ids are the keys. */
  readonly source: PlanSource;
  readonly index: JoinIndex | null;
  /** The step after which the keys are known. */
  readonly step: number;
}

/** A compiled rule. */
export interface ViewPlan {
  readonly rule: ViewRule;
  readonly body: PlanBody;
  /** The sources whose changes can change rows. */
  readonly sources: readonly PlanSource[];
  /** These sources by type. */
  readonly sourcesByType: ReadonlyMap<string, readonly PlanSource[]>;
  /** For each of these sources, the values of its resource that can change rows. */
  readonly structure: readonly Structure[];
  /** How uses with different parameters are told apart; null if each use walks for itself. */
  readonly route: Route | null;
  /** The relations, each as often as it is used. */
  readonly relations: readonly Relation[];
  /** The types of all sources. */
  readonly types: ReadonlySet<string>;
  /** The includes that `where` or `order` of the view read. */
  readonly structuralIncludes: ReadonlySet<number>;
  /** True if a step asks for entities that the cache may not know. */
  readonly asks: boolean;
}

/** Returns the groups of a body; null if its rows are not groups. */
export function groupsOf(body: { readonly output: Output; }): Groups | null { return body.output.is === "groups" ? body.output.groups : null; }

/** True if a parameter decides on a step before another one. */
export function isDeferred(plan: ViewPlan, step: number): boolean { return plan.body.steps.slice(0, step).some(({ hasParameter }) => hasParameter); }

