/** A name of at most this many characters is shown as it is. */
const LENGTH_MAX = 16;
/** The characters of a long name that are shown at least. */
const PART_LENGTH = 8;

/** The name of one library: the beginning of a long one. */
export function shortName(name: string): string {
  return name === "" ? "(default)" : name.length <= LENGTH_MAX ? name : `${name.slice(0, PART_LENGTH)}…`;
}

/**
 * Gives each name a short one that differs from all others.
 *
 * A long name is cut to the part where it differs: to its beginning, or, when others begin like it, to its end; the part grows until no other
 * name has it.
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
