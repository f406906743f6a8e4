import type { Library } from "../store/library.js";
import type { State } from "./state.js";

/** The clears of libraries that are not known yet which are told apart; past it one counts for all libraries. */
const UNKNOWN_COUNT_MAX = 1_000;

/** Notes that everything of a library is removed, or of all. Of one that is not known yet an answer may be on its way. */
export function noteClear(state: State, name: string | null): void {
  const library = name === null ? undefined : state.libraries.get(name);
  if (library !== undefined) {
    library.clearCount += 1;
  } else if (name === null || state.unknownClears.size >= UNKNOWN_COUNT_MAX) {
    state.clearCount += 1;
  } else if (state.fetchCount > 0) {
    state.unknownClears.set(name, (state.unknownClears.get(name) ?? 0) + 1);
  }
}

/** The number of times that everything of a library was removed. */
export function clearCount(state: State, library: Library): number { return state.clearCount + library.clearCount; }

/** The same for a library that may not be known yet, in the time of a question. */
export function clearCountNamed(state: State, name: string): number {
  return state.clearCount + (state.libraries.get(name)?.clearCount ?? 0) + (state.unknownClears.get(name) ?? 0);
}
