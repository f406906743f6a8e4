// The fields of an entity that one write set, as paths of names joined by a zero, and how it dates them. Protocol/policy.md, when
// fields are too old; Protocol/graphql.md, storing.

/** The character between the names of a path; no name of a field that is merged by path is told from another by it. */
export const PATH_SEPARATOR = "\0";

export interface Written {
  /** Values that were written as wholes. */
  readonly wholes: readonly string[];
  /** Dates what was written, and keeps the dates of what was not. `rest`: of every field that has none around it. */
  date<Date>(dates: Map<string, Date>, date: Date, rest: Date): void;
}

/** Returns the write of top-level fields as wholes: what was written inside one before goes with it. */
export function writtenWholes(wholes: readonly string[]): Written {
  return {
    wholes,
    date(dates, date) {
      for (const path of dates.keys()) if (outerOf(path).some((outer) => wholes.includes(outer))) dates.delete(path);
      for (const path of wholes) dates.set(path, date);
    },
  };
}

/** Returns the paths around a path, the nearest first. */
export function outerOf(path: string): string[] {
  const names = path.split(PATH_SEPARATOR);
  return names.slice(1).map((_, index) => names.slice(0, -1 - index).join(PATH_SEPARATOR));
}
