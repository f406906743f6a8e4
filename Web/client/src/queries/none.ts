import type { Query, QueryKey } from "./query.js";

/** The queries as a state looks at them. */
export interface QueryView {
  /** The number of queries, stored or observed. */
  readonly size: number;
  /** The number of queries with an answer. */
  readonly storedCount: number;
  /** The number of stored queries with a rule whose lists came from a server. */
  readonly remoteRuleCount: number;
  /** Every query, by number. */
  readonly all: readonly Query[];
  find(key: QueryKey): Query | null;
}

/** The queries of a state that never had one. */
export const noQueries: QueryView = { size: 0, storedCount: 0, remoteRuleCount: 0, all: [], find: () => null };
