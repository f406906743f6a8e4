import type { Drawn } from "../ui/frames";

/** One view of the page. */
export interface View extends Drawn {
  /** The name of its tab. */
  readonly name: string;
  readonly element: HTMLElement;
  /** Begins to ask and to listen. */
  show(): void;
  /** Ends what it asks and hears. */
  hide(): void;
}
