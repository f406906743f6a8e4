import type { Limits } from "../model/limits.js";
import type { Library } from "../store/library.js";
import type { QueryView } from "./none.js";
import { Query } from "./query.js";
import type { QueryKey } from "./query.js";

/** The lists that are kept as they were read. */
const KEPT_COUNT_MAX = 64;

/** The queries by their keys, in the order of their last reads. */
export class QueryTable implements QueryView {
  private readonly byKey = new Map<string, Query>();
  private readonly kept = new Set<Query>();
  /** The last number that was given. */
  lastNumber = 0;
  /** The number of queries with an answer. */
  storedCount = 0;
  /** The number of stored queries with a rule whose lists came from a server. */
  remoteRuleCount = 0;

  constructor(private readonly limits: Limits) { }

  /** The number of queries, stored or observed. */
  get size(): number { return this.byKey.size; }

  find(key: QueryKey): Query | null { return this.byKey.get(nameOf(key)) ?? null; }

  /** Every query, by number. */
  get all(): Query[] { return [...this.byKey.values()].sort((left, right) => left.number - right.number); }

  /** Returns a query, which is opened when it is new; null when there are too many and all are observed. */
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

  add(query: Query): Query {
    this.lastNumber = Math.max(this.lastNumber, query.number);
    this.byKey.set(nameOf(query.key), query);
    return query;
  }

  /** Notes that a list is kept as it was read; the one that was kept longest goes for it. */
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

  remove(query: Query): void { this.byKey.delete(nameOf(query.key)); }

  /** Counts as a read: the query becomes the last one to go. */
  touch(query: Query): void {
    const name = nameOf(query.key);
    if (this.byKey.delete(name)) this.byKey.set(name, query);
  }
}

/** Returns the table of a state, which is made with its first query. */
export function tableOf(state: { readonly limits: Limits; queries: QueryView; }): QueryTable {
  return state.queries instanceof QueryTable ? state.queries : state.queries = new QueryTable(state.limits);
}

function nameOf(key: QueryKey): string { return JSON.stringify([key.library, key.method, key.input]); }
