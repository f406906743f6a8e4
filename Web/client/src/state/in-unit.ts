import type { State } from "./state.js";
import { beginUnit, endUnit } from "./units.js";

/** Runs `body` as one unit, or as a part of the unit that is already open. */
export function inUnit(state: State, now: number, body: () => void): void {
  if (state.unit.isOpen) {
    body();
    return;
  }
  beginUnit(state, true);
  body();
  endUnit(state, now);
}
