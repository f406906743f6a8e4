import type { Layer } from "../layers/layer.js";
import type { Sequence } from "../model/sequence.js";
import type { KeyNode } from "../queries/node.js";
import type { Query } from "../queries/query.js";

/** One event, batch, transaction, answer or change of layers: observers get one notification of all its changes. */
export class Unit {
  isOpen = false;
  /** Whether it may change several entities, or one list in several places. */
  isMulti = false;
  /** Whether an element may look the same as before although a step says that it changed. */
  isUncertain = false;
  /** The number of the write under way. */
  stamp = 0;
  readonly touched: Query[] = [];
  /** The observed entities that may have changed. */
  readonly entities = new Set<KeyNode>();
  /** What observers saw of keys before the unit. */
  readonly olds = new Map<KeyNode, string | null>();
  readonly partialOlds = new Set<KeyNode>();
  readonly renamed: { from: KeyNode; to: KeyNode; }[] = [];
  /** Confirmed layers that waited for a log that is over, and whose entity the new one wrote. */
  readonly outlived = new Set<Layer>();
  /** The number of the late event under way; null for any other. */
  late: Sequence | null = null;
}
