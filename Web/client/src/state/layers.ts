// Optimistic layers: adding, confirming and rolling back. Protocol/optimistic.md.

import { membersOf, namesOf } from "../json/text.js";
import { byteLength, isLonger } from "../json/utf8.js";
import { fold, isAlong, layerByteCount } from "../layers/layer.js";
import type { Layer, LayerChange } from "../layers/layer.js";
import type { RealId } from "../layers/renamings.js";
import { newSending } from "../layers/sending.js";
import { CacheError, noRoomFor } from "../model/errors.js";
import { later } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { visibleText } from "../queries/named.js";
import type { Overlay } from "../queries/node.js";
import { assigned } from "../store/assigned.js";
import type { Library, Slot } from "../store/library.js";
import type { Stamp } from "../store/stamp.js";
import { writtenWholes } from "../store/written.js";
import type { EventMember } from "../wire/events.js";
import { clearTombstone, deleteEntity, insertEntity, isAwaitingAnswers, overwrite } from "./entities.js";
import { endRenamings, renamedUpdate } from "./later-edits.js";
import { settleNode } from "./layer-lists.js";
import { upkeep } from "./parts.js";
import { layerOf, unknownPending } from "./pending.js";
import { rename, renamedResource, wouldOverfillLayers } from "./renaming.js";
import { dropLayers, dropReached } from "./settling.js";
import { stackOf } from "./stack.js";
import type { State } from "./state.js";
import type { LayerUpdate, Step } from "./steps.js";
import { beginUnit, endUnit, noteObserved, remember } from "./units.js";

function tooLarge(state: State, place: string, slot: Slot): CacheError {
  return new CacheError("limit_exceeded",
    `${place} would make ${slot.key} larger than ${state.limits.entityByteCountMax} bytes: store less of it, nothing changed`);
}

/** A change, and the index of its step. */
interface PlacedChange {
  change: LayerChange;
  index: number;
}

/** Adds an optimistic edit as the top layer, as one unit. */
export function lay(state: State, given: LayerUpdate, now: number): void {
  const { limits } = state;
  const update = renamedUpdate(state, given);
  const layers = stackOf(state);
  if (layers.get(update.pendingId) !== null) {
    throw new CacheError("duplicate_pending",
      `'${update.pendingId}' is pending already: pass an id of its own for each mutation, nothing changed`);
  }
  for (const id of update.dependsOn) if (layers.get(id) === null) throw unknownPending(id);
  const isFull = layers.size >= limits.layerCountMax;
  if (isFull) throw tooMany("too many layers are pending");
  const library = takeLibrary(state, update.library);
  const placed = changesOf(state, update.steps, library);
  const changes = placed.map(({ change }) => change);
  // The server has performed confirmed edits: nothing depends on them any more.
  const dependsOn = update.dependsOn.filter((id) => layers.get(id)?.isConfirmed !== true);
  const sending = update.send === null ? null : newSending(update.send);
  const parts = { pendingId: update.pendingId, dependsOn, changes, sending, sent: null };
  const layer: Layer = {
    ...parts, number: layers.nextNumber, library, createdAt: now, isConfirmed: false, awaited: null,
    byteCount: layerByteCount(parts),
  };
  if (layers.byteCount + layer.byteCount > limits.layerByteCountMax) throw tooMany("pending layers hold as much as they may");
  checkSizes(state, placed);
  const distinct = new Set(changes.map((change) => state.takeNode(change.slot)));
  const nodes = [...distinct].sort((left, right) => left.number - right.number);
  beginUnit(state, nodes.length > 1);
  for (const node of nodes) {
    remember(state, node);
    noteObserved(state, node);
  }
  pushLayer(state, layer);
  endRenamings(state, layer);
  for (const node of nodes) settleNode(state, node);
  state.changes?.layers.add(layer);
  endUnit(state, now);
}

function tooMany(what: string): CacheError {
  return new CacheError("limit_exceeded", `${what}: commit or roll back some first`);
}

/** Adds a layer to the stack, and its changes to the overlays of their nodes. */
export function pushLayer(state: State, layer: Layer): void {
  stackOf(state).push(layer, ({ slot }): Overlay => {
    const node = state.takeNode(slot);
    return node.overlay ??= { touches: [], visible: slot.text, isDeleted: false };
  });
}

function takeLibrary(state: State, name: string): Library {
  const library = state.takeLibrary(name);
  if (library === null) throw noRoomFor("library");
  return library;
}

/**
 * Returns the changes of an edit, with the deletes that the policy adds for what is visible after the preceding
 * changes.
 */
function changesOf(state: State, steps: readonly Step[], library: Library): PlacedChange[] {
  const changed = new Map<Slot, string | null>();
  const seen = (slot: Slot): string | null => {
    const own = changed.get(slot);
    return own !== undefined ? own : visibleText(slot);
  };
  return steps.flatMap((step, index) => {
    const change = changeOf(state, step, index, library);
    if (state.options.policy === null) return [{ change, index }];
    const along = change.op === "delete" ? upkeep.code.cascade(state, [change.slot], seen) : [];
    for (const slot of along) changed.set(slot, null);
    changed.set(change.slot, fold(change, seen(change.slot)));
    return [change, ...along.map((slot): LayerChange => ({ op: "delete", slot, isAlong: true }))].map((one) => ({ change: one, index }));
  });
}

function changeOf(state: State, step: Step, index: number, library: Library): LayerChange {
  if (step.op === "remove") throw new CacheError("invalid_params", `changes[${index}] is a removal: pass a delete, nothing changed`);
  const slot = state.takeSlot(library, step.type, step.id);
  switch (step.op) {
    case "put": return { op: "put", slot, resource: step.resource };
    case "delete": return { op: "delete", slot };
    case "patch":
      checkIdentity(slot, [...namesOf(step.fields), ...step.unset], index);
      return { op: "patch", slot, fields: step.fields, unset: step.unset };
    case "merge": return { op: "merge", slot, fields: step.fields };
    case "remove_field":
      checkIdentity(slot, [step.field], index);
      return { op: "remove_field", slot, field: step.field };
  }
}

/** Refuses a patch of the fields that identify an entity. */
function checkIdentity(slot: Slot, names: readonly string[], index: number): void {
  const seen = visibleText(slot);
  const hasId = seen === null || membersOf(seen).some((member) => member.name === "id");
  if (names.includes("id") || names.includes("uuid") && !hasId) {
    throw new CacheError("invalid_params", `changes[${index}] would give the entity another id: put another entity, nothing changed`);
  }
}

function checkSizes(state: State, changes: readonly PlacedChange[]): void {
  const values = new Map<Slot, string | null>();
  changes.forEach(({ change, index }) => {
    const { slot } = change;
    const below = values.has(slot) ? values.get(slot) ?? null : visibleText(slot);
    const value = fold(change, below);
    values.set(slot, value);
    if (value !== null && isLonger(value, state.limits.entityByteCountMax)) throw tooLarge(state, `changes[${index}]`, slot);
  });
}

/** Rolls back a layer and those that depend on it, as one unit. */
export function rollBack(state: State, pendingId: string, library: string | null, now: number): void {
  const gone = stackOf(state).withDependents(layerOf(state, pendingId, library));
  const slots = new Set(gone.flatMap((layer) => layer.changes.map((change) => change.slot)));
  beginUnit(state, slots.size > 1);
  for (const layer of gone) {
    releaseGroup(state, layer, gone);
    stackOf(state).noteUnanswered(layer);
  }
  dropLayers(state, gone);
  endUnit(state, now);
}

/**
 * Lets the other layers of a group send their own requests, because the layer whose request carried them is removed.
 */
function releaseGroup(state: State, layer: Layer, gone: readonly Layer[]): void {
  for (const member of stackOf(state).group(layer).slice(1)) {
    if (gone.includes(member)) continue;
    stackOf(state).changeSending(member, { sentWith: null });
    state.changes?.layers.add(member);
  }
}

/** A validated response to a mutation. */
export interface Confirmation {
  /** The pending id of the edit. */
  pendingId: string;
  /** The library of the edit; null if the response names none. */
  library: string | null;
  /** The resources as the server stored them; null to wait for the event of the mutation. */
  confirmed: readonly EventMember[] | null;
  /** True if the response also confirms the layer's deletes, because there is nothing else to write. */
  confirmsDeletes: boolean;
  /** The type of the resources; null if the response names none. */
  resourceType: string | null;
  /** The sequence of the mutation's event; null if the response names none. */
  sequence: Sequence | null;
  /** The generation of the log to which the response refers; null for the current one. */
  generation: number | null;
  /** Real ids for temporary ones. */
  realIds: readonly RealId[];
}

/** Applies a response to a layer's mutation, as one unit. */
export function confirm(state: State, confirmation: Confirmation, now: number): void {
  if (stackOf(state).get(confirmation.pendingId) === null && confirmation.realIds.length > 0) return renameLate(state, confirmation, now);
  confirmation.confirmed?.forEach(({ reason }, index) => {
    if (reason !== null) {
      throw new CacheError("invalid_params", `confirmed[${index}] cannot be used (${reason}): correct it, nothing changed`);
    }
  });
  const layer = layerOf(state, confirmation.pendingId, confirmation.library);
  const { library } = layer;
  const group = stackOf(state).group(layer);
  const generation = confirmation.generation ?? library.gate.generation;
  const resources = confirmedResources(state, confirmation, layer);
  checkConfirmedSizes(state, resources, confirmation.realIds, library);
  library.editCount += 1;
  const slots = new Set([
    ...group.flatMap(({ changes }) => changes.map((change) => change.slot)), ...resources.map(({ slot }) => slot),
  ]);
  beginUnit(state, slots.size > 1 || confirmation.realIds.length > 0);
  for (const id of confirmation.realIds) rename(state, library, id, null);
  for (const { slot, resource } of resources) confirmOne(state, slot, resource, confirmation.sequence, generation, now);
  if (confirmation.confirmsDeletes) {
    for (const slot of deletedBy(group)) confirmDelete(state, slot, confirmation.sequence, generation, now);
  }
  if (confirmation.confirmed !== null) {
    if (stackOf(state).get(layer.pendingId) === layer) dropLayers(state, group);
  } else {
    const { sequence } = confirmation;
    const place = sequence === null ? null : { sequence, generation };
    for (const member of group) {
      for (const released of stackOf(state).confirm(member, place)) state.changes?.layers.add(released);
      state.changes?.layers.add(member);
    }
  }
  if (library.cursor !== null) dropReached(state, library.cursor, library);
  endUnit(state, now);
}

/**
 * Applies the real ids in a response whose layer no longer exists, because it was settled or rolled back; as one unit.
 * Without a library, the default one is used.
 */
export function renameLate(
  state: State, { pendingId, library: name, realIds }: Pick<Confirmation, "pendingId" | "library" | "realIds">, now: number,
): void {
  const library = state.libraries.get(name ?? state.defaultLibrary);
  // An unknown library has no edits.
  if (library === undefined) throw unknownPending(pendingId);
  checkConfirmedSizes(state, [], realIds, library);
  beginUnit(state, true);
  for (const id of realIds) rename(state, library, id, null);
  endUnit(state, now);
}

function confirmedResources(
  state: State, confirmation: Confirmation, layer: Layer,
): { slot: Slot; resource: string; }[] {
  return (confirmation.confirmed ?? []).map(({ id, resource }, index) => {
    const type = confirmation.resourceType ?? typeOf(id, layer, confirmation);
    if (type === null) {
      throw new CacheError("invalid_params", `nothing says what confirmed[${index}] is: pass resource_type, nothing changed`);
    }
    return { slot: state.takeSlot(layer.library, type, id), resource };
  });
}

/**
 * Returns the type under which a layer names an id, or else the only type that it names; null if there is no single
 * one.
 */
function typeOf(id: string, layer: Layer, confirmation: Confirmation): string | null {
  const names = new Set([id, ...confirmation.realIds.filter(({ real }) => real === id).map(({ temporary }) => temporary)]);
  const given = layer.changes.filter((change) => !isAlong(change));
  const own = new Set(given.filter(({ slot }) => names.has(slot.id)).map(({ slot }) => slot.table.name));
  const all = own.size > 0 ? own : new Set(given.map(({ slot }) => slot.table.name));
  const [only] = all;
  return all.size === 1 ? only : null;
}

function checkConfirmedSizes(
  state: State, resources: readonly { slot: Slot; resource: string; }[],
  realIds: readonly RealId[], library: Library,
): void {
  if (wouldOverfillLayers(state, realIds, library)) throw tooMany("pending layers hold as much as they may");
  const values = new Map<Slot, string | null>();
  for (const { temporary, real, json } of realIds) {
    if (temporary === real) continue;
    for (const table of library.types.values()) {
      const text = table.find(temporary)?.text ?? null;
      const slot = table.find(real);
      if (text === null || slot !== null && slot.text !== null) continue;
      const renamed = renamedResource(text, json);
      if (byteLength(renamed) > state.limits.entityByteCountMax) throw tooLarge(state, "the real id", table.take(real));
      if (slot !== null) values.set(slot, renamed);
    }
  }
  resources.forEach(({ slot, resource }, index) => {
    const base = values.get(slot) ?? slot.text;
    const value = base === null ? resource : assigned(resource, base);
    values.set(slot, value);
    if (isLonger(value, state.limits.entityByteCountMax)) throw tooLarge(state, `confirmed[${index}]`, slot);
  });
}

/** Writes a confirmed resource to the base, unless the base is newer. */
function confirmOne(
  state: State, slot: Slot, resource: string, sequence: Sequence | null, generation: number, now: number,
): void {
  let stamp: Stamp = { sequence, generation, writtenAt: now, writer: "confirmation", isPartial: true };
  if (slot.text !== null) {
    if (isBehind(slot.stamp, sequence, generation)) return;
    // A confirmation without a known position must not remove the entity's position.
    if (sequence === null && slot.stamp.generation === generation) stamp = { ...stamp, sequence: slot.stamp.sequence };
    overwrite(state, slot, assigned(resource, slot.text), writtenWholes(namesOf(resource)), stamp);
  } else {
    const tombstone = state.tombstones.get(slot);
    if (tombstone !== null && isBehind(tombstone, sequence, generation)) return;
    clearTombstone(state, slot);
    insertEntity(state, slot, resource, stamp);
  }
  noteConfirmed(state, slot, sequence, generation);
}

/** Returns the entities that layers finally delete, in order, without cascades: those follow the delete in the base. */
function deletedBy(group: readonly Layer[]): Slot[] {
  const isDeleted = new Map<Slot, boolean>();
  for (const change of group.flatMap(({ changes }) => changes)) if (!isAlong(change)) isDeleted.set(change.slot, change.op === "delete");
  return [...isDeleted.keys()].filter((slot) => isDeleted.get(slot) === true);
}

/** Deletes an entity in the base, unless the base is newer. */
function confirmDelete(state: State, slot: Slot, sequence: Sequence | null, generation: number, now: number): void {
  const known = slot.text === null ? state.tombstones.get(slot) : slot.stamp;
  if (known !== null && isBehind(known, sequence, generation)) return;
  // A delete without a known position must not lower the entity's position.
  const place = sequence === null && known !== null && known.generation === generation ? known.sequence : sequence;
  const tombstone = { sequence: place, generation, deletedAt: now };
  if (state.options.policy === null) deleteEntity(state, slot, tombstone);
  else upkeep.code.deleteWithOthers(state, slot, tombstone, false);
  // A confirmation settles no other layer.
  state.unit.outlived.clear();
  noteConfirmed(state, slot, sequence, generation);
}

/** True if what is known of an entity is newer than a response. */
function isBehind(known: Pick<Stamp, "sequence" | "generation">, sequence: Sequence | null, generation: number): boolean {
  if (known.generation !== generation) return known.generation > generation;
  return sequence !== null && known.sequence !== null && sequence < known.sequence;
}

/** Records the position of a confirmed write, for later events and responses. */
function noteConfirmed(state: State, slot: Slot, sequence: Sequence | null, generation: number): void {
  const { library } = slot.table;
  // A position in an ended log has no meaning in the current one.
  const place = generation === library.gate.generation ? sequence : null;
  if (place !== null) {
    library.answeredThrough = library.answeredThrough === null ? place : later(library.answeredThrough, place);
    state.noteLibrary(library);
  }
  if (isAwaitingAnswers(state)) state.recent?.append(slot, place);
}
