import type { Dependents, Shown } from "./window.js";

/** The shown rows that read an entity or a bucket: what has to be rendered again when it changes. */
export class ReadIndex implements Dependents {
  private readonly rows = new Map<string, Set<Shown>>();

  /** Notes what a shown row read. */
  add(shown: Shown): void {
    for (const read of shown.reads) {
      const rows = this.rows.get(read);
      if (rows === undefined) this.rows.set(read, new Set([shown]));
      else rows.add(shown);
    }
  }

  /** Forgets a row that is no longer shown. */
  remove(shown: Shown): void {
    for (const read of shown.reads) {
      const rows = this.rows.get(read);
      rows?.delete(shown);
      if (rows?.size === 0) this.rows.delete(read);
    }
  }

  /** True if a row read an entity or a bucket. */
  has(read: string): boolean { return this.rows.has(read); }

  /** Returns the rows that read an entity or a bucket. */
  get(read: string): Iterable<Shown> { return this.rows.get(read) ?? []; }

  /** The number of entities and buckets that rows read. */
  get size(): number { return this.rows.size; }
}
