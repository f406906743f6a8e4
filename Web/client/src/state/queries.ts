// Opens queries, indexes them by type and rule, and removes them.

import type { Query, QueryKey } from "../queries/query.js";
import { tableOf } from "../queries/table.js";
import type { Library } from "../store/library.js";
import { removeAllElements } from "./elements.js";
import { lists } from "./parts.js";
import type { State } from "./state.js";

/** Returns the query with a key, created if it is new; null if the table is full and all queries are observed. */
export function openQuery(state: State, key: QueryKey, library: Library): Query | null {
  return tableOf(state).open(key, library, (query) => dropQuery(state, query));
}

/** Removes an unobserved query with its list. */
export function dropQuery(state: State, query: Query): void {
  unstoreQuery(state, query);
  tableOf(state).remove(query);
}

/** Removes a query's response; observers wait for the next one. */
export function unstoreQuery(state: State, query: Query): void {
  removeAllElements(state, query);
  query.kept = null;
  if (!query.isStored) return;
  unfileQuery(state, query);
  query.isStored = false;
  tableOf(state).storedCount -= 1;
  state.changes?.queries.delete(query);
  state.changes?.removedQueries.add(query.number);
}

/** Indexes a query by its type and rule. */
export function fileQuery(state: State, query: Query): void {
  const filed = query.table === null ? null : tableOf(state).file(query, query.table);
  if (query.rule !== null) {
    if (filed !== null) (filed.candidates ??= new lists.code.Candidates()).insert(query, query.rule);
    if (!query.isLocal) tableOf(state).remoteRuleCount += 1;
  }
  if (!query.isStored) {
    query.isStored = true;
    tableOf(state).storedCount += 1;
  }
}

/** Removes a query from the index by type and rule, before one of these changes. */
export function unfileQuery(state: State, query: Query): void {
  const filed = query.table === null ? null : tableOf(state).unfile(query, query.table);
  if (query.rule === null) return;
  filed?.candidates?.remove(query, query.rule);
  if (!query.isLocal) tableOf(state).remoteRuleCount -= 1;
}
