import type { TypeTable } from "../store/library.js";
import type { Candidates } from "./candidates.js";
import type { Query, QueryKey } from "./query.js";

/** The stored queries over one library and type. */
export interface FiledQueries {
  /** The queries. */
  readonly queries: ReadonlySet<Query>;
  /** Those with a rule; null before the first one. */
  candidates: Candidates | null;
}

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
  /** Returns the stored queries over the entities of a table; null if there are none. */
  filed(table: TypeTable): FiledQueries | null;
}

/** The view of a state that never had a query. */
export const noQueries: QueryView = { size: 0, storedCount: 0, remoteRuleCount: 0, all: [], find: () => null, filed: () => null };
