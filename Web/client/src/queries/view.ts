import type { ScopePath } from "./path.js";
import type { Pointer } from "./pointer.js";
import type { OrderValue } from "./value.js";

/** The place of an element in a list that a rule puts in order. */
export interface SortKey {
  values: readonly OrderValue[];
  id: string;
}

/** What a rule reads of a resource; each pointer is looked up once. */
export class ResourceView {
  private readonly values = new Map<Pointer, string | null>();
  /** The paths that were read, by the pointer to the first one. */
  readonly paths = new Map<Pointer, readonly ScopePath[]>();

  constructor(readonly json: string) { }

  at(pointer: Pointer): string | null {
    let value = this.values.get(pointer);
    if (value === undefined) {
      value = pointer.value(this.json);
      this.values.set(pointer, value);
    }
    return value;
  }
}

/** Values of which a resource must have one at a pointer to fulfil a rule. */
export interface Requirement {
  pointer: Pointer;
  codes: ReadonlySet<string>;
}

/** What belongs to a query's list, and in which order. Protocol/queries.md, membership. */
export interface Rule {
  resourceType: string;
  /** The number of first elements that readers see. */
  limit: number;
  hasLimit: boolean;
  /** A condition that every element fulfils, by which queries are filed; null when there is none. */
  requirement: Requirement | null;
  matches(view: ResourceView): boolean;
  sortKey(view: ResourceView, id: string): SortKey;
  compare(left: SortKey, right: SortKey): number;
}
