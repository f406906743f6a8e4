import type { Library } from "../store/library.js";
import { edits } from "./parts.js";
import type { LibraryStatus } from "./records.js";
import type { State } from "./state.js";

/** Records that a library may have missing events. */
export function watch(state: State, library: Library): void {
  if (library.isWatched) return;
  library.isWatched = true;
  state.watched.push(library);
}

/** Returns the position, phase and lost ranges of a library; `cold` for an unknown one. */
export function statusOf(state: State, name: string): LibraryStatus {
  const library = state.libraries.get(name);
  if (library === undefined) return { library: name, phase: "cold", epoch: "", cursor: null, lost: [] };
  return {
    library: name, phase: library.phase, epoch: library.gate.epoch ?? "", cursor: library.cursor,
    lost: library.gate.lost.ranges,
  };
}

/** Settles layers that waited for the cursor, and logs a change of the library's phase or lost ranges. */
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

/** True if the number of entities exceeds `entityCountMax` by more than a tenth: the next input evicts first. */
export function isCrowded(state: State): boolean {
  return state.recency !== null && state.entityCount > Math.floor(state.limits.entityCountMax * 1.1);
}

/** True if a library has reached its bound of held events: input waits until its upstream has responded. */
export function isFull(state: State): boolean {
  return state.watched.some((library) => library.gate.held.isOver && library.machine?.isActive === true);
}
