import { kindOf } from "../json/text.js";
import { ExactSum, shownValue } from "./decimal.js";
import { orderCode } from "./order-code.js";
import { Ordered } from "./ordered.js";
import type { Aggregate } from "./rule.js";

/** What one row adds to one aggregate: null if it does not count, "" if it counts without a value, else the shown value. */
export type AggregateInput = string | null;

/** Returns what a value adds to an aggregate; null is no value. */
export function inputOf(value: string | null): AggregateInput { return value === null || value === "null" ? null : shownValue(value); }

interface Counted { readonly sortKey: string; readonly shown: string; count: number; }

/** The state of one aggregate of one group. Rows can be added and taken away in any order. */
export class AggregateState {
  /** For `count` the rows, for `sum` and `avg` the numbers. */
  private count = 0;
  private sum: ExactSum | null = null;
  /** How often each value occurs, for `count_distinct`. */
  private occurrences: Map<string, number> | null = null;
  /** The values with their counts, for `min` and `max`: one that leaves may be the least. */
  private values: Ordered<Counted> | null = null;

  /** Creates the state of no rows. */
  constructor(private readonly of: Aggregate["of"]) { }

  /** Adds what a row adds, or takes it away. */
  change(input: AggregateInput, isRemoved: boolean): void {
    if (input === null) return;
    const by = isRemoved ? -1 : 1;
    switch (this.of) {
      case "count": this.count += by; break;
      case "count_distinct": {
        this.occurrences ??= new Map();
        const count = (this.occurrences.get(input) ?? 0) + by;
        if (count === 0) this.occurrences.delete(input);
        else this.occurrences.set(input, count);
        break;
      }
      case "sum": case "avg":
        if (kindOf(input) === "number" && (this.sum ??= new ExactSum()).add(input, isRemoved)) this.count += by;
        break;
      case "min": case "max": {
        const kind = kindOf(input);
        if (kind !== "array" && kind !== "object") this.note(input, by);
      }
    }
  }

  private note(shown: string, by: number): void {
    const values = this.values ??= new Ordered();
    const sortKey = orderCode(shown);
    const known = values.find(sortKey);
    if (known === null) {
      values.insert({ sortKey, shown, count: by });
      return;
    }
    known.count += by;
    if (known.count === 0) values.remove(known);
  }

  /** The value as JSON; null if the aggregate has none. */
  get text(): string | null {
    switch (this.of) {
      case "count": return String(this.count);
      case "count_distinct": return String(this.occurrences?.size ?? 0);
      case "sum": return this.sum?.text ?? "0";
      case "avg": return this.sum === null || this.count === 0 ? null : this.sum.dividedBy(this.count);
      case "min": return this.values?.first?.shown ?? null;
      case "max": return this.values?.last?.shown ?? null;
    }
  }
}
