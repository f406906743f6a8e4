// What a delete takes along. Protocol/policy.md, what is deleted along.

import type { Slot } from "../store/slot.js";
import { isNewer } from "../store/stamp.js";
import type { Tombstone } from "../store/stamp.js";
import { deleteEntity, noteWrite } from "./entities.js";
import type { State } from "./state.js";

/** The most entities that one delete takes along; those further away stay. */
const CASCADE_COUNT_MAX = 1_000_000;

/**
 * Returns the entities that go along with the roots, each once, the nearest first; without the roots.
 *
 * `isGoing`: whether an entity exists and goes too; one that stays keeps those that it refers to. `text`: the resource of
 * an entity that goes. O(resources of what goes).
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

/** Returns the resource that is stored. */
export const storedText = (slot: Slot): string | null => slot.text;

/**
 * Deletes an entity as the server did, and what goes along with it: all but newer ones. `isLate`: out of order, so that what
 * has the number of the delete, or none since the log began, may be newer and stays.
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
