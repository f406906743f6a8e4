import type { Place } from "../model/address";
import type { Drawn } from "../ui/frames";

/** One view of the page. */
export interface View extends Drawn {
  /** The name of its tab. */
  readonly name: string;
  readonly element: HTMLElement;
  /** What it shows: what is chosen in it, and how it is filtered. */
  readonly place: Place;
  /** Shows what an address names. */
  go(place: Place): void;
  /** Begins to ask and to listen. */
  show(): void;
  /** Ends what it asks and hears. */
  hide(): void;
}
