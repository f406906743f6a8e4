/** Maximum length of a name that is shown whole. */
const LENGTH_MAX = 16;
/** Minimum number of characters shown of a longer name. */
const PART_LENGTH = 8;

/** Returns the short name of a library: the beginning of a long one, and `(default)` for the empty one. */
export function shortName(name: string): string {
  return name === "" ? "(default)" : name.length <= LENGTH_MAX ? name : `${name.slice(0, PART_LENGTH)}…`;
}

/**
 * Returns a unique short name for each name.
 *
 * A long name is cut to a part in which it differs: to its beginning or, if others begin the same, to its end. The part
 * grows until it is unique.
 */
export function shortNames(names: readonly string[]): Map<string, string> {
  const long = names.filter((name) => name.length > LENGTH_MAX);
  const shown = new Map(names.filter((name) => name.length <= LENGTH_MAX).map((name) => [name, shortName(name)]));
  const taken = new Set(shown.values());
  let rest = long;
  for (let length = PART_LENGTH; rest.length > 0; length *= 2) {
    for (const part of [(name: string) => `${name.slice(0, length)}…`, (name: string) => `…${name.slice(-length)}`]) {
      const counts = new Map<string, number>();
      for (const name of long) counts.set(part(name), (counts.get(part(name)) ?? 0) + 1);
      rest = rest.filter((name) => {
        const short = length >= name.length ? name : part(name);
        if (length < name.length && (counts.get(short) !== 1 || taken.has(short))) return true;
        shown.set(name, short);
        taken.add(short);
        return false;
      });
    }
  }
  return shown;
}
