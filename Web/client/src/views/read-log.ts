import type { Entity } from "./entity.js";
import type { GroupSet } from "./groups.js";

/**
 * What an evaluation of one row read: a change of any of it may change the row. Entities that were found in a bucket are
 * not noted one by one, because each of their changes touches the bucket.
 */
export class ReadLog {
  /** The keys of entities that includes asked for and that the cache does not know. */
  readonly missing = new Set<string>();
  /** The entities of the row and of its includes. */
  readonly entities = new Set<Entity>();
  /** The groups of the row's includes, by index, where a changed match can be added to them. */
  readonly groups = new Map<number, GroupSet>();

  /** Creates a log; `reads` are the keys of entities and the names of buckets. */
  constructor(readonly reads = new Set<string>()) { }
}
