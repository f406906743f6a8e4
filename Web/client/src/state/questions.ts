// What happened between a question and its answer, and what follows from it: the one place that decides it for all queries.
//
// No answer undoes what was known when it was asked for, nor what happened since. Protocol/queries.md, while an answer is on
// its way. Law: L12. Which values of entities win is decided in `newer.ts`, from the same mark.

import type { Sequence } from "../model/sequence.js";
import { areConcerned, areTagged, hintsOf } from "../queries/hints.js";
import type { ListStaleCause, Query, QueryKey } from "../queries/query.js";
import type { Doubt } from "../store/doubts.js";
import { RecentDoubts } from "../store/recent-doubts.js";
import { clearCountNamed } from "./clears.js";
import { isAwaitingAnswers } from "./entities.js";
import { forgetRecentWrites, recentOf } from "./newer.js";
import type { State } from "./state.js";

/** The mark of the beginning of a question: how much had happened by then. */
export interface Question {
  /** Grows with each question and each answer that nobody asked for. */
  readonly number: number;
  /** The writes so far, as `RecentWrites` counts them. */
  readonly write: number;
  /** The place of the library's log, which is that of an answer without one of its own. */
  readonly cursor: Sequence | null;
  readonly generation: number;
  readonly doubtCount: number;
  readonly clearCount: number;
  readonly editCount: number;
}

/** Marks the beginning of a question. `endQuestion` must follow, whatever comes of it. */
export function beginQuestion(state: State, library: string): Question {
  if (!isAwaitingAnswers(state)) forgetRecentWrites(state);
  state.fetchCount += 1;
  const known = state.libraries.get(library);
  return {
    number: state.questionCount += 1, write: recentOf(state).ordinal, cursor: known?.cursor ?? null,
    generation: known?.gate.generation ?? 0, doubtCount: (state.doubts ??= new RecentDoubts()).count,
    clearCount: clearCountNamed(state, library), editCount: known?.editCount ?? 0,
  };
}

/** Ends a question, whatever came of it. */
export function endQuestion(state: State): void {
  state.fetchCount -= 1;
  if (state.fetchCount === 0) {
    state.doubts?.clear();
    state.unknownClears.clear();
  }
  if (!isAwaitingAnswers(state)) recentOf(state).clear();
}

/** Whether everything was removed since: nothing of the answer is stored then. */
export function isCleared(state: State, question: Question, library: string): boolean {
  return clearCountNamed(state, library) !== question.clearCount;
}

/** Whether a new reader may wait for the answer to an earlier question: nothing happened since that the answer may not know. */
export function mayJoin(state: State, question: Question, key: QueryKey): boolean {
  const library = state.libraries.get(key.library);
  const query = state.queries.find(key);
  const doubts = state.doubts?.after(question.doubtCount) ?? null;
  return !isCleared(state, question, key.library) && (library?.editCount ?? 0) === question.editCount
    && (library?.gate.generation ?? 0) === question.generation && !(query !== null && query.asked > question.number)
    && doubts !== null && !doubts.some((doubt) => mayConcern(doubt, key, query));
}

/** Whether a list that was asked for later, or that somebody put since, is stored: the answer's own list is older. */
export function isOvertaken(query: Query, question: Question | null, asOf: Sequence | null): boolean {
  if (question === null || !query.isStored || query.asked < question.number) return false;
  return asOf === null || query.asOf === null || query.asOf >= asOf;
}

/** What of an answer decides whether a doubt concerns its list: the query as it is stored, and as the answer makes it. */
export interface DoubtedList {
  key: QueryKey;
  type: string;
  tags: string;
  asOf: Sequence | null;
}

/**
 * Returns why a list is older than what is known: what happened since it was asked for and, where the answer names its place,
 * what events behind that place made stale. Null: it is fresh. `query`: the list that it replaces.
 */
export function doubtAbout(state: State, list: DoubtedList, query: Query, question: Question | null): ListStaleCause | null {
  const { library } = query;
  if (question !== null && question.generation !== library.gate.generation) return "log";
  const isConcerned = (doubt: Doubt): boolean => {
    const concerns = concern(doubt);
    return concerns(list.key, list.type, list.tags) || query.table !== null && query.isStored && concerns(list.key, query.table.name, query.tags);
  };
  if (question !== null) {
    const since = state.doubts?.after(question.doubtCount) ?? null;
    if (since === null) return "answer";
    const found = since.find((doubt) => isBehind(doubt, list.asOf, question, query) && isConcerned(doubt));
    if (found !== undefined) return found.cause;
  }
  const { asOf } = list;
  if (asOf === null) return null;
  return library.doubts.some(({ sequence, type, hints }) => sequence > asOf && isConcerned({ cause: "event", type, hints })) ? "event" : null;
}

/** Whether something of the time since a question is behind its answer's place. Only places of the same log compare. */
function isBehind({ log, sequence }: Doubt, asOf: Sequence | null, question: Question, query: Query): boolean {
  if (log !== query.library || sequence == null) return true;
  const place = asOf ?? question.cursor;
  return place === null || sequence > place;
}

/** Returns whether a doubt concerns a list with a type and tags. */
function concern(doubt: Doubt): (key: QueryKey, type: string, tags: string) => boolean {
  const hints = doubt.hints == null ? null : hintsOf(doubt.hints);
  return (key, type, tags) => (doubt.library == null || doubt.library === key.library)
    && (doubt.method == null || doubt.method === key.method) && (doubt.input == null || doubt.input === key.input)
    && (doubt.type == null || doubt.type === type) && (doubt.tags == null || areTagged(doubt.tags, tags))
    && (hints === null || areConcerned(hints, key.input, tags));
}

/** Returns whether a doubt concerns a stored query. */
export function concernsStored(doubt: Doubt): (query: Query) => boolean {
  const concerns = concern(doubt);
  return (query) => query.table !== null && query.isStored && concerns(query.key, query.table.name, query.tags);
}

/** Whether a doubt may concern the answer to come: nobody knows its tags yet, nor its type where no list is stored. */
function mayConcern(doubt: Doubt, key: QueryKey, query: Query | null): boolean {
  const isStored = query !== null && query.isStored && query.table !== null;
  const { type, tags } = isStored ? { type: query.table?.name ?? "", tags: query.tags } : { type: "", tags: "" };
  return concern({ ...doubt, type: isStored ? doubt.type : null, tags: null })(key, type, tags);
}
