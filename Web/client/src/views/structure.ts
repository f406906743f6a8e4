import type { Pointer } from "../json/pointer.js";
import { exactCode } from "../queries/value.js";
import type { Entity } from "./entity.js";

/**
 * The values of a source that can change which rows there are, their order and their groups. A change of other values
 * only changes what shown rows look like.
 */
export class Structure {
  private readonly values: Pointer[] = [];
  private readonly references: Pointer[] = [];

  /** Adds a value that is compared as `eq` does. */
  addValue(pointer: Pointer): void { addTo(this.values, pointer); }

  /** Adds a value that refers to entities. Its spelling counts: 1 is an id, and 1.0 is none. */
  addReference(pointer: Pointer): void { addTo(this.references, pointer); }

  /** True if one of the values differs between an entity and a later resource of it. */
  differs(old: Entity, fresh: Entity): boolean {
    for (const pointer of this.values) {
      const before = old.value(pointer);
      const after = fresh.value(pointer);
      if (before !== after && (before === null || after === null || exactCode(before) !== exactCode(after))) return true;
    }
    for (const pointer of this.references) if (old.value(pointer) !== fresh.value(pointer)) return true;
    return false;
  }
}

function addTo(pointers: Pointer[], pointer: Pointer): void {
  if (!pointers.some(({ key }) => key === pointer.key)) pointers.push(pointer);
}
