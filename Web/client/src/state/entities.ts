// Stage 5 of 7: writes → stored entities. Before: apply, answers, transactions. After: lists.

import { own } from "../json/own.js";
import { elementsOf, kindOf, namesOf, presentMember, stringValue } from "../json/text.js";
import { isLonger } from "../json/utf8.js";
import type { Sequence } from "../model/sequence.js";
import { nodeOf } from "../queries/named.js";
import type { Slot, TypeTable } from "../store/library.js";
import { knowable, merged } from "../store/merge.js";
import type { MergeRules } from "../store/merge.js";
import { isEvaluable } from "../store/stamp.js";
import type { Stamp, Tombstone } from "../store/stamp.js";
import { writtenWholes } from "../store/written.js";
import type { Written } from "../store/written.js";
import { canonicalId } from "../wire/identity.js";
import { followDelete, followStamp, followWrite, rememberSlot } from "./follow.js";
import type { WriteOutcome } from "./outcomes.js";
import { edits, journal, lists } from "./parts.js";
import type { State } from "./state.js";

/** Parses the merge rules in an event's metadata. */
export function mergeRules(metadata: string): MergeRules {
  const list = (name: string): string[] => {
    const value = presentMember(metadata, name);
    return value === null ? [] : elementsOf(value);
  };
  return {
    noMergeFields: new Set(list("no_merge_fields").map(stringValue)),
    alternateIds: list("alternate_ids").map((json) => kindOf(json) === "string" ? canonicalId(stringValue(json)) : json),
  };
}

/** Stores a new entity, and adds it to the lists to which it belongs. */
export function insertEntity(state: State, slot: Slot, resource: string, stamp: Stamp): void {
  const library = slot.table.library;
  const isBack = state.evicted.size > 0 && state.evicted.remove(library.name, slot.key);
  if (isBack) noteEvicted(state, slot, false);
  if (slot.node !== null) rememberSlot(state, slot);
  slot.text = own(resource);
  slot.stamp = stamp;
  slot.fields = null;
  slot.table.entityCount += 1;
  state.entityCount += 1;
  state.noteSlot(slot);
  state.touch(slot);
  if (!state.hasReaders) return;
  followStamp(state, slot, stamp);
  followWrite(state, slot, stamp.writtenAt);
}

/**
 * Replaces the value of a stored entity, and updates lists if it changed. `written` are the fields written; null for
 * all.
 */
export function overwrite(state: State, slot: Slot, resource: string, written: Written | null, stamp: Stamp): void {
  state.noteSlot(slot);
  state.touch(slot);
  if (!state.hasReaders) {
    slot.write(resource, stamp, written);
    return;
  }
  rememberSlot(state, slot);
  const completeness = slot.completeness;
  // Becoming complete is a change for readers, even when the bytes are equal.
  const isChanged = slot.write(resource, stamp, written);
  if (isChanged || completeness !== slot.completeness) followWrite(state, slot, stamp.writtenAt);
  followStamp(state, slot, stamp);
}

/** Writes an event's resource into a stored entity. */
export function writeEntity(
  state: State, slot: Slot, resource: string, rules: MergeRules | null, keepsIdentity: boolean, stamp: Stamp,
): WriteOutcome {
  const base = slot.text;
  let text = resource;
  let written: Written | null = null;
  if (rules !== null && base !== null) {
    // A merge into an entity known only from responses keeps only what a response would.
    const known = isEvaluable(slot.completeness) ? resource : knowable(resource, base, rules.noMergeFields);
    text = merged(known, base, rules.noMergeFields, keepsIdentity);
    written = writtenWholes(namesOf(known));
  }
  if (isLonger(text, state.limits.entityByteCountMax)) return "too_large";
  overwrite(state, slot, text, written, stamp);
  noteWrite(state, slot, stamp.sequence);
  return "written";
}

/**
 * Writes the fields of an event for which nothing later is known. `resource` is null for a delete. Responses need the
 * part for lists, confirmations that for edits, and both may be restored by the journal's: one of these is loaded.
 */
export function writeEarlier(state: State, slot: Slot, resource: string | null, rules: MergeRules | null, stamp: Stamp): WriteOutcome {
  const { writer } = slot.stamp;
  if (writer !== "answer" && writer !== "confirmation") return "superseded";
  const part = lists.isLoaded ? lists : edits.isLoaded ? edits : journal;
  return part.code.writeAround(state, slot, resource, rules, stamp);
}

/** Removes a stored entity; the caller updates lists. Returns false if nothing was stored. */
export function dropEntity(state: State, slot: Slot): boolean {
  if (slot.text === null) return false;
  rememberSlot(state, slot);
  slot.text = null;
  slot.fields = null;
  slot.table.entityCount -= 1;
  state.entityCount -= 1;
  state.recency?.delete(slot);
  state.noteSlot(slot);
  return true;
}

/** Deletes an entity, if it exists, leaves a tombstone, and removes it from every list. */
export function deleteEntity(state: State, slot: Slot, tombstone: Tombstone): void {
  rememberSlot(state, slot);
  dropEntity(state, slot);
  if (state.evicted.remove(slot.table.library.name, slot.key)) noteEvicted(state, slot, false);
  for (const gone of state.tombstones.insert(tombstone, slot)) {
    noteForgotten(state, gone.table);
    state.noteSlot(gone);
    state.tidy(gone);
  }
  state.noteSlot(slot);
  const node = nodeOf(slot);
  if (node === null) return;
  followDelete(state, node, tombstone.deletedAt);
  if (node.overlay !== null) edits.code.noteOutlived(state, node, tombstone.generation);
}

/** Removes the tombstone of a key that is stored again. */
export function clearTombstone(state: State, slot: Slot): void {
  if (state.tombstones.remove(slot)) state.noteSlot(slot);
}

/**
 * Records that something about a library's keys was dropped: late events up to the current position may be older than
 * it.
 */
export function noteForgotten(state: State, table: TypeTable): void {
  const library = table.library;
  const known = library.knownThrough;
  if (known === null || known === library.forgottenThrough) return;
  library.forgottenThrough = known;
  state.noteLibrary(library);
}

/** Records for the journal that a key was evicted, or is stored again. */
export function noteEvicted(state: State, slot: Slot, isEvicted: boolean): void {
  const library = slot.table.library.name;
  state.changes?.evicted.set(`${library}\n${slot.key}`, { library, key: slot.key, isEvicted });
}

/** True if an entity was evicted and has not been written or deleted since. */
export function isEvicted(state: State, slot: Slot): boolean {
  return state.evicted.has(slot.table.library.name, slot.key);
}

/** True if writes must be recorded for responses that may be older than them. */
export function isAwaitingAnswers(state: State): boolean {
  return state.fetchCount > 0 || state.queries.remoteRuleCount > 0;
}

/** Records a write for awaited responses. */
export function noteWrite(state: State, slot: Slot, sequence: Sequence | null): void {
  if (isAwaitingAnswers(state)) state.recent?.append(slot, sequence, 0, state.unit.late !== null);
}

/** Returns the only stored entity with one of the alternate ids; null if there is none, or more than one. */
export function alternateMatch(table: TypeTable, rules: MergeRules): Slot | null {
  let match: Slot | null = null;
  for (const id of rules.alternateIds) {
    const slot = table.find(id);
    if (slot === null || slot.text === null || slot === match) continue;
    if (match !== null) return null;
    match = slot;
  }
  return match;
}
