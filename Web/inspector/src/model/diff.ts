import type { Json } from "./json";
import { isEqual, JsonObject } from "./json";

/** A field that differs between two versions of an entity. */
export interface FieldChange {
  /** The name of the field. */
  name: string;
  /** The value before; undefined if there was none. */
  before: Json | undefined;
  /** The value after; undefined if there is none any more. */
  after: Json | undefined;
}

/** Returns the top-level members that differ, in the order of the newer version, then removed ones. */
export function differences(before: Json | undefined, after: Json | undefined): FieldChange[] {
  const names = new Set<string>();
  for (const version of [after, before]) if (version instanceof JsonObject) for (const [name] of version.members) names.add(name);
  return [...names].map((name) => ({
    name, before: before instanceof JsonObject ? before.get(name) : undefined, after: after instanceof JsonObject ? after.get(name) : undefined,
  })).filter((change) => !isEqual(change.before, change.after));
}

/**
 * Applies the patch of a `query.changed` to a list: `add`, `remove`, `replace` and `move` of whole elements. Returns
 * the changed elements.
 */
export function applyPatch<T>(elements: T[], patch: readonly Json[], make: (value: Json) => T): T[] {
  const changed: T[] = [];
  for (const step of patch) {
    if (!(step instanceof JsonObject)) continue;
    const index = Number(String(step.get("path")).slice(1));
    const value = step.get("value");
    switch (step.get("op")) {
      case "add":
        if (value !== undefined) {
          elements.splice(index, 0, make(value));
          changed.push(elements[index]);
        }
        break;
      case "remove":
        elements.splice(index, 1);
        break;
      case "replace":
        if (value !== undefined) {
          elements[index] = make(value);
          changed.push(elements[index]);
        }
        break;
      case "move": {
        const [moved] = elements.splice(Number(String(step.get("from")).slice(1)), 1);
        elements.splice(index, 0, moved);
        changed.push(moved);
        break;
      }
      default:
        break;
    }
  }
  return changed;
}
