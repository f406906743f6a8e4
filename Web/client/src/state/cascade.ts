// Cascading deletes. Protocol/policy.md, what is deleted along.

import type { Slot } from "../store/library.js";
import { isNewer } from "../store/stamp.js";
import type { Tombstone } from "../store/stamp.js";
import { deleteEntity, noteWrite } from "./entities.js";
import type { State } from "./state.js";

/** Maximum number of entities that one delete removes along with its own; those further away stay. */
const CASCADE_COUNT_MAX = 1_000_000;

/**
 * Returns the entities that are deleted along with the roots, each once, nearest first; without the roots.
 *
 * `isGoing`: true if an entity exists and is deleted, too; one that stays keeps those that it refers to. `text` returns
 * the resource of a deleted entity. O(resources of the deleted entities).
 */
export function cascade(
  state: State, roots: readonly Slot[], text: (slot: Slot) => string | null, isGoing = (slot: Slot): boolean => text(slot) !== null,
): Slot[] {
  const { policy, aliases } = state.options;
  if (policy === null) return [];
  const seen = new Set(roots);
  const going = [...roots];
  for (let next = 0; next < going.length && going.length - roots.length < CASCADE_COUNT_MAX; next += 1) {
    const slot = going[next];
    const resource = text(slot);
    if (resource === null) continue;
    for (const { type, id } of policy.references(slot.table.name, resource, aliases)) {
      const other = slot.table.library.table(type)?.find(id) ?? null;
      if (other === null || seen.has(other)) continue;
      seen.add(other);
      if (isGoing(other)) going.push(other);
    }
  }
  return going.slice(roots.length, roots.length + CASCADE_COUNT_MAX);
}

/** Returns the stored resource of a slot; null if there is none. */
export const storedText = (slot: Slot): string | null => slot.text;

/**
 * Deletes an entity as the server did, and its dependents except for newer ones. `isLate`: the delete is out of order,
 * so that dependents with its own sequence, or with none since the log began, may be newer and stay.
 */
export function deleteWithOthers(state: State, root: Slot, tombstone: Tombstone, isLate: boolean): void {
  const { sequence, generation } = tombstone;
  const along = cascade(state, [root], storedText, ({ text, stamp }) => {
    if (text === null) return false;
    if (!isLate || stamp.generation !== generation) return !isNewer(stamp, sequence, generation);
    return stamp.sequence !== null && sequence !== null && stamp.sequence < sequence;
  });
  deleteEntity(state, root, tombstone);
  for (const slot of along) {
    deleteEntity(state, slot, tombstone);
    noteWrite(state, slot, sequence);
  }
}
