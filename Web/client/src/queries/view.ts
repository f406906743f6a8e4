import type { Pointer } from "../json/pointer.js";
import type { ScopePath } from "./path.js";
import type { OrderValue } from "./value.js";

/** The position of an element in a list that a rule orders. */
export interface SortKey {
  /** The values that the rule orders by. */
  values: readonly OrderValue[];
  /** The id of the entity, which decides between equal values. */
  id: string;
}

/** A resource as rules read it; each pointer is read once. */
export class ResourceView {
  private readonly values = new Map<Pointer, string | null>();
  /** The paths read so far, by the pointer to the first of them. */
  readonly paths = new Map<Pointer, readonly ScopePath[]>();

  /** Creates a view of a resource. */
  constructor(readonly json: string) { }

  /** Returns the value at a pointer as JSON; null if there is none. */
  at(pointer: Pointer): string | null {
    let value = this.values.get(pointer);
    if (value === undefined) {
      value = pointer.value(this.json);
      this.values.set(pointer, value);
    }
    return value;
  }
}

/** A condition of a rule: the value at a pointer must be one of several. */
export interface Requirement {
  /** The pointer into the resource. */
  pointer: Pointer;
  /** The accepted values, as `exactCode` writes them. */
  codes: ReadonlySet<string>;
}

/** The rule of a query's list: which entities belong to it, and in which order. Protocol/queries.md, membership. */
export interface Rule {
  /** The type of the entities. */
  resourceType: string;
  /** The number of elements that readers see, from the first on. */
  limit: number;
  /** True if the rule has a limit. */
  hasLimit: boolean;
  /** A condition that every element matches, used to index queries; null if there is none. */
  requirement: Requirement | null;
  /** True if a resource belongs to the list. */
  matches(view: ResourceView): boolean;
  /** Returns the sort key of a resource. */
  sortKey(view: ResourceView, id: string): SortKey;
  /** Compares two sort keys: returns a number below 0, 0 or above 0. */
  compare(left: SortKey, right: SortKey): number;
}
