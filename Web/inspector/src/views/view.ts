import type { Place } from "../model/address";
import type { Drawn } from "../ui/frames";

/** A view of the inspector, with a tab of its own. */
export interface View extends Drawn {
  /** The name of its tab. */
  readonly name: string;
  /** The element of the view. */
  readonly element: HTMLElement;
  /** What the view shows: its selection and its filters. */
  readonly place: Place;
  /** Shows what an address names in this view. */
  go(place: Place): void;
  /** Starts requests and observations. */
  show(): void;
  /** Stops requests and observations. */
  hide(): void;
}
