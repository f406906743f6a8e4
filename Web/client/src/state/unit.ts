import type { Layer } from "../layers/layer.js";
import type { Sequence } from "../model/sequence.js";
import type { KeyNode, Query } from "../queries/query.js";

/**
 * A unit of change: one event, batch, transaction, response or change of layers. Each observer gets one notification of
 * all its changes.
 */
export class Unit {
  /** True while a unit is running. */
  isOpen = false;
  /** True if the unit may change several entities, or one list in several places. */
  isMulti = false;
  /** True if an element may be unchanged although a step reports a change. */
  isUncertain = false;
  /** The number of the current write. */
  stamp = 0;
  /** The queries that the unit changed. */
  readonly touched: Query[] = [];
  /** The observed entities that may have changed. */
  readonly entities = new Set<KeyNode>();
  /** The visible resources of keys before the unit. */
  readonly olds = new Map<KeyNode, string | null>();
  /** The keys that were only partly known before the unit. */
  readonly partialOlds = new Set<KeyNode>();
  /** The renamed keys. */
  readonly renamed: { from: KeyNode; to: KeyNode; }[] = [];
  /** Confirmed layers that waited for an event in an ended log, and whose entity the new log wrote. */
  readonly outlived = new Set<Layer>();
  /** The sequence of the late event that is being applied; null for anything else. */
  late: Sequence | null = null;
}
