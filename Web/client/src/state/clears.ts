import type { Library } from "../store/library.js";
import type { State } from "./state.js";

/**
 * Maximum number of unknown libraries whose clears are counted separately; past it a clear counts for all libraries.
 */
const UNKNOWN_COUNT_MAX = 1_000;

/** Records that a library, or (null) every library, is cleared. A response for an unknown library may be awaited. */
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

/** Returns how often a library was cleared. */
export function clearCount(state: State, library: Library): number { return state.clearCount + library.clearCount; }

/** Returns how often a library, which may be unknown, was cleared while requests are open. */
export function clearCountNamed(state: State, name: string): number {
  return state.clearCount + (state.libraries.get(name)?.clearCount ?? 0) + (state.unknownClears.get(name) ?? 0);
}
