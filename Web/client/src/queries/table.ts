import type { Limits } from "../model/limits.js";
import type { Library, TypeTable } from "../store/library.js";
import type { FiledQueries, QueryView } from "./none.js";
import { Query } from "./query.js";
import type { QueryKey } from "./query.js";

/** Maximum number of lists that are kept as read. */
const KEPT_COUNT_MAX = 64;

/** The queries by key, in the order of their last reads. */
export class QueryTable implements QueryView {
  private readonly byKey = new Map<string, Query>();
  private readonly byType = new Map<TypeTable, FiledQueries & { readonly queries: Set<Query>; }>();
  private readonly kept = new Set<Query>();
  /** The highest number of a query so far. */
  lastNumber = 0;
  /** The number of queries with a stored response. */
  storedCount = 0;
  /** The number of stored queries with a rule whose lists came from a server. */
  remoteRuleCount = 0;

  /** Creates a table without queries. */
  constructor(private readonly limits: Limits) { }

  /** The number of queries, stored or observed. */
  get size(): number { return this.byKey.size; }

  /** Returns the query with a key; null if there is none. */
  find(key: QueryKey): Query | null { return this.byKey.get(nameOf(key)) ?? null; }

  /** Returns the stored queries over the entities of a table; null if there are none. */
  filed(table: TypeTable): FiledQueries | null { return this.byType.get(table) ?? null; }

  /** Files a stored query under its type. Returns all that are filed there. */
  file(query: Query, table: TypeTable): FiledQueries {
    let filed = this.byType.get(table);
    if (filed === undefined) this.byType.set(table, filed = { queries: new Set(), candidates: null });
    filed.queries.add(query);
    return filed;
  }

  /** Removes a query from its type. Returns what was filed there; null if nothing was. */
  unfile(query: Query, table: TypeTable): FiledQueries | null {
    const filed = this.byType.get(table);
    if (filed === undefined) return null;
    filed.queries.delete(query);
    if (filed.queries.size === 0) this.byType.delete(table);
    return filed;
  }

  /** Every query, by number. */
  get all(): Query[] { return [...this.byKey.values()].sort((left, right) => left.number - right.number); }

  /**
   * Returns the query with a key, created if it is new. At the bound, drops the least recently read unobserved query
   * with `displace`; null if all are observed.
   */
  open(key: QueryKey, library: Library, displace: (query: Query) => void): Query | null {
    const known = this.find(key);
    if (known !== null) return known;
    if (this.byKey.size >= this.limits.queryCountMax) {
      const oldest = [...this.byKey.values()].find((query) => query.observerCount === 0);
      if (oldest === undefined) return null;
      displace(oldest);
    }
    this.lastNumber += 1;
    return this.add(new Query(key, library, this.lastNumber));
  }

  /** Adds a query, such as one restored from the journal. */
  add(query: Query): Query {
    this.lastNumber = Math.max(this.lastNumber, query.number);
    this.byKey.set(nameOf(query.key), query);
    return query;
  }

  /** Records that a list is kept as read; past the bound the oldest one is dropped. */
  keep(query: Query): void {
    this.kept.delete(query);
    this.kept.add(query);
    if (this.kept.size <= KEPT_COUNT_MAX) return;
    for (const oldest of this.kept) {
      oldest.kept = null;
      this.kept.delete(oldest);
      return;
    }
  }

  /** Removes a query. */
  remove(query: Query): void { this.byKey.delete(nameOf(query.key)); }

  /** Counts as a read: the query becomes the most recently used one. */
  touch(query: Query): void {
    const name = nameOf(query.key);
    if (this.byKey.delete(name)) this.byKey.set(name, query);
  }
}

/** Returns the query table of a state, which is created for the first query. */
export function tableOf(state: { readonly limits: Limits; queries: QueryView; }): QueryTable {
  return state.queries instanceof QueryTable ? state.queries : state.queries = new QueryTable(state.limits);
}

function nameOf(key: QueryKey): string { return JSON.stringify([key.library, key.method, key.input]); }
