import type { Query, QueryKey } from "./query.js";

/** The part of a query table that a state needs without the code for lists. */
export interface QueryView {
  /** The number of queries, stored or observed. */
  readonly size: number;
  /** The number of queries with a stored response. */
  readonly storedCount: number;
  /** The number of stored queries with a rule whose lists came from a server. */
  readonly remoteRuleCount: number;
  /** Every query, by number. */
  readonly all: readonly Query[];
  /** Returns the query with a key; null if there is none. */
  find(key: QueryKey): Query | null;
}

/** The view of a state that never had a query. */
export const noQueries: QueryView = { size: 0, storedCount: 0, remoteRuleCount: 0, all: [], find: () => null };
