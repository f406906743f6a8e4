// Events behind a gap, and gaps that no source closes. Before: sequencing. Laws: L7, L8.

import { predecessor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import type { EventSource } from "../sequencing/held.js";
import type { Library } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import { countDuplicate, drain } from "./sequencing.js";
import { markAllStale } from "./staleness.js";
import type { State } from "./state.js";
import { applyUnit, ownEvent } from "./several-lines.js";
import { watch } from "./watch.js";

/** Holds an event until the gap before it closes. */
export function hold(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): void {
  const held = library.gate.held;
  // The held event from the stream equals the upstream's, and was counted with its line.
  if (source.isUpstream && held.has(sequence)) return;
  const previous = event.previous ?? predecessor(sequence);
  if (!held.insert({ event: ownEvent(event), sequence, previous, source: { ...source, text: null }, heldAt: now })) {
    return countDuplicate(state, event, source);
  }
  state.hear(event, source, "held");
  watch(state, library);
  if (!held.isOver) return;
  if (state.options.hasUpstream) {
    library.isUrgent = true;
    return;
  }
  while (held.isOver && loseGap(state, library, false, now)) { /* one gap after the other */ }
}

/** Declares the first gap lost, or only its first sequence, and applies the events held behind it. */
export function loseGap(state: State, library: Library, isFirstAlone: boolean, now: number): boolean {
  if (library.gate.missing === null) return false;
  // What arrived of a unit takes effect before the gap inside it is passed over.
  if (library.scope?.isOpen === true) applyUnit(state, library, now);
  if (!library.gate.declareLost(isFirstAlone)) return false;
  state.lossCount += 1;
  state.noteLibrary(library);
  markAllStale(state, library, library.cursor, now);
  drain(state, library, now);
  return true;
}
