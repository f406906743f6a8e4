// The fields of an entity that one write set, as paths of names joined by a zero character, and how the write dates
// them. Protocol/policy.md, when fields are too old; Protocol/graphql.md, storing.

/** The character between the names of a path. Names of fields that are merged by path do not contain it. */
export const PATH_SEPARATOR = "\0";

/** The fields that one write set. */
export interface Written {
  /** Paths of values that were replaced as a whole. */
  readonly wholes: readonly string[];
  /**
   * Dates the written fields, and keeps the dates of all others. `rest` is the date of fields without one of their own.
   */
  date<Date>(dates: Map<string, Date>, date: Date, rest: Date): void;
}

/** Returns the write of whole top-level fields. It replaces the dates of everything inside them. */
export function writtenWholes(wholes: readonly string[]): Written {
  return {
    wholes,
    date(dates, date) {
      for (const path of dates.keys()) if (outerOf(path).some((outer) => wholes.includes(outer))) dates.delete(path);
      for (const path of wholes) dates.set(path, date);
    },
  };
}

/** Returns the enclosing paths of a path, innermost first. */
export function outerOf(path: string): string[] {
  const names = path.split(PATH_SEPARATOR);
  return names.slice(1).map((_, index) => names.slice(0, -1 - index).join(PATH_SEPARATOR));
}

/** Returns the first name of a path. Names are joined by a zero character. */
export function topLevel(path: string): string { return path.split("\0", 1)[0]; }
