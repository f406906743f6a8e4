import type { RealId } from "../layers/renamings.js";

/** The outcome of writing one resource in an event. */
export type WriteOutcome = "written" | "superseded" | "too_large";

/** What a mutation's event reveals about the entities that its edit added. */
export interface Creation {
  /** The real id and the type of the edit's only new entity; null if the event does not reveal them. */
  renaming: { id: RealId; type: string; } | null;
  /** True if an entity of the edit may have a real id that only the server's response contains. */
  isOpen: boolean;
}
