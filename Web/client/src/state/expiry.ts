// Compares the ages of fields, entities and lists with the limits of a read. Protocol/policy.md, what is too old.

import { namesOf } from "../json/text.js";
import { nodeOf, visibleText } from "../queries/named.js";
import type { KeyNode, Query } from "../queries/query.js";
import { mergedByPath } from "../store/graph.js";
import type { Slot } from "../store/library.js";
import { NO_AGES } from "./ages.js";
import type { Ages, ExpiredField, LimitedField } from "./ages.js";

/** Returns the fields of a resource that have a maximum age. */
export function limitsOf(ages: Ages, type: string, text: string, fields: ReadonlySet<string> | null): LimitedField[] {
  if (ages.policy !== null) return ages.policy.limits(type, text, fields, ages);
  const ofType = ages.types.get(type);
  return namesOf(text).flatMap((field): LimitedField[] => {
    if (fields !== null && !fields.has(field)) return [];
    const own = ages.fields.get(`${type}.${field}`);
    if (own !== undefined) return [{ field, limit: { seconds: own, rule: "operation_field" } }];
    return ofType === undefined ? [] : [{ field, limit: { seconds: ofType, rule: "operation_type" } }];
  });
}

/** A time before any other, in milliseconds since 1970; exact as a JSON number. */
const LONG_AGO = -(2 ** 53);

/** Calls `body` with each field that has a maximum age, the time it was written, and its maximum age in seconds. */
function forEachLimit(
  slot: Slot, fields: ReadonlySet<string> | null, ages: Ages, body: (field: string, writtenAt: number, maxAge: number) => void,
): void {
  if (ages === NO_AGES) return;
  const text = visibleText(slot);
  if (text === null) return;
  const layered = layerDates(nodeOf(slot));
  for (const { field, limit } of limitsOf(ages, slot.table.name, text, fields)) {
    const base = slot.text === null ? LONG_AGO : slot.stampOf(field).writtenAt;
    body(field, layered === null ? base : layered.named.get(field) ?? layered.whole ?? base, limit.seconds);
  }
}

/** Returns when layers wrote an entity as a whole, and single fields since; null without layers. */
function layerDates(node: KeyNode | null): { whole: number | null; named: Map<string, number>; } | null {
  if (node === null || node.overlay === null) return null;
  let whole: number | null = null;
  let named = new Map<string, number>();
  for (const { layer, change } of node.overlay.touches) {
    if (change.op === "put" || change.op === "delete") {
      whole = change.op === "put" ? layer.createdAt : null;
      named = new Map();
    } else if (change.op === "merge") {
      mergedByPath(change.fields, node.visible ?? change.fields).written.date(named, layer.createdAt, layer.createdAt);
    } else if (change.op === "patch") {
      for (const name of namesOf(change.fields)) named.set(name, layer.createdAt);
    }
  }
  return { whole, named };
}

/** Returns the field that is longest past its maximum age; null if none is too old. */
export function expiredField(slot: Slot, fields: ReadonlySet<string> | null, ages: Ages, now: number): ExpiredField | null {
  let worst: ExpiredField | null = null;
  forEachLimit(slot, fields, ages, (field, writtenAt, maxAge) => {
    const overdue = Math.max(now - writtenAt, 0) - maxAge * 1_000;
    if (overdue >= 0 && (worst === null || overdue > worst.overdue)) worst = { field, writtenAt, maxAge, overdue };
  });
  return worst;
}

/** Returns when the first field of an entity becomes too old, in milliseconds since 1970; null if none ever does. */
export function entityExpiry(slot: Slot, fields: ReadonlySet<string> | null, ages: Ages): number | null {
  let first: number | null = null;
  forEachLimit(slot, fields, ages, (_field, writtenAt, maxAge) => {
    first = Math.min(first ?? Infinity, writtenAt + maxAge * 1_000);
  });
  return first;
}

/**
 * Returns when a list or something in it first becomes too old, in milliseconds since 1970; null if nothing ever does.
 */
export function listExpiry(query: Query, fields: ReadonlySet<string> | null, ages: Ages): number | null {
  if (!query.isStored) return null;
  let first = query.timeToLive === null ? null : query.storedAt + query.timeToLive;
  if (ages === NO_AGES) return first;
  for (const node of query.list.shownPrefix(query.shownCountMax)) {
    const own = entityExpiry(node.slot, fields, ages);
    if (own !== null) first = Math.min(first ?? Infinity, own);
  }
  return first;
}
