import type { Binding } from "./binding.js";
import { isSame } from "./contribution.js";
import type { Asks, Contribution, Row } from "./contribution.js";
import { GroupSet, groupSortKey } from "./groups.js";
import type { GroupRow } from "./groups.js";
import { Ordered } from "./ordered.js";
import { groupsOf } from "./plan.js";
import type { ViewPlan } from "./plan.js";

/** A row of a result: the entities of a row, or a group. */
export interface ResultRow {
  /** Identifies the row within its result. */
  readonly name: string;
  /** The place of the row. */
  sortKey: string;
  /** The entities; null for a group. */
  readonly entities: Row | null;
  /** The group's key and values; null for a row of entities. */
  readonly group: { readonly key: string; row: GroupRow; } | null;
}

/** A step of a change: a row that entered (no `from`), left (no `to`) or moved. */
export interface RowStep { readonly row: ResultRow; readonly from: number | null; readonly to: number | null; }

/** Counts how often rows ask for entities that the cache does not know. */
export class AskCounts {
  private readonly counts = new Map<string, number>();

  /** The keys of the entities. */
  get keys(): Iterable<string> { return this.counts.keys(); }

  /** The entities with how often they are asked for. */
  get entries(): Iterable<[string, number]> { return this.counts; }

  /** The number of entities. */
  get size(): number { return this.counts.size; }

  /** True if an entity is asked for. */
  has(key: string): boolean { return this.counts.has(key); }

  /** Counts an entity more or less often. Returns true if it is asked for now and was not, or no longer. */
  change(key: string, by: number): boolean {
    const former = this.counts.get(key) ?? 0;
    if (former + by === 0) this.counts.delete(key);
    else this.counts.set(key, former + by);
    return former === 0 || former + by === 0;
  }

  /** Applies the difference of two states; each change is also passed to `note`. Returns true if the entities differ. */
  apply(old: Asks | undefined, fresh: Asks | undefined, note: (key: string, by: number) => void): boolean {
    let differs = false;
    const all = (asks: Asks | undefined, other: Asks | undefined, by: number): void => {
      for (const [name, key] of asks ?? []) {
        if (other?.has(name) === true) continue;
        note(key, by);
        if (this.change(key, by)) differs = true;
      }
    };
    all(fresh, old, 1);
    all(old, fresh, -1);
    return differs;
  }
}

/** One rule with certain parameters: the rows of its result in their order, before any window is cut. */
export class ViewUse {
  /** The rows in their order. */
  readonly rows = new Ordered<ResultRow>();
  private readonly byName = new Map<string, ResultRow>();
  /** The groups; null if the rows are not groups. */
  readonly groups: GroupSet | null;
  /** The entities that joins ask for and that the cache does not know. */
  readonly asks = new AskCounts();
  /** The number of windows and definitions that hold the use. */
  holderCount = 0;
  /** The steps of the current change; null if there are several, which a window then finds by comparing. */
  steps: RowStep[] | null = [];

  /** Creates a use without rows. `routeKeys`: the keys by which rows find the use, if uses share a walk. */
  constructor(readonly plan: ViewPlan, readonly binding: Binding, readonly routeKeys: readonly string[]) {
    const groups = groupsOf(plan.body);
    this.groups = groups === null ? null : new GroupSet(groups);
    if (groups !== null && groups.keys === null) this.refresh("");
  }

  /** Returns a row by its name; null if the result has no such row. */
  find(name: string): ResultRow | null { return this.byName.get(name) ?? null; }

  /** Applies the difference of two states to the rows. Returns the groups whose rows may look different. */
  apply(old: ReadonlyMap<string, Contribution> | undefined, fresh: ReadonlyMap<string, Contribution> | undefined): ResultRow[] {
    const touched = new Set<string>();
    for (const [name, contribution] of old ?? []) {
      if (isSame(contribution, fresh?.get(name))) continue;
      if (contribution.is === "row") {
        if (fresh?.has(name) !== true) this.remove(name);
      } else {
        this.groups?.change(contribution.grouped, true);
        touched.add(contribution.grouped.key);
      }
    }
    for (const [name, contribution] of fresh ?? []) {
      if (isSame(contribution, old?.get(name))) continue;
      if (contribution.is === "row") {
        this.set(name, contribution.sortKey, () => ({ name, sortKey: contribution.sortKey, entities: contribution.row, group: null }));
      } else {
        this.groups?.change(contribution.grouped, false);
        touched.add(contribution.grouped.key);
      }
    }
    return [...touched].flatMap((key) => this.refresh(key));
  }

  /** Brings the row of a group to its place, or removes it. */
  private refresh(key: string): ResultRow[] {
    const rule = groupsOf(this.plan.body);
    const row = this.groups?.row(key, this.binding) ?? null;
    if (row === null || rule === null) {
      this.remove(key);
      return [];
    }
    const sortKey = groupSortKey(row, this.plan.body.order, rule);
    const own = this.set(key, sortKey, () => ({ name: key, sortKey, entities: null, group: { key, row } }));
    if (own.group !== null) own.group.row = row;
    return [own];
  }

  private set(name: string, sortKey: string, made: () => ResultRow): ResultRow {
    let row = this.byName.get(name);
    let from: number | null = null;
    if (row === undefined) {
      this.byName.set(name, row = made());
    } else {
      if (row.sortKey === sortKey) return row;
      from = this.rows.remove(row);
      row.sortKey = sortKey;
    }
    this.note({ row, from, to: this.rows.insert(row) });
    return row;
  }

  private remove(name: string): void {
    const row = this.byName.get(name);
    if (row === undefined) return;
    this.byName.delete(name);
    this.note({ row, from: this.rows.remove(row), to: null });
  }

  private note(step: RowStep): void { this.steps = this.steps?.length === 0 ? [step] : null; }
}
