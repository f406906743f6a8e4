import { quoted } from "../json/text.js";
import { AggregateState } from "./aggregates.js";
import type { AggregateInput } from "./aggregates.js";
import type { Binding } from "./binding.js";
import { componentCode, orderCode, textCode } from "./order-code.js";
import { holds } from "./predicate.js";
import type { Groups, Order, Reference } from "./rule.js";

/** What one row adds to its group. */
export interface GroupContribution {
  /** The same for rows of one group only. */
  readonly key: string;
  /** The group's values in their canonical spelling; null for an absent one. */
  readonly shown: readonly (string | null)[];
  /** What the row adds to each aggregate. */
  readonly inputs: readonly AggregateInput[];
}

/** The values of a group's row: its groups, then its aggregates; null for an absent one. */
export type GroupRow = readonly (string | null)[];

interface Group { rowCount: number; readonly shown: readonly (string | null)[]; readonly states: readonly AggregateState[]; }

/** The groups of a result, each with the states of its aggregates. */
export class GroupSet {
  private readonly groups = new Map<string, Group>();

  /** Creates the groups of no rows: one for aggregates without groups, otherwise none. */
  constructor(private readonly rule: Groups) {
    if (rule.keys === null) this.groups.set("", this.group([]));
  }

  /** The keys of the groups. */
  get keys(): Iterable<string> { return this.groups.keys(); }

  /** The number of groups. */
  get size(): number { return this.groups.size; }

  private group(shown: readonly (string | null)[]): Group {
    return { rowCount: 0, shown, states: this.rule.aggregates.map(({ of }) => new AggregateState(of)) };
  }

  /** Adds a row, or takes it away. A group without rows ends, except the one of aggregates without groups. */
  change({ key, shown, inputs }: GroupContribution, isRemoved: boolean): void {
    let group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, group = this.group(shown));
    group.rowCount += isRemoved ? -1 : 1;
    if (group.rowCount === 0 && this.rule.keys !== null) {
      this.groups.delete(key);
      return;
    }
    for (const [index, input] of inputs.entries()) group.states[index].change(input, isRemoved);
  }

  /** Returns the row of a group; null if there is no such group, or `having` drops it. */
  row(key: string, binding: Binding | null): GroupRow | null {
    const group = this.groups.get(key);
    if (group === undefined) return null;
    const row = [...group.shown, ...group.states.map(({ text }) => text)];
    const { having } = this.rule;
    return having === null || holds(having, binding, (reference) => valueIn(row, reference)) ? row : null;
  }
}

function valueIn(row: GroupRow, reference: Reference): string | null {
  const value = reference.is === "member" ? row[reference.index] : null;
  return value === null || reference.is !== "member" ? null : reference.pointer.value(value);
}

/** Returns the place of a group's row: the components of the order, then the values, then the texts shown. */
export function groupSortKey(row: GroupRow, order: readonly Order[], { keys }: Groups): string {
  const values = row.slice(0, keys?.length ?? 0);
  return order.map(({ reference, isDescending }) => componentCode(valueIn(row, reference), isDescending)).join("")
    + values.map(orderCode).join("") + values.map((value) => textCode(value ?? "")).join("");
}

/** Returns a group's row as JSON. */
export function groupText(row: GroupRow, { keys, aggregates }: Groups): string {
  const members: string[] = [];
  [...keys ?? [], ...aggregates].forEach(({ name }, index) => {
    const value = row[index];
    if (value !== null) members.push(`${quoted(name)}:${value}`);
  });
  return `{${members.join(",")}}`;
}
