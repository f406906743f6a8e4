// The fields of an entity that one write set, as paths of names joined by a zero. Only this file decides which dates a write
// changes. Protocol/policy.md, when fields are too old; Protocol/graphql.md, storing.

/** The character between the names of a path; no name of a field that is merged by path is told from another by it. */
export const PATH_SEPARATOR = "\0";

export interface Written {
  /** Values that were written as wholes. */
  readonly wholes: readonly string[];
  /** Embedded objects that were merged: written, though not all of their members were. */
  readonly merged: readonly string[];
  /** Members of merged objects that the write left as they were. */
  readonly kept: readonly string[];
}

/** Returns the write of top-level fields as wholes. */
export function writtenWholes(names: readonly string[]): Written { return { wholes: names, merged: [], kept: [] }; }

/** Returns two writes of one unit as one: both have one date. */
export function writtenBoth(first: Written, second: Written): Written {
  const [wholes, merged] = [[...first.wholes, ...second.wholes], [...first.merged, ...second.merged]];
  const [values, objects] = [new Set(wholes), new Set(merged)];
  const isWritten = (path: string): boolean => objects.has(path) || values.has(path) || outerOf(path).some((outer) => values.has(outer));
  return { wholes, merged, kept: [...first.kept, ...second.kept].filter((path) => !isWritten(path)) };
}

/**
 * Dates what was written, and keeps the dates of what was not: a merged object gets the new date, what was written inside it
 * loses its own, and each member that was kept gets the date that it had. `rest`: of every field that has none around it.
 */
export function dateWritten<Date>(dates: Map<string, Date>, { wholes, merged, kept }: Written, rest: Date, date: Date): void {
  const before = kept.map((path) => [path, dates.get([path, ...outerOf(path)].find((one) => dates.has(one)) ?? "") ?? rest] as const);
  for (const path of dates.keys()) if (outerOf(path).some((outer) => wholes.includes(outer))) dates.delete(path);
  for (const path of [...wholes, ...merged]) {
    // A field inside an object has the date of the object, which was written with it.
    if (path.includes(PATH_SEPARATOR)) dates.delete(path);
    else dates.set(path, date);
  }
  for (const [path, own] of before) dates.set(path, own);
}

/** Returns the paths around a path, the nearest first. */
export function outerOf(path: string): string[] {
  const names = path.split(PATH_SEPARATOR);
  return names.slice(1).map((_, index) => names.slice(0, -1 - index).join(PATH_SEPARATOR));
}
