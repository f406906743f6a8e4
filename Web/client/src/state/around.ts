// Stage 5 of 7: events up to the position of a response or confirmation → the fields that these do not have. Before:
// apply.

import { own } from "../json/own.js";
import { namesOf } from "../json/text.js";
import { isLonger } from "../json/utf8.js";
import { laterFields, withLater } from "../store/later.js";
import type { LaterFields } from "../store/later.js";
import type { Slot } from "../store/library.js";
import { knowable, merged } from "../store/merge.js";
import type { MergeRules } from "../store/merge.js";
import { completenessAfter, isEvaluable } from "../store/stamp.js";
import type { FieldStamps, Stamp } from "../store/stamp.js";
import { writtenWholes } from "../store/written.js";
import { noteWrite } from "./entities.js";
import { followStamp, followWrite, rememberSlot } from "./follow.js";
import type { WriteOutcome } from "./outcomes.js";
import type { State } from "./state.js";

/** Returns the resource after an event, with the fields that stand for a later position kept, as `withLater` does. */
export function resourceAround(
  slot: Slot, resource: string, rules: MergeRules | null, kept: LaterFields,
): { text: string; earlier: string[]; } {
  if (rules === null || slot.text === null) return withLater(resource, kept);
  const known = isEvaluable(slot.completeness) ? resource : knowable(resource, slot.text, rules.noMergeFields);
  return withLater(merged(known, slot.text, rules.noMergeFields), kept);
}

/**
 * Writes the fields of an event for which nothing later is known into an entity with a newer stamp. `resource` is null
 * for a delete. O(resource · names). Protocol/queries.md, answers.
 */
export function writeAround(
  state: State, slot: Slot, resource: string | null, rules: MergeRules | null, stamp: Stamp,
): WriteOutcome {
  const kept = laterFields(slot, stamp.sequence, stamp.generation);
  if (kept === null) return "superseded";
  const { text, earlier } = resource === null ? { text: kept.text, earlier: [] } : resourceAround(slot, resource, rules, kept);
  if (isLonger(text, state.limits.entityByteCountMax)) return "too_large";
  state.noteSlot(slot);
  state.touch(slot);
  if (state.hasReaders) rememberSlot(state, slot);
  const completeness = slot.completeness;
  dateAround(slot, resource === null || rules === null ? null : namesOf(resource), kept.stamps, earlier, stamp);
  const isChanged = text !== slot.text;
  if (isChanged) slot.text = own(text);
  if (state.hasReaders) {
    if (isChanged || completeness !== slot.completeness) followWrite(state, slot, stamp.writtenAt);
    followStamp(state, slot, stamp);
  }
  if (resource !== null) noteWrite(state, slot, stamp.sequence);
  return isChanged ? "written" : "superseded";
}

/** Stamps the written fields; the slot's own stamp stays. `names` is null for all fields except those kept. */
function dateAround(
  slot: Slot, names: readonly string[] | null, kept: ReadonlyMap<string, Stamp>, earlier: readonly string[], stamp: Stamp,
): void {
  const fields: FieldStamps = names === null ? { rest: stamp, named: new Map(), completeness: "whole" }
    : slot.fields ?? { rest: slot.stamp, named: new Map(), completeness: "whole" };
  if (names !== null) {
    writtenWholes(names.filter((name) => !kept.has(name))).date(fields.named, stamp, fields.rest);
    fields.completeness = completenessAfter(fields.completeness, "event");
  }
  for (const [name, stays] of kept) fields.named.set(name, stays);
  for (const path of earlier) fields.named.set(path, stamp);
  slot.fields = fields;
}
