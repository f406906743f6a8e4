// What a merge by path wrote: not all members of the objects that it went into. Protocol/graphql.md, storing.

import { outerOf, PATH_SEPARATOR } from "./written.js";
import type { Written } from "./written.js";

export class WrittenByPath implements Written {
  /** Values that were written as wholes. */
  readonly wholes: string[] = [];
  /** Embedded objects that were merged: written, though not all of their members were. */
  readonly merged: string[] = [];
  /** Members of merged objects that the write left as they were. */
  kept: string[] = [];

  /**
   * A merged object gets the new date, what was written inside it loses its own, and each member that was kept gets the date that
   * it had.
   */
  date<Date>(dates: Map<string, Date>, date: Date, rest: Date): void {
    const before = this.kept.map((path) => [path, nearest(dates, path) ?? rest] as const);
    for (const path of dates.keys()) if (outerOf(path).some((outer) => this.wholes.includes(outer))) dates.delete(path);
    for (const path of [...this.wholes, ...this.merged]) {
      // A field inside an object has the date of the object, which was written with it.
      if (path.includes(PATH_SEPARATOR)) dates.delete(path);
      else dates.set(path, date);
    }
    for (const [path, own] of before) dates.set(path, own);
  }
}

/** Returns two writes of one unit as one: both have one date. */
export function writtenBoth(first: Written, second: Written): Written {
  const both = new WrittenByPath();
  for (const one of [first, second]) {
    both.wholes.push(...one.wholes);
    if (!(one instanceof WrittenByPath)) continue;
    both.merged.push(...one.merged);
    both.kept.push(...one.kept);
  }
  const [values, objects] = [new Set(both.wholes), new Set(both.merged)];
  both.kept = both.kept.filter((path) => !objects.has(path) && ![path, ...outerOf(path)].some((one) => values.has(one)));
  return both;
}

function nearest<Value>(values: ReadonlyMap<string, Value>, path: string): Value | undefined {
  return [path, ...outerOf(path)].map((one) => values.get(one)).find((value) => value !== undefined);
}
