// Retries a quarantined line, for example with other limits. Protocol/errors.md, quarantine.

import type { Engine } from "../cache/engine.js";
import { byteLength, isLonger } from "../json/utf8.js";
import type { EventSource } from "../sequencing/held.js";
import { applyEffect } from "../state/apply.js";
import { resourceAround } from "../state/around.js";
import { alternateMatch, isEvicted, mergeRules } from "../state/entities.js";
import { applyLate } from "../state/late.js";
import type { QuarantineRecord } from "../state/records.js";
import { offer } from "../state/sequencing.js";
import { noteStatus } from "../state/watch.js";
import { laterFields } from "../store/later.js";
import type { Library, Slot } from "../store/library.js";
import { merged } from "../store/merge.js";
import { isNewer } from "../store/stamp.js";
import type { ChangeEvent, Line } from "../wire/events.js";

/** The outcome of a retry: the record took effect, something newer is stored, or it still cannot be used. */
export type RetryOutcome = "applied" | "superseded" | "refused";

/** Retries one record, and removes it from quarantine unless it is refused. It is not counted a second time. */
export function retry(engine: Engine, record: QuarantineRecord): RetryOutcome {
  const { state } = engine;
  const { excerpt } = record;
  if (record.kind !== "line" || typeof excerpt !== "string" || record.byteCount > byteLength(excerpt)) return "refused";
  const line: Line = {
    text: excerpt, bytes: new Uint8Array(0), byteCount: record.byteCount, number: record.line, offset: record.offset, isTooLong: false,
    piece: null,
  };
  const decoded = engine.decode(line);
  if (decoded.is === "unusable" || decoded.is === "message") return "refused";
  const counts = { ...state.counts };
  const kinds = [...state.ignoredKinds];
  const source: EventSource = { isUpstream: false, line: record.line, offset: record.offset, byteCount: record.byteCount, text: excerpt };
  const outcome = decoded.is === "event" ? applied(engine, decoded.event, source, record.receivedAt) : "applied";
  Object.assign(state.counts, counts);
  state.ignoredKinds.clear();
  for (const [name, count] of kinds) state.ignoredKinds.set(name, count);
  if (outcome === "refused") return outcome;
  const index = state.quarantine.indexOf(record);
  if (index >= 0) state.quarantine.splice(index, 1);
  return outcome;
}

function applied(engine: Engine, event: ChangeEvent, source: EventSource, receivedAt: number): RetryOutcome {
  const { state } = engine;
  const now = engine.now();
  const library = state.takeLibrary(event.library ?? state.defaultLibrary);
  if (library === null || event.type !== "" && !state.takeType(event.type)) return "refused";
  const { sequence } = event;
  const { gate } = library;
  if (sequence !== null && gate.cursor !== null && event.kind !== "reset") {
    if (event.epoch !== null && gate.epoch !== null && event.epoch !== gate.epoch) return "superseded";
    if (sequence <= gate.cursor) {
      if (!gate.lost.contains(sequence)) return "superseded";
      if (isOversized(engine, event, library)) return "refused";
      const isWritten = applyLate(state, event, sequence, source, library, now);
      noteStatus(state, library, now);
      if (isWritten) return "applied";
      // A late event that was held off is the only copy.
      return gate.lost.contains(sequence) ? "refused" : "superseded";
    }
  }
  if (sequence === null && isWrittenSince(engine, event, library, receivedAt)) return "superseded";
  if (isOversized(engine, event, library)) return "refused";
  if (sequence !== null || event.kind === "reset") {
    offer(state, event, source, library, now);
    return "applied";
  }
  // An old heartbeat, refresh or bulk operation has no meaning now.
  if (event.kind === "deleted" && slots(event, library).some((slot) => isEvicted(state, slot))) return "superseded";
  if (event.kind === "changed" || event.kind === "batch" || event.kind === "deleted") applyEffect(state, event, source, library, now);
  return "applied";
}

function slots(event: ChangeEvent, library: Library): Slot[] {
  return event.members.flatMap(({ id, reason }) => reason === null ? [library.takeTable(event.type).take(id)] : []);
}

/** True if an entity in an event was written or deleted after a time. */
function isWrittenSince({ state }: Engine, event: ChangeEvent, library: Library, time: number): boolean {
  if (event.type === "") return false;
  return slots(event, library).some((slot) => {
    const at = slot.text !== null ? slot.stamp.writtenAt : state.tombstones.get(slot)?.deletedAt ?? null;
    state.tidy(slot);
    return at !== null && at > time;
  });
}

/** True if an event would make its one entity too large. */
function isOversized({ state }: Engine, event: ChangeEvent, library: Library): boolean {
  const [member] = event.members;
  if (event.kind !== "changed" || member === undefined) return false;
  const table = library.table(event.type);
  const own = table?.find(member.id) ?? null;
  const stored = own !== null && own.text !== null ? own : null;
  const rules = event.detail === null ? null : mergeRules(event.detail);
  if (stored !== null && isNewer(stored.stamp, event.sequence, library.gate.generation)) {
    const kept = laterFields(stored, event.sequence, library.gate.generation);
    return kept !== null && isLonger(resourceAround(stored, member.resource, rules, kept).text, state.limits.entityByteCountMax);
  }
  const base = stored ?? (rules === null || table === null ? null : alternateMatch(table, rules));
  const text = rules === null || base === null || base.text === null ? member.resource
    : merged(member.resource, base.text, rules.noMergeFields, stored === null);
  return isLonger(text, state.limits.entityByteCountMax);
}
