// What happened between a request and its response, and what follows from it; decided here for all queries.
//
// No response undoes what was known when it was requested, nor what happened since. Protocol/queries.md, while an
// answer is on its way. Law: L12. Which values of entities win is decided in `newer.ts`, from the same mark.

import type { Sequence } from "../model/sequence.js";
import { areConcerned, areTagged, hintsOf } from "../queries/hints.js";
import type { ListStaleCause, Query, QueryKey } from "../queries/query.js";
import { RecentDoubts } from "../store/recent-doubts.js";
import type { Doubt } from "../store/recent-doubts.js";
import { clearCountNamed } from "./clears.js";
import { isAwaitingAnswers } from "./entities.js";
import { forgetRecentWrites, recentOf } from "./newer.js";
import type { Question } from "./question.js";
import type { State } from "./state.js";

/** Marks the beginning of a request. `endQuestion` must follow, whatever its outcome. */
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

/** Ends a request that succeeded, failed or was cancelled. */
export function endQuestion(state: State): void {
  state.fetchCount -= 1;
  if (state.fetchCount === 0) {
    state.doubts?.clear();
    state.unknownClears.clear();
  }
  if (!isAwaitingAnswers(state)) recentOf(state).clear();
}

/** True if the library was cleared since the request: nothing of the response is stored then. */
export function isCleared(state: State, question: Question, library: string): boolean {
  return clearCountNamed(state, library) !== question.clearCount;
}

/** True if a new reader may join an open request: nothing happened since it began that its response may not include. */
export function mayJoin(state: State, question: Question, key: QueryKey): boolean {
  const library = state.libraries.get(key.library);
  const query = state.queries.find(key);
  const doubts = state.doubts?.after(question.doubtCount) ?? null;
  return !isCleared(state, question, key.library) && (library?.editCount ?? 0) === question.editCount
    && (library?.gate.generation ?? 0) === question.generation && !(query !== null && query.asked > question.number)
    && doubts !== null && !doubts.some((doubt) => mayConcern(doubt, key, query));
}

/** True if the stored list was requested or put later than the response's own list, which is therefore older. */
export function isOvertaken(query: Query, question: Question | null, asOf: Sequence | null): boolean {
  if (question === null || !query.isStored || query.asked < question.number) return false;
  return asOf === null || query.asOf === null || query.asOf >= asOf;
}

/** A response's list as far as doubts are matched against it. */
export interface DoubtedList {
  /** The query. */
  key: QueryKey;
  /** The type of the list. */
  type: string;
  /** The tags of the list, as JSON. */
  tags: string;
  /** The sequence that the response stands for; null if it names none. */
  asOf: Sequence | null;
}

/**
 * Returns why a response's list is older than what is known, by what happened since its request and, if it names its
 * position, by later events; null if it is fresh. `query` is the list that it replaces.
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

/**
 * True if a doubt since the request is later than the response's position. Only positions of the same log can be
 * compared.
 */
function isBehind({ log, sequence }: Doubt, asOf: Sequence | null, question: Question, query: Query): boolean {
  if (log !== query.library || sequence == null) return true;
  const place = asOf ?? question.cursor;
  return place === null || sequence > place;
}

/** Returns a test whether a doubt concerns a list with a key, type and tags. */
function concern(doubt: Doubt): (key: QueryKey, type: string, tags: string) => boolean {
  const hints = doubt.hints == null ? null : hintsOf(doubt.hints);
  return (key, type, tags) => (doubt.library == null || doubt.library === key.library)
    && (doubt.method == null || doubt.method === key.method) && (doubt.input == null || doubt.input === key.input)
    && (doubt.type == null || doubt.type === type) && (doubt.tags == null || areTagged(doubt.tags, tags))
    && (hints === null || areConcerned(hints, key.input, tags));
}

/** Returns a function that tells whether a doubt concerns a stored query. */
export function concernsStored(doubt: Doubt): (query: Query) => boolean {
  const concerns = concern(doubt);
  return (query) => query.table !== null && query.isStored && concerns(query.key, query.table.name, query.tags);
}

/**
 * True if a doubt may concern an awaited response, whose tags are unknown, and whose type is too if no list is stored.
 */
function mayConcern(doubt: Doubt, key: QueryKey, query: Query | null): boolean {
  const isStored = query !== null && query.isStored && query.table !== null;
  const { type, tags } = isStored ? { type: query.table?.name ?? "", tags: query.tags } : { type: "", tags: "" };
  return concern({ ...doubt, type: isStored ? doubt.type : null, tags: null })(key, type, tags);
}
