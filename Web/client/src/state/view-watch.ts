import type { Slot } from "../store/library.js";

/** The live views of a cache, as the state sees them. */
export interface ViewWatch {
  /** True if entities changed that views have. */
  readonly isDirty: boolean;
  /** Records that an entity, its tombstone or its layers may have changed. */
  note(slot: Slot): void;
  /** True if entities of a slot's type are evicted last, because views have them. */
  keeps(slot: Slot): boolean;
  /**
   * Brings the views up to date with the last unit, and logs what changed. Called before the next unit begins, when the
   * cursor has moved, and before observers are notified.
   */
  settle(): void;
}
