// Finds the real id of an entity that an edit added, in the event of the edit's mutation. Protocol/optimistic.md,
// temporary ids.

import { membersOf, presentMember } from "../json/text.js";
import type { Layer } from "../layers/layer.js";
import { overlayOf } from "../queries/named.js";
import type { Library, Slot, TypeTable } from "../store/library.js";
import type { ChangeEvent } from "../wire/events.js";
import { idOf } from "../wire/identity.js";
import { isEvicted } from "./entities.js";
import type { Creation } from "./outcomes.js";
import { wouldOverfillLayers } from "./renaming.js";
import { stackOf } from "./stack.js";
import type { State } from "./state.js";

/**
 * Returns what an event reveals about the entities that its edit added; null if it names no edit, or one that added
 * nothing. Call it before the event is applied: what is stored decides which entities are new.
 */
export function creationBy(state: State, event: ChangeEvent, library: Library): Creation | null {
  const layer = event.mutationId === null ? null : stackOf(state).get(event.mutationId);
  if (layer === null || layer.library !== library) return null;
  const group = stackOf(state).group(layer);
  const added = addedBy(state, group);
  if (added.size === 0) return null;
  const isChange = event.kind === "changed" || event.kind === "batch";
  const members = isChange ? event.members.filter(({ reason }) => reason === null) : [];
  const isTold = ({ table, id }: Slot): boolean => table.name === event.type && members.some((member) => member.id === id);
  if ([...added.keys()].every(isTold)) return { renaming: null, isOpen: false };
  const unknown: Creation = { renaming: null, isOpen: true };
  const [[own, resource]] = added;
  const member = members[members.length - 1];
  const isOne = added.size === 1 && members.length > 0 && members.every(({ id }) => id === member.id) && own.table.name === event.type;
  if (!isOne || isOlder(state, own.table, member.id, layer, group, resource, member.resource)) return unknown;
  const json = idIn(member.resource);
  if (json === null) return unknown;
  const id = { temporary: own.id, real: member.id, json };
  if (wouldOverfillLayers(state, [id], library)) return unknown;
  return { renaming: { id, type: own.table.name }, isOpen: false };
}

/** Returns the entities that layers put and do not delete and that the base does not have, with their resources. */
function addedBy(state: State, group: readonly Layer[]): Map<Slot, string> {
  const resources = new Map<Slot, string>();
  for (const change of group.flatMap(({ changes }) => changes)) {
    if (change.op === "put") resources.set(change.slot, change.resource);
    else if (change.op === "delete") resources.delete(change.slot);
  }
  for (const slot of resources.keys()) if (isKnown(state, slot)) resources.delete(slot);
  return resources;
}

/** True if the base has or had an entity. */
function isKnown(state: State, slot: Slot): boolean {
  return slot.text !== null || state.tombstones.get(slot) !== null || isEvicted(state, slot);
}

/**
 * True if an entity existed before an edit, so that the edit cannot have created it: the edit or an older one names it,
 * or it is stored and the event's resource is not the one that the edit added. A response may deliver the new entity
 * before its event; then their fields agree.
 */
function isOlder(
  state: State, table: TypeTable, id: string, layer: Layer, group: readonly Layer[], added: string, resource: string,
): boolean {
  const slot = table.take(id);
  const touches = overlayOf(slot)?.touches ?? [];
  const isNamed = touches.some((touch) => group.includes(touch.layer) || touch.layer.number < layer.number);
  const isOld = isNamed || state.tombstones.get(slot) !== null || isKnown(state, slot) && !agree(added, resource);
  state.tidy(slot);
  return isOld;
}

/** True if two resources have common fields other than their ids, with equal values in all of them. */
function agree(one: string, other: string): boolean {
  const theirs = new Map(membersOf(other).map(({ name, value }) => [name, value]));
  const shared = membersOf(one).filter(({ name }) => name !== "id" && name !== "uuid" && theirs.has(name));
  return shared.length > 0 && shared.every(({ name, value }) => theirs.get(name) === value);
}

/** Returns the id of a resource as the server wrote it; null if it has no usable one. */
function idIn(resource: string): string | null {
  const json = presentMember(resource, "id") ?? presentMember(resource, "uuid");
  return json === null || idOf(json) === null ? null : json;
}
