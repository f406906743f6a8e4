import type { Library } from "../store/library.js";
import { edits } from "../parts/index.js";
import type { LibraryStatus } from "./records.js";
import type { State } from "./state.js";

/** Notes that a library may miss something. */
export function watch(state: State, library: Library): void {
  if (library.isWatched) return;
  library.isWatched = true;
  state.watched.push(library);
}

/** Returns where a library stands. */
export function statusOf(state: State, name: string): LibraryStatus {
  const library = state.libraries.get(name);
  if (library === undefined) return { library: name, phase: "cold", epoch: "", cursor: null, lost: [] };
  return {
    library: name, phase: library.phase, epoch: library.gate.epoch ?? "", cursor: library.cursor,
    lost: library.gate.lost.ranges,
  };
}

/** Settles what waited for a cursor, and logs a change of the library's state. */
export function noteStatus(state: State, library: Library, now: number): void {
  if (!state.layers.isEmpty && state.layers.isAwaiting) edits.code.settleReached(state, library, now);
  if (!state.hasLibraryObservers) return;
  const phase = library.phase;
  const lost = library.gate.lost.ranges;
  if (phase === library.shownPhase && lost === library.shownLost) return;
  library.shownPhase = phase;
  library.shownLost = lost;
  state.log.push({ of: "library", status: statusOf(state, library.name) });
}

/** Whether more entities are kept than may be, by more than a tenth: the next input makes room first. */
export function isCrowded(state: State): boolean {
  return state.recency !== null && state.entityCount > Math.floor(state.limits.entityCountMax * 1.1);
}

/** Whether some library holds as much as it may: input waits until its upstream has answered. */
export function isFull(state: State): boolean {
  return state.watched.some((library) => library.gate.held.isOver && library.machine?.isActive === true);
}
