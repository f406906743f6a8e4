// The part of a result that one observer sees.

import { quoted } from "../json/text.js";
import type { ListStep } from "../queries/difference.js";
import type { Entity } from "./entity.js";
import type { Evaluation } from "./evaluation.js";
import { GroupSet, groupText } from "./groups.js";
import type { ViewLimits } from "./limits.js";
import { groupsOf } from "./plan.js";
import { ReadLog } from "./read-log.js";
import { groupContent, renderRow, steadyContribution } from "./render.js";
import { RenderedRow } from "./rendered.js";
import type { RenderedElement, RenderedInclude } from "./rendered.js";
import { appendListDifference, appendRowDifference, operationOf } from "./row-difference.js";
import { AskCounts } from "./use.js";
import { windowSteps } from "./window-steps.js";
import type { ResultRow, RowStep, ViewUse } from "./use.js";
import type { PatchOperation } from "./value-difference.js";
import type { Changed } from "./walks.js";

/** Above this number of changes, rows are rendered as a whole. */
const CHANGE_COUNT_MAX = 64;
const NONE: ReadonlySet<string> = new Set();

/** A row of a window, with what its rendering read. */
export interface Shown {
  readonly window: ViewWindow;
  readonly row: ResultRow;
  rendered: RenderedRow;
  readonly reads: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly entities: Set<Entity>;
  /** The groups of includes, by index, where a changed match can be added to them. */
  readonly groups: ReadonlyMap<number, GroupSet>;
}

/** Notes which shown rows read what. */
export interface Dependents { add(shown: Shown): void; remove(shown: Shown): void; }

/** What a refresh of a window needs. */
export interface Refresh {
  /** Returns an evaluation of the current state with the parameters of a use. */
  readonly evaluation: (use: ViewUse) => Evaluation;
  readonly dependents: Dependents;
  readonly limits: ViewLimits;
  /** The changes that are being applied, before which the window was up to date; empty if there are none. */
  readonly changes: readonly Changed[];
}

/** The key of a row for readers: the keys of its entities, or the values of its group, as JSON. */
export function keyText({ entities, group }: ResultRow, groupCount: number): string {
  if (entities !== null) return `[${entities.map((entity) => entity === null ? "null" : quoted(entity.key)).join(",")}]`;
  return `[${(group?.row ?? []).slice(0, groupCount).map((value) => value ?? "null").join(",")}]`;
}

/** A window of a use. */
export class ViewWindow {
  /** The rows in order, at most `rowCountMax`. */
  order: ResultRow[] = [];
  private readonly shown = new Map<ResultRow, Shown>();
  private readonly missing = new AskCounts();
  /** True if the result has more rows than are allowed. It then shows none. */
  isTooLarge = false;

  /** Creates a window that shows nothing yet. */
  constructor(public use: ViewUse, public offset: number, public limit: number | null) { }

  /** The keys of entities that includes of shown rows ask for and that the cache does not know. */
  get missingKeys(): Iterable<string> { return this.missing.keys; }

  /** The number of different entities that joins and includes ask for and that the cache does not know. */
  missingCount(common: AskCounts): number {
    let count = common.size;
    for (const key of this.use.asks.keys) if (!common.has(key)) count += 1;
    for (const key of this.missing.keys) if (!common.has(key) && !this.use.asks.has(key)) count += 1;
    return count;
  }

  /** Returns a shown row; null if the window does not show it. */
  rendered(row: ResultRow): RenderedRow | null { return this.shown.get(row)?.rendered ?? null; }

  /** Returns the entities of a shown row and of its includes. */
  entitiesOf(row: ResultRow): ReadonlySet<Entity> { return this.shown.get(row)?.entities ?? new Set(); }

  /** True if an entity is behind a shown row, which is not a group. */
  isBehind(entity: Entity): boolean {
    for (const { entities } of this.shown.values()) if (entities.has(entity)) return true;
    return false;
  }

  /** Returns the rows with keys that stay the same whatever happens meanwhile. */
  get elements(): RenderedElement[] {
    const groupCount = groupsOf(this.use.plan.body)?.keys?.length ?? 0;
    return this.order.map((row) => ({ key: keyText(row, groupCount), row: this.rendered(row) ?? new RenderedRow("{}", []) }));
  }

  /** Shows nothing any more. */
  close({ dependents }: Pick<Refresh, "dependents">): void { for (const row of this.order) this.hide(row, dependents); }

  /** Replaces the use; returns the operations that lead from the rows of the former one to those of the new one. */
  replace(use: ViewUse, offset: number, limit: number | null, refresh: Refresh): { patch: PatchOperation[]; added: ResultRow[]; } {
    const former = this.elements;
    const known = new Set(former.map(({ key }) => key));
    this.close(refresh);
    this.order = [];
    Object.assign(this, { use, offset, limit });
    this.update(NONE_DIRTY, refresh);
    const patch: PatchOperation[] = [];
    const current = this.elements;
    appendListDifference(former, current, "", patch);
    return { patch, added: this.order.filter((_, index) => !known.has(current[index].key)) };
  }

  /**
   * Brings the window up to date; `dirty` are rows that may look different although they stay. Returns the operations and
   * the added rows. O(dirty · log n) if no row entered, left or moved, otherwise O(window), and the rendering of rows that
   * enter or may look different.
   */
  update(dirty: ReadonlySet<ResultRow>, refresh: Refresh): { patch: PatchOperation[]; added: ResultRow[]; } {
    const patch: PatchOperation[] = [];
    const added: ResultRow[] = [];
    const steps = (refresh.changes.length > 0 ? this.known(this.use.steps, refresh) : null) ?? this.compared(refresh);
    for (const step of steps) {
      if (step.op === "add") added.push(step.node);
      patch.push(operationOf(step, "", (row) => this.show(row, refresh).text));
    }
    const entered = new Set(added);
    const stays: { index: number; row: ResultRow; }[] = [];
    for (const row of dirty) {
      if (this.shown.has(row) && !entered.has(row)) stays.push({ index: this.use.rows.index(row) - this.offset, row });
    }
    stays.sort((left, right) => left.index - right.index);
    for (const { index, row } of stays) {
      const former = this.rendered(row);
      if (former === null) continue;
      const rendered = this.regrouped(row, refresh) ?? this.renderAgain(row, refresh);
      if (former.text === rendered.text) continue;
      appendRowDifference(former, rendered, `/${index}`, patch);
    }
    return { patch, added };
  }

  /** Returns the steps of the window, if those of the result tell them; null if both have to be compared. */
  private known(steps: readonly RowStep[] | null, { limits, dependents }: Refresh): ListStep<ResultRow>[] | null {
    if (steps === null || this.isTooLarge) return null;
    const [step] = steps;
    if (step === undefined) return [];
    const { row, from, to } = step;
    const { size } = this.use.rows;
    const sizeBefore = size + (from === null ? 0 : 1) - (to === null ? 0 : 1);
    if (this.offset > 0 || this.order.length !== sizeBefore || size > Math.min(this.limit ?? Infinity, limits.rowCountMax)) return null;
    if (from !== null) this.order.splice(from, 1);
    if (to !== null) this.order.splice(to, 0, row);
    if (from !== null && to !== null) return from === to ? [] : [{ op: "move", node: row, from, at: to }];
    if (to !== null) return [{ op: "add", node: row, at: to }];
    this.hide(row, dependents);
    return from === null ? [] : [{ op: "remove", node: row, at: from }];
  }

  /** Returns the steps of the window, by comparing its rows with those of the result. */
  private compared({ limits, dependents }: Refresh): ListStep<ResultRow>[] {
    const { rows } = this.use;
    const count = Math.min(Math.max(rows.size - this.offset, 0), this.limit ?? Infinity);
    this.isTooLarge = count > limits.rowCountMax;
    const order = this.isTooLarge ? [] : rows.slice(this.offset, count);
    const before = this.order;
    this.order = order;
    const steps = windowSteps(before, order);
    for (const step of steps) if (step.op === "remove") this.hide(step.node, dependents);
    return steps;
  }

  private renderAgain(row: ResultRow, refresh: Refresh): RenderedRow {
    this.hide(row, refresh.dependents);
    return this.show(row, refresh);
  }

  /**
   * Adds changed matches to the groups of a row's includes. Returns null if the row has to be rendered as a whole: one of
   * its own entities changed, or an include has more than groups without joins. O(changes · includes).
   */
  private regrouped(row: ResultRow, { changes, evaluation }: Refresh): RenderedRow | null {
    const { plan } = this.use;
    const { includes, rowSlots } = plan.body;
    const shown = this.shown.get(row);
    if (changes.length === 0 || changes.length > CHANGE_COUNT_MAX || includes.length === 0 || row.entities === null || shown === undefined) return null;
    const types = new Set(includes.map(({ body }) => body.steps[0].source.type));
    if (types.size < includes.length || includes.some(({ steadyGroups }) => steadyGroups === null)) return null;
    const { entities } = row;
    if (changes.some(({ entity }) => entity !== null && entities.includes(entity))) return null;
    const own = evaluation(this.use);
    rowSlots.forEach((slot, index) => { own.slots[slot] = entities[index]; });
    const contents = includes.map(({ name, body, steadyGroups }, index): RenderedInclude => {
      const set = shown.groups.get(index);
      if (set === undefined || steadyGroups === null) return shown.rendered.includes[index];
      for (const { type, entity, old, fresh } of changes) {
        if (type !== body.steps[0].source.type) continue;
        const before = steadyContribution(own, body, steadyGroups, old);
        const after = steadyContribution(own, body, steadyGroups, fresh);
        if (before !== null) set.change(before, true);
        if (after !== null) set.change(after, false);
        if (entity === null) continue;
        if (after === null) shown.entities.delete(entity);
        else shown.entities.add(entity);
      }
      return { name, content: groupContent(set, body, steadyGroups, own) };
    });
    return shown.rendered = new RenderedRow(shown.rendered.own, contents);
  }

  private hide(row: ResultRow, dependents: Dependents): void {
    const shown = this.shown.get(row);
    if (shown === undefined) return;
    this.shown.delete(row);
    dependents.remove(shown);
    for (const key of shown.missing) this.missing.change(key, -1);
  }

  private show(row: ResultRow, refresh: Refresh): RenderedRow {
    const shown = this.render(row, refresh);
    for (const key of shown.missing) this.missing.change(key, 1);
    refresh.dependents.add(shown);
    this.shown.set(row, shown);
    return shown.rendered;
  }

  private render(row: ResultRow, { evaluation }: Refresh): Shown {
    const { plan } = this.use;
    if (row.entities === null) {
      const groups = groupsOf(plan.body);
      const text = groups === null || row.group === null ? "{}" : groupText(row.group.row, groups);
      return { window: this, row, rendered: new RenderedRow(text, []), reads: NONE, missing: NONE, entities: new Set(), groups: new Map() };
    }
    const own = evaluation(this.use);
    const log = own.log = new ReadLog();
    const { entities } = row;
    plan.body.rowSlots.forEach((slot, index) => { own.slots[slot] = entities[index]; });
    const rendered = renderRow(own, plan.body, true);
    return { window: this, row, rendered, reads: log.reads, missing: log.missing, entities: log.entities, groups: log.groups };
  }
}

const NONE_DIRTY: ReadonlySet<ResultRow> = new Set();
