import { compareBytes } from "../json/utf8.js";
import { rowName } from "./contribution.js";
import type { Entity } from "./entity.js";
import { FailureSearch, isBefore } from "./failure-search.js";
import type { Failure } from "./failure-search.js";
import { groupsOf } from "./plan.js";
import type { PlanStep } from "./plan.js";
import { contributionOf } from "./render.js";
import type { ResultRow } from "./use.js";
import type { ViewSet } from "./view-set.js";
import { walkFrom } from "./walks.js";
import type { ViewWindow } from "./window.js";

/** Maximum number of entities that are named behind a group. */
const ENTITY_COUNT_MAX = 1_000;

/** One line of the plan of a view. */
export interface PlanLine {
  /** `from`, `inner`, `left`, `exists`, `absent`, `where`, `group`, `order` or `include`. */
  readonly op: string;
  /** The alias of the source, or the name of the include. */
  readonly source?: string;
  /** The value by which matches are found in the source. */
  readonly index?: string;
  /** The entities of the source, or the rows that there are. */
  readonly rows: number;
  /** An estimate of the bytes that the line holds. */
  readonly bytes: number;
}

/** Returns how the rows of a window are found and kept, with counts. */
export function planLines({ use }: ViewWindow): PlanLine[] {
  const { body, rule } = use.plan;
  const lines = body.steps.map((step) => lineOf(step));
  const rows = use.rows.size;
  if (rule.body.filter !== null) lines.push({ op: "where", rows, bytes: 0 });
  if (use.groups !== null) lines.push({ op: "group", rows: use.groups.size, bytes: use.groups.size * 400 });
  lines.push({ op: "order", rows, bytes: rows * 200 });
  for (const include of body.includes) lines.push({ ...lineOf(include.body.steps[0]), op: "include", source: include.name });
  return lines;
}

function lineOf({ kind, source }: PlanStep): PlanLine {
  const { relation, conditions: [condition] } = source;
  const keyCount = relation.indexes.reduce((sum, { size }) => sum + size, 0);
  const index = condition === undefined ? {} : { index: condition.left.is === "identity" ? "@key" : condition.text };
  return { op: kind, source: source.alias, ...index, rows: relation.members.size, bytes: relation.members.size * 40 + keyCount * 100 };
}

/** Returns the shown rows that an entity is in, as a source or inside an include, or why it is in none. */
export function explainEntity(set: ViewSet, window: ViewWindow, entity: Entity): { rows: ResultRow[]; } | { failure: Failure; } {
  const inside = window.order.filter((row) => window.entitiesOf(row).has(entity));
  if (inside.length > 0) return { rows: inside };
  const { use } = window;
  const shown = new Set(window.order);
  const rows = new Set<ResultRow>();
  let best: FailureSearch["best"] = null;
  let outside: Failure | null = null;
  for (const source of use.plan.sources) {
    if (!source.isRow || source.type !== entity.type) continue;
    const search = new FailureSearch(set.evaluation(use), (type) => set.everyone(type));
    search.search(source, entity);
    for (const slots of search.rows) {
      const row = use.find(nameOf(set, window, slots));
      if (row !== null && shown.has(row)) rows.add(row);
      else outside ??= { at: row === null ? "/having" : "/limit", condition: null, value: null, entity: null };
    }
    if (search.best !== null && (best === null || isBefore(best.rank, search.best.rank))) best = search.best;
  }
  if (rows.size > 0) return { rows: [...rows] };
  return { failure: outside ?? best?.failure ?? { at: "/from", condition: null, value: null, entity } };
}

/** Returns the name of the row of the result to which a complete row belongs. */
function nameOf(set: ViewSet, { use }: ViewWindow, slots: readonly (Entity | null)[]): string {
  const groups = groupsOf(use.plan.body);
  if (groups === null) return rowName(use.plan.body.rowSlots.map((slot) => slots[slot]));
  const evaluation = set.evaluation(use);
  slots.forEach((entity, slot) => { evaluation.slots[slot] = entity; });
  return contributionOf(evaluation, groups).key;
}

/** Returns the entities behind a row: its sources, those of its includes, those that its group counts; by key. */
export function entitiesBehind(set: ViewSet, window: ViewWindow, row: ResultRow): Entity[] {
  const { use } = window;
  const found = new Set(window.entitiesOf(row));
  const groups = groupsOf(use.plan.body);
  if (groups !== null) {
    const evaluation = set.evaluation(use);
    const { steps: [first], filter, deferred, rowSlots } = use.plan.body;
    for (const entity of first.source.relation.members) {
      if (found.size >= ENTITY_COUNT_MAX) break;
      walkFrom(evaluation, first.source, entity, () => {
        if (!evaluation.holds(filter) || !evaluation.holds(deferred) || contributionOf(evaluation, groups).key !== row.name) return;
        for (const slot of rowSlots) {
          const own = evaluation.slots[slot];
          if (own !== null) found.add(own);
        }
      });
    }
  }
  return [...found].sort((left, right) => compareBytes(left.key, right.key));
}
