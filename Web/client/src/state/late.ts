// Stage 4 of 7, for events whose sequence was declared lost. Protocol/sequencing.md, late events. Laws: L4, L7.

import { kindOf, membersOf, namesOf } from "../json/text.js";
import { isLonger } from "../json/utf8.js";
import { earlier, successor } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { clearLoss } from "../sequencing/covered.js";
import type { EventSource } from "../sequencing/held.js";
import type { LostRange } from "../sequencing/lost.js";
import type { Library, Slot, TypeTable } from "../store/library.js";
import type { MergeRules } from "../store/merge.js";
import type { Stamp } from "../store/stamp.js";
import { topLevel } from "../store/written.js";
import type { ChangeEvent } from "../wire/events.js";
import { count, eventStamp, isMulti } from "./apply.js";
import { refuseLateOversized } from "./aside.js";
import { alternateMatch, clearTombstone, deleteEntity, insertEntity, isEvicted, mergeRules, noteWrite, writeEntity } from "./entities.js";
import { edits, upkeep } from "./parts.js";
import { setMemberAside } from "./quarantine.js";
import { invalidateBy } from "./staleness.js";
import type { State } from "./state.js";
import { beginUnit, endUnit } from "./units.js";

/** The outcome of a late write; `held_off` if the resulting entity would be unknown. */
type LateEffect = "written" | "superseded" | "held_off" | "too_large";

const HELD_OFF_COUNT_MAX = 1_024;

/** Applies an event whose sequence was lost, as one unit. The cursor does not move. True if it wrote something. */
export function applyLate(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
): boolean {
  state.counts.late += 1;
  state.noteLibrary(library);
  const hasReaders = state.hasReaders;
  if (hasReaders) beginUnit(state, isMulti(state, event, library));
  state.unit.late = sequence;
  const isCopy = library.heldOff.has(sequence);
  const creation = state.layers.isEmpty ? null : edits.code.creationBy(state, event, library);
  const effects = writeLate(state, event, sequence, source, isCopy, library, now);
  if (event.kind === "changed" && effects[0] === "too_large") {
    refuseLateOversized(state, event, source, isCopy, library, now);
  } else {
    count(state, event, source);
    // A mutation whose result is not stored must not settle a layer.
    if (!state.layers.isEmpty) edits.code.settleNamed(state, event, creation, library);
  }
  state.unit.late = null;
  if (hasReaders) endUnit(state, now);
  if (!effects.includes("held_off") && !effects.includes("too_large")) {
    const first = event.previous === null ? sequence : earlier(successor(event.previous), sequence);
    recover(state, { first, last: sequence }, library);
  }
  if (!library.gate.lost.contains(sequence)) library.heldOff.delete(sequence);
  else if (library.heldOff.size < HELD_OFF_COUNT_MAX) library.heldOff.add(sequence);
  return effects.includes("written");
}

/** Removes a range from the lost ones. Once none is left and no list is stale, the library is no longer stale. */
export function recover(state: State, range: LostRange, library: Library): void {
  library.gate.lost.remove(range);
  if (!library.gate.lost.isEmpty) return;
  const isAnyStale = state.queries.all.some(
    (query) => query.library === library && query.isStored && query.invalidSince !== null);
  if (!isAnyStale) clearLoss(library.gate);
}

function writeLate(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, isCopy: boolean, library: Library, now: number,
): LateEffect[] {
  switch (event.kind) {
    case "changed": case "batch": {
      const effects = upsertLate(state, event, sequence, source, isCopy, library, now);
      if (event.isIndex && !isCopy) invalidateBy(state, event, library, now);
      return effects;
    }
    case "deleted": return [deleteLate(state, event, sequence, library, now)];
    case "bulk": case "refresh":
      if (isCopy) return [];
      invalidateBy(state, event, library, now);
      return ["written"];
    // A heartbeat is from the past, and a reset to the current log has been performed already.
    case "heartbeat": case "reset": case "unknown": return [];
  }
}

function upsertLate(
  state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, isCopy: boolean, library: Library, now: number,
): LateEffect[] {
  const table = library.takeTable(event.type);
  const rules = event.detail === null ? null : mergeRules(event.detail);
  const stamp = eventStamp(event, library, rules !== null, now);
  const effects: LateEffect[] = [];
  // An event may write an entity twice: its own first write does not count as later.
  const written = new Set<Slot>();
  for (const member of event.members) {
    if (member.reason !== null) {
      if (!isCopy) setMemberAside(state, member, event, source, member.reason, now);
      continue;
    }
    const effect = upsertMember(state, table, member.id, member.resource, rules, stamp, sequence, written);
    if (effect === "too_large" && event.kind === "batch" && !isCopy) {
      setMemberAside(state, member, event, source, "too_large", now);
    }
    effects.push(effect);
  }
  return effects;
}

function upsertMember(
  state: State, table: TypeTable, id: string, resource: string, rules: MergeRules | null, stamp: Stamp,
  sequence: Sequence, written: Set<Slot>,
): LateEffect {
  const slot = table.take(id);
  if (slot.text !== null) return writeOver(state, slot, resource, rules, false, stamp, sequence, written);
  const tombstone = state.tombstones.get(slot);
  if (tombstone !== null && tombstone.generation === stamp.generation) {
    if (tombstone.sequence === null) return "held_off";
    if (tombstone.sequence >= sequence) return "superseded";
  }
  const alternate = rules === null ? null : alternateMatch(table, rules);
  if (alternate !== null) {
    state.tidy(slot);
    return writeOver(state, alternate, resource, rules, true, stamp, sequence, written);
  }
  const isUnwritable = tombstone === null && isForgotten(state, slot, sequence);
  if (isUnwritable || isLonger(resource, state.limits.entityByteCountMax)) {
    state.tidy(slot);
    return isUnwritable ? "held_off" : "too_large";
  }
  if (tombstone !== null) clearTombstone(state, slot);
  insertEntity(state, slot, resource, stamp);
  noteWrite(state, slot, sequence);
  written.add(slot);
  return "written";
}

function writeOver(
  state: State, slot: Slot, resource: string, rules: MergeRules | null, keepsIdentity: boolean, stamp: Stamp,
  sequence: Sequence, written: Set<Slot>,
): LateEffect {
  const stored = slot.stamp;
  if (stored.generation === stamp.generation) {
    // A write without a sequence may have happened before or after the event.
    if (stored.sequence === null) return "held_off";
    const isOwn = stored.sequence === sequence && written.has(slot);
    if (stored.sequence > sequence || stored.sequence === sequence && !isOwn) {
      const names = namesOf(resource);
      return isSuperseded(slot, rules === null ? "replacement" : "merge", names, sequence, stamp.generation)
        ? "superseded" : "held_off";
    }
  }
  if (writeEntity(state, slot, resource, rules, keepsIdentity, stamp) === "too_large") return "too_large";
  written.add(slot);
  return "written";
}

function deleteLate(state: State, event: ChangeEvent, sequence: Sequence, library: Library, now: number): LateEffect {
  const generation = library.gate.generation;
  const slot = library.takeTable(event.type).take(event.members[0].id);
  const tombstone = state.tombstones.get(slot);
  if (slot.text !== null) {
    if (slot.stamp.generation === generation) {
      if (slot.stamp.sequence === null) return "held_off";
      if (slot.stamp.sequence >= sequence) {
        return isSuperseded(slot, "deletion", [], sequence, generation) ? "superseded" : "held_off";
      }
    }
  } else if (tombstone !== null && tombstone.generation === generation) {
    if (tombstone.sequence === null || tombstone.sequence >= sequence) return "superseded";
  } else if (tombstone === null && isForgotten(state, slot, sequence)) {
    state.tidy(slot);
    return "held_off";
  }
  const deletion = { sequence, generation, deletedAt: now };
  if (state.options.policy === null) deleteEntity(state, slot, deletion);
  else upkeep.code.deleteWithOthers(state, slot, deletion, true);
  noteWrite(state, slot, sequence);
  return "written";
}

/** True if a key without a stored entity may have had a newer value that was since dropped. */
function isForgotten(state: State, slot: Slot, sequence: Sequence): boolean {
  const through = slot.table.library.forgottenThrough;
  return isEvicted(state, slot) || through !== null && sequence <= through;
}

/**
 * True if an entity would be the same if the late write had been in order: the whole entity was written later, or every
 * field that the write sets or would have removed was. An object that an event merged counts as older.
 */
function isSuperseded(
  slot: Slot, write: "replacement" | "merge" | "deletion", names: readonly string[], sequence: Sequence, generation: number,
): boolean {
  const isLater = (stamp: Stamp): boolean =>
    stamp.sequence !== null && stamp.generation === generation && stamp.sequence >= sequence;
  const rest = slot.fields === null ? slot.stamp : slot.fields.rest;
  if (!rest.isPartial && isLater(rest)) return true;
  const members = membersOf(slot.text ?? "{}");
  const later = new Set<string>();
  for (const member of members) {
    const stamp = slot.fields === null ? slot.stamp : slot.stampOf(member.name);
    const isMerged = stamp.writer === "event" && kindOf(member.value) === "object";
    // An object that a response merged is later only if all of its members are.
    const isWhole = [...slot.fields?.named ?? []].every(([path, own]) => isLater(own) || topLevel(path) !== member.name);
    if (isLater(stamp) && isWhole && !isMerged) later.add(member.name);
  }
  const hasNames = names.every((name) => later.has(name));
  switch (write) {
    case "replacement": return later.size === members.length && hasNames;
    case "merge": return hasNames;
    case "deletion": return later.size === members.length;
  }
}
