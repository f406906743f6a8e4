/** One row of a list of entities. */
export interface Row {
  library: string;
  key: string;
  summary: string;
  /** When a person saw it change; 0: never. */
  changedAt: number;
}

/**
 * Puts a page that was read again in the place of the rows that it covers. Rows that are new or differ are marked with the time.
 *
 * The page begins with the row at `start`. It ends before the first old row that follows its last one; when that row is not known any more, or when
 * there is no further page, everything behind it is dropped. Returns the rows, and whether those behind the page stayed.
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
  // A row that moved into the page must not be there twice.
  const head = rows.slice(0, start).filter(({ key }) => !known.has(key));
  const rest = place < 0 ? [] : rows.slice(place + 1).filter(({ key }) => !known.has(key));
  return { rows: [...head, ...fresh, ...rest], hasRest: rest.length > 0 };
}
