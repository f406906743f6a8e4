// Stage 4 of 7: admitted events → writes. Before: sequencing. After: entities. Laws: L1, L4, L7.

import { own } from "../json/own.js";
import { isLonger } from "../json/utf8.js";
import type { EventSource } from "../sequencing/held.js";
import type { Library, TypeTable } from "../store/library.js";
import type { MergeRules } from "../store/merge.js";
import { isNewer } from "../store/stamp.js";
import type { Stamp } from "../store/stamp.js";
import type { ChangeEvent } from "../wire/events.js";
import { alternateMatch, clearTombstone, deleteEntity, insertEntity, isEvicted, mergeRules, noteWrite, writeEarlier, writeEntity } from "./entities.js";
import { hearHeartbeat } from "./log.js";
import type { WriteOutcome } from "./outcomes.js";
import { edits, gaps, upkeep } from "./parts.js";
import { refuseOversized, setMemberAside } from "./quarantine.js";
import { invalidateBy } from "./staleness.js";
import type { State } from "./state.js";
import { beginUnit, endUnit } from "./units.js";

/** The name under which further unknown kinds are counted past the bound; not the name of any kind. */
const OTHER_KINDS = "…";

/** Applies an event whose sequence, if it has one, has been admitted. */
export function applyEffect(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): void {
  // Without lists and observers no notification is due.
  // The lines of a unit are applied within one.
  const hasReaders = state.hasReaders && !state.unit.isOpen;
  if (hasReaders) beginUnit(state, isMulti(state, event, library));
  performEffect(state, event, source, library, now);
  if (hasReaders) endUnit(state, now);
}

/** True if an event may change several entities. */
export function isMulti(state: State, event: ChangeEvent, library: Library): boolean {
  return event.members.length > 1 || library.scope !== null || event.kind === "deleted" && state.options.policy !== null
    || !state.layers.isEmpty && edits.code.maySettle(state, event, library);
}

function performEffect(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): void {
  const settle = state.layers.isEmpty ? null : edits.code.settlingBy(state, event, library);
  switch (event.kind) {
    case "changed": case "batch":
      if (upsert(state, event, source, library, now) === "too_large") {
        return refuseOversized(state, event, source, library, now);
      }
      if (event.isIndex) invalidateBy(state, event, library, now);
      break;
    case "deleted": deleteBy(state, event, library, now); break;
    case "heartbeat":
      if (library.scope !== null || event.isMarked) gaps.code.hearInScope(state, event, source, library, now);
      else if (!source.isUpstream) hearHeartbeat(state, event, library, now);
      // An upstream's heartbeat is from the past: it takes its position in the log and has no other effect.
      if (source.isUpstream) return count(state, event, source);
      break;
    case "bulk": case "refresh": invalidateBy(state, event, library, now); break;
    case "reset": case "unknown": break;
  }
  count(state, event, source);
  settle?.();
}

function upsert(state: State, event: ChangeEvent, source: EventSource, library: Library, now: number): WriteOutcome {
  const table = library.takeTable(event.type);
  const rules = event.detail === null ? null : mergeRules(event.detail);
  const stamp = eventStamp(event, library, rules !== null, now);
  let result: WriteOutcome = "superseded";
  for (const member of event.members) {
    if (member.reason !== null) {
      setMemberAside(state, member, event, source, member.reason, now);
      continue;
    }
    const outcome = upsertMember(state, table, member.id, member.resource, rules, stamp);
    if (outcome === "written") result = outcome;
    if (outcome !== "too_large") continue;
    if (event.kind !== "batch") return outcome;
    setMemberAside(state, member, event, source, "too_large", now);
  }
  return result;
}

/** Returns the stamp of an event's writes. */
export function eventStamp(event: ChangeEvent, library: Library, isPartial: boolean, now: number): Stamp {
  return { sequence: event.sequence, generation: library.gate.generation, writtenAt: now, writer: "event", isPartial };
}

function upsertMember(
  state: State, table: TypeTable, id: string, resource: string, rules: MergeRules | null, stamp: Stamp,
): WriteOutcome {
  const slot = table.take(id);
  if (slot.text !== null) {
    if (isNewer(slot.stamp, stamp.sequence, stamp.generation)) return writeEarlier(state, slot, resource, rules, stamp);
    return writeEntity(state, slot, resource, rules, false, stamp);
  }
  const tombstone = state.tombstones.size === 0 ? null : state.tombstones.get(slot);
  if (tombstone !== null && isNewer({ ...stamp, ...tombstone }, stamp.sequence, stamp.generation)) return "superseded";
  const alternate = rules === null ? null : alternateMatch(table, rules);
  if (alternate !== null) {
    const outcome = writeEntity(state, alternate, resource, rules, true, stamp);
    state.tidy(slot);
    return outcome;
  }
  // A patch without its base would store a part of the resource: the entity stays evicted until it is complete again.
  // The same holds while a response that may have included it stands for a later position than the event.
  const mayBeOld = rules !== null || mayBeAnswered(table.library, stamp);
  if (mayBeOld && tombstone === null && isEvicted(state, slot)) {
    noteWrite(state, slot, stamp.sequence);
    state.tidy(slot);
    return "superseded";
  }
  if (isLonger(resource, state.limits.entityByteCountMax)) {
    state.tidy(slot);
    return "too_large";
  }
  if (tombstone !== null) clearTombstone(state, slot);
  insertEntity(state, slot, resource, stamp);
  noteWrite(state, slot, stamp.sequence);
  return "written";
}

/** True if a response for the library stands for the same or a later position in the log. */
function mayBeAnswered(library: Library, { sequence }: { sequence: Stamp["sequence"]; }): boolean {
  return sequence !== null && library.answeredThrough !== null && sequence <= library.answeredThrough;
}

function deleteBy(state: State, event: ChangeEvent, library: Library, now: number): void {
  const generation = library.gate.generation;
  const slot = library.takeTable(event.type).take(event.members[0].id);
  if (event.isMarked && !state.layers.isEmpty) edits.code.failDeparted(state, slot);
  if (slot.text !== null && isNewer(slot.stamp, event.sequence, generation)) {
    writeEarlier(state, slot, null, null, eventStamp(event, library, false, now));
    return;
  }
  noteWrite(state, slot, event.sequence);
  // The evicted value may have been newer than the delete.
  if (isEvicted(state, slot) && mayBeAnswered(library, event)) return;
  const tombstone = { sequence: event.sequence, generation, deletedAt: now };
  if (state.options.policy === null) deleteEntity(state, slot, tombstone);
  else upkeep.code.deleteWithOthers(state, slot, tombstone, false);
}

/** Counts an event as `applied`, as `ignored` if its kind is unknown, or as `reconciled` if an upstream returned it. */
export function count(state: State, event: ChangeEvent, source: EventSource): void {
  const isUnknown = event.kind === "unknown";
  if (isUnknown) {
    const kinds = state.ignoredKinds;
    const name = own(event.name.slice(0, state.limits.typeByteCountMax));
    const counted = kinds.has(name) || kinds.size < state.limits.ignoredKindCountMax ? name : OTHER_KINDS;
    kinds.set(counted, (kinds.get(counted) ?? 0) + 1);
  }
  const bin = source.isUpstream ? "reconciled" : isUnknown ? "ignored" : "applied";
  state.counts[bin] += 1;
  if (state.tap !== null) state.hear(event, source, bin);
}
