// Transactions: all operations take effect, or none. Protocol/sessions.md, cache.transaction.

import { membersOf, namesOf } from "../json/text.js";
import { compareBytes, isLonger } from "../json/utf8.js";
import { CacheError, noRoomFor } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import { assigned } from "../store/assigned.js";
import { mergedByPath } from "../store/graph.js";
import type { Library, Slot } from "../store/library.js";
import { writtenBoth } from "../store/merged.js";
import type { Stamp } from "../store/stamp.js";
import { writtenWholes } from "../store/written.js";
import type { Written } from "../store/written.js";
import { clearTombstone, deleteEntity, insertEntity, isAwaitingAnswers, overwrite } from "./entities.js";
import { upkeep } from "./parts.js";
import { forgetEntity, matchesKey, selectedSlots } from "./removal.js";
import { dropOutlived } from "./settling.js";
import type { State } from "./state.js";
import type { Step } from "./steps.js";
import { beginUnit, endUnit } from "./units.js";

/** The new state of an entity: a value with the written fields (null for all), deleted, or removed from the cache. */
type Outcome = { text: string; written: Written | null; } | "deleted" | "forgotten";

/**
 * Applies all steps in order or none, as one unit. `expected` has the sequences that stored entities must have, by
 * step.
 */
export function transact(
  state: State, steps: readonly Step[], libraryName: string, expected: ReadonlyMap<number, Sequence | null>, now: number,
): void {
  if (steps.length === 0) return;
  const library = state.takeLibrary(libraryName);
  if (library === null) throw noRoomFor("library");
  const outcomes = outcomesOf(state, steps, library, expected);
  const generation = library.gate.generation;
  const stamp: Stamp = { sequence: null, generation, writtenAt: now, writer: "transaction", isPartial: false };
  library.editCount += 1;
  beginUnit(state, true);
  for (const [slot, outcome] of outcomes) {
    if (outcome === "deleted") deleteEntity(state, slot, { sequence: null, generation, deletedAt: now });
    else if (outcome === "forgotten") forgetEntity(state, slot, now);
    else write(state, slot, outcome.text, outcome.written, stamp);
    if (isAwaitingAnswers(state)) state.recent?.append(slot, null);
  }
  dropOutlived(state);
  endUnit(state, now);
}

function write(state: State, slot: Slot, text: string, written: Written | null, stamp: Stamp): void {
  if (slot.text !== null) return overwrite(state, slot, text, written, stamp);
  clearTombstone(state, slot);
  insertEntity(state, slot, text, stamp);
}

function outcomesOf(
  state: State, steps: readonly Step[], library: Library, expected: ReadonlyMap<number, Sequence | null>,
): Map<Slot, Outcome> {
  const outcomes = new Map<Slot, Outcome>();
  steps.forEach((step, index) => {
    if (step.op === "remove") {
      forget(state, step, library, outcomes);
      return;
    }
    const slot = state.takeSlot(library, step.type, step.id);
    const wanted = expected.get(index);
    // An expected sequence of an entity that does not exist is a conflict, whatever the step would do.
    if (wanted !== undefined) checkExpected(slot, wanted, index);
    const outcome = outcomeOf(slot, step, index, outcomes.get(slot));
    if (typeof outcome === "object" && isLonger(outcome.text, state.limits.entityByteCountMax)) {
      throw new CacheError("limit_exceeded", `operations[${index}] would make ${slot.key} larger than `
        + `${state.limits.entityByteCountMax} bytes: store less of it, nothing changed`);
    }
    if (outcome === "deleted" && state.options.policy !== null) {
      for (const other of upkeep.code.cascade(state, [slot], (one) => textAfter(one, outcomes))) outcomes.set(other, "deleted");
    }
    outcomes.set(slot, outcome);
  });
  return outcomes;
}

/** Returns the resource of an entity after earlier steps; null if there is none. */
function textAfter(slot: Slot, outcomes: ReadonlyMap<Slot, Outcome>): string | null {
  const outcome = outcomes.get(slot);
  return outcome === undefined ? slot.text : typeof outcome === "object" ? outcome.text : null;
}

function checkExpected(slot: Slot, wanted: Sequence | null, index: number): void {
  if (slot.text === null ? wanted === null : wanted !== null && slot.stamp.sequence === wanted) return;
  throw new CacheError("conflict", `operations[${index}] expects another sequence of ${slot.key}: read it again, nothing changed`);
}

function outcomeOf(slot: Slot, step: Exclude<Step, { op: "remove"; }>, index: number, before: Outcome | undefined): Outcome {
  if (step.op === "put") return { text: step.resource, written: null };
  if (step.op === "delete") return "deleted";
  const base = before === undefined ? slot.text : typeof before === "object" ? before.text : null;
  if (base === null) {
    throw new CacheError("invalid_params", `operations[${index}] patches ${slot.key}, which does not exist: put it, nothing changed`);
  }
  if (step.op === "merge") {
    const { text, written } = mergedByPath(step.fields, base);
    return { text, written: writtenAfter(before, written) };
  }
  const fields = step.op === "patch" ? step.fields : "";
  const unset = step.op === "patch" ? step.unset : [step.field];
  const names = fields === "" ? [] : namesOf(fields);
  const isNamed = (name: string): boolean => names.includes(name) || unset.includes(name);
  const hasId = membersOf(base).some((member) => member.name === "id");
  if (isNamed("id") || !hasId && isNamed("uuid")) {
    throw new CacheError("invalid_params", `operations[${index}] would give the entity another id: put another entity, nothing changed`);
  }
  const text = assigned(fields, base, new Set(unset));
  return { text, written: writtenAfter(before, writtenWholes(names)) };
}

/** Returns the fields written by a step and earlier ones together; null for the whole resource. */
function writtenAfter(before: Outcome | undefined, written: Written): Written | null {
  if (typeof before !== "object") return written;
  return before.written === null ? null : writtenBoth(before.written, written);
}

/** Removes the entities that a removal step matches, both stored ones and those that earlier steps put. */
function forget(state: State, step: Extract<Step, { op: "remove"; }>, library: Library, outcomes: Map<Slot, Outcome>): void {
  const type = step.type === null ? null : state.ownType(step.type);
  const stored = selectedSlots(state, library.name, type, step.ids, step.matching)
    .sort((left, right) => compareBytes(left.key, right.key));
  const ids = step.ids === null ? null : new Set(step.ids);
  const written = [...outcomes].filter(([slot, outcome]) => typeof outcome === "object"
    && (type === null || slot.table.name === type) && (ids === null || ids.has(slot.id)) && matchesKey(slot, step.matching));
  for (const slot of new Set([...stored, ...written.map(([slot]) => slot)])) {
    // An entity that an earlier step deleted is not removed, and keeps its tombstone.
    if (outcomes.get(slot) !== "deleted") outcomes.set(slot, "forgotten");
  }
}
