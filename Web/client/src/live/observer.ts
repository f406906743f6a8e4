import type { Sink } from "../engine/notifications.js";
import type { Binding } from "../views/binding.js";
import type { ViewWindow } from "../views/window.js";

/** What an observer was told of its result beside the rows. */
export interface Told { total: number; stale: boolean; pending: boolean; missing: number; }

/** An observer of a view. */
export interface ViewObserver {
  /** The number that the observer's notifications carry. */
  readonly subscription: number;
  readonly window: ViewWindow;
  readonly sink: Sink;
  /** The name of the defined view; null for a rule. */
  readonly name: string | null;
  /** The params of the use as JSON; null for none. */
  readonly params: string | null;
  binding: Binding;
  /** True if the keys of added rows are told. */
  readonly hasKeys: boolean;
  /** The own offset and limit of the observer; null for those of the rule. */
  offset: number | null;
  limit: number | null;
  /** How many entities of the view's types had been evicted when the observation began. */
  readonly evictions: number;
  told: Told;
}
