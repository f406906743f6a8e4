// Stage 3 of 7: decoded events → their libraries. Before: decoder. After: sequencing. Laws: L4, L7.

import type { EventSource } from "../sequencing/held.js";
import type { ChangeEvent } from "../wire/events.js";
import { count } from "./apply.js";
import { edits } from "./parts.js";
import { refuse } from "./quarantine.js";
import { offer } from "./sequencing.js";
import { invalidateBy } from "./staleness.js";
import type { State } from "./state.js";
import { beginUnit, endUnit } from "./units.js";

/** Admits a usable event. If nothing is missing before it, applies it and the events held for it. */
export function take(state: State, event: ChangeEvent, source: EventSource, now: number): void {
  if (event.sequence === null && (event.kind === "bulk" || event.kind === "refresh" || event.kind === "unknown")) {
    // The library may be unknown: the event changes no entity.
    count(state, event, source);
    const library = state.libraries.get(event.library ?? state.defaultLibrary) ?? null;
    if (event.kind !== "unknown") invalidateBy(state, event, library, now);
    if (library !== null && !state.layers.isEmpty && event.mutationId !== null) {
      beginUnit(state, true);
      edits.code.settlingBy(state, event, library)();
      endUnit(state, now);
    }
    return;
  }
  const library = state.takeLibrary(event.library ?? state.defaultLibrary);
  if (library === null) return refuse(state, event, source, "too_many_libraries", now);
  if (event.type !== "" && !state.takeType(event.type)) return refuse(state, event, source, "bad_type", now);
  offer(state, event, source, library, now);
}
