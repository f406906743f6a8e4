/** A row in a list of entities. */
export interface Row {
  /** The library of the entity. */
  library: string;
  /** The key of the entity, `type:id`. */
  key: string;
  /** A short form of its value. */
  summary: string;
  /** When the row last changed on screen, in milliseconds since 1970; 0 if never. */
  changedAt: number;
}

/**
 * Replaces rows by a page that was read again. Rows that are new or differ get the time `now`.
 *
 * The page begins with the row at `start`. It ends before the first old row that follows its last one. If that row is
 * unknown, or there is no further page, all rows after it are dropped. Returns the rows, and whether those after the
 * page were kept.
 */
export function renewed(rows: readonly Row[], start: number, page: readonly Row[], isLast: boolean, now: number): { rows: Row[]; hasRest: boolean; } {
  const before = new Map(rows.map((row) => [row.key, row]));
  const fresh = page.map((row) => {
    const old = before.get(row.key);
    return { ...row, changedAt: old !== undefined && old.summary === row.summary ? old.changedAt : now };
  });
  const last = page[page.length - 1];
  const place = isLast || last === undefined ? -1 : rows.findIndex((row, index) => index >= start && row.key === last.key);
  const known = new Set(page.map(({ key }) => key));
  // A row that moved into the page must not occur twice.
  const head = rows.slice(0, start).filter(({ key }) => !known.has(key));
  const rest = place < 0 ? [] : rows.slice(place + 1).filter(({ key }) => !known.has(key));
  return { rows: [...head, ...fresh, ...rest], hasRest: rest.length > 0 };
}
