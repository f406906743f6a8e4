// The fields written by a merge by path, which writes only some members of an object. Protocol/graphql.md, storing.

import { outerOf, PATH_SEPARATOR } from "./written.js";
import type { Written } from "./written.js";

/** The fields that a merge by path wrote. */
export class WrittenByPath implements Written {
  /** Paths of values that were replaced as a whole. */
  readonly wholes: string[] = [];
  /** Paths of embedded objects that were merged: some of their members were not written. */
  readonly merged: string[] = [];
  /** Paths of members in merged objects that were not written. */
  kept: string[] = [];

  /** Dates a merged object and what was written inside it with the new date; each kept member keeps its old date. */
  date<Date>(dates: Map<string, Date>, date: Date, rest: Date): void {
    const before = this.kept.map((path) => [path, nearest(dates, path) ?? rest] as const);
    for (const path of dates.keys()) if (outerOf(path).some((outer) => this.wholes.includes(outer))) dates.delete(path);
    for (const path of [...this.wholes, ...this.merged]) {
      // A field inside an object has the date of the object that was written with it.
      if (path.includes(PATH_SEPARATOR)) dates.delete(path);
      else dates.set(path, date);
    }
    for (const [path, own] of before) dates.set(path, own);
  }
}

/** Combines two writes of one unit, which have the same date. */
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
