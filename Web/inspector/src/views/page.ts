import type { Facts } from "../link/facts";
import type { Link } from "../link/link";
import type { Json } from "../model/json";
import type { Frames } from "../ui/frames";

/** The page around the views, as they use it: what they share, and the ways from one to another. */
export interface Page {
  /** The connection to the cache. */
  readonly link: Link;
  /** The counters of the cache. */
  readonly facts: Facts;
  /** Schedules redraws. */
  readonly frames: Frames;
  /** True if the cache can only be read. */
  readonly isReadOnly: boolean;
  /** Writes the current view into the address, as a new step that Back undoes, or in place of the current one. */
  moved(isStep?: boolean): void;
  /** Opens the Entities view on an entity. */
  openEntity(library: string, key: string): void;
  /** Opens the Queries view on a query. */
  openQuery(library: string, method: string, input: string): void;
  /** Opens the Pending edits view on an edit. */
  openPending(pendingId: string): void;
  /** Opens the Log view on the event at a sequence. */
  openEvent(library: string, sequence: number): void;
  /** Opens the Log view on an event that the cache keeps. */
  openKept(event: Json): void;
  /** Shows a one-line message about what was done, or what failed. */
  tell(text: string): void;
  /** Shows an error as a one-line message. */
  tellError(error: unknown): void;
}
