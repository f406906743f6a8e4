// Responses to queries: resources → entities, their order → lists. Protocol/queries.md, answers.

import { namesOf } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { CacheError, noRoomFor } from "../model/errors.js";
import { later } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { MISSING } from "../queries/list.js";
import { nodeOf } from "../queries/named.js";
import type { Query, QueryKey } from "../queries/query.js";
import { LOWEST_KEY } from "../queries/rule.js";
import { tableOf } from "../queries/table.js";
import { ResourceView } from "../queries/view.js";
import type { Rule, SortKey } from "../queries/view.js";
import { assigned } from "../store/assigned.js";
import type { Slot, TypeTable } from "../store/library.js";
import { isEvaluable } from "../store/stamp.js";
import type { Stamp } from "../store/stamp.js";
import { writtenWholes } from "../store/written.js";
import type { EventMember } from "../wire/events.js";
import { beginChange, insertElement, removeAllElements } from "./elements.js";
import { clearTombstone, insertEntity, isAwaitingAnswers, isEvicted, overwrite } from "./entities.js";
import { checkLength, enterSlot, holds, trim } from "./lists.js";
import { comparable, forgetRecentWrites, isNewerWrite, newerWrites, recentOf } from "./newer.js";
import type { NewerWrites } from "./newer.js";
import { edits } from "./parts.js";
import { fileQuery, openQuery, unfileQuery } from "./queries.js";
import type { Question } from "./question.js";
import { doubtAbout, isOvertaken } from "./questions.js";
import { markStale } from "./stale.js";
import type { State } from "./state.js";
import { beginUnit, endUnit } from "./units.js";
import { noteStatus } from "./watch.js";

/** A validated response to a query. */
export interface Answer {
  /** The query. */
  key: QueryKey;
  /** Milliseconds until the list expires; null for never. */
  timeToLive: number | null;
  /** The sequence that the response stands for; null if it names none. */
  asOf: Sequence | null;
  /** The rule of the list; null if there is none. */
  rule: Rule | null;
  /** The rule as canonical JSON; empty if there is none. */
  ruleText: string;
  /** The tags as compact JSON; empty if there are none. */
  tags: string;
  /** True to evaluate the rule over the store. */
  isLocal: boolean;
  /** The listed resources, then the included ones, by type. */
  groups: readonly { type: string; members: readonly EventMember[]; }[];
}

/** An entity in a response's list. `isNewer`: it changed after the response was made, or is not stored. */
interface Listed {
  slot: Slot;
  isStored: boolean;
  isNewer: boolean;
}

/**
 * Stores a response. `start` marks its request; null for a response without a request. Throws if it is refused; then
 * nothing has changed.
 */
export function storeAnswer(state: State, asked: Answer, start: Question | null, now: number): Query {
  check(state, asked);
  const { asOf, start: begun } = comparable(state, asked, start);
  const library = state.takeLibrary(asked.key.library);
  if (library === null) throw noRoomFor("library");
  for (const group of asked.groups) if (!state.takeType(group.type)) throw noRoomFor("resource type");
  const query = openQuery(state, asked.key, library);
  if (query === null) {
    throw new CacheError("limit_exceeded", "every stored query is observed: cancel some subscriptions first");
  }
  if (!isAwaitingAnswers(state)) forgetRecentWrites(state);
  const newer = newerWrites(state, asOf, begun, library);
  const stamp: Stamp = {
    sequence: asOf ?? (begun === null ? library.cursor : begun.cursor), generation: library.gate.generation,
    writtenAt: now, writer: "answer", isPartial: true,
  };
  const doubt = asked.isLocal ? null : doubtAbout(state, { key: asked.key, type: asked.groups[0].type, tags: asked.tags, asOf }, query, start);
  const isListed = !isOvertaken(query, start, asOf);
  const question = start?.number ?? (state.questionCount += 1);
  if (isListed) query.asked = question;
  state.noteLibrary(library);
  beginUnit(state, true);
  const listed: Listed[] = [];
  asked.groups.forEach((group, index) => {
    const table = library.takeTable(group.type);
    if (index === 0 && !asked.isLocal && isListed) refile(state, query, asked, asOf, stamp.sequence, table, now);
    for (const member of group.members) {
      const written = write(state, table.take(member.id), member.resource, stamp, newer, asOf !== null, question);
      if (index === 0 && written !== null) listed.push(written);
    }
    if (index === 0 && asked.isLocal && isListed) refile(state, query, asked, asOf, stamp.sequence, table, now);
  });
  if (asked.isLocal && isListed) {
    evaluate(state, query);
  } else if (isListed) {
    list(state, query, listed, asked.groups[0].members.length, now);
    complete(state, query, newer, stamp.generation, now);
    if (newer.isUnsure || doubt !== null) markStale(state, query, doubt ?? "answer", now);
  }
  if (!state.layers.isEmpty) {
    edits.code.settleQuery(state, query);
    edits.code.dropOutlived(state);
  }
  // A local list brings nothing new from the server, nor does a list that is older than what is known.
  if (!asked.isLocal && isListed && doubt === null) library.gate.staleCause = null;
  state.noteQuery(query);
  endUnit(state, now);
  noteStatus(state, library, now);
  return query;
}

/** Makes all checks, before anything changes. */
function check(state: State, asked: Answer): void {
  asked.groups.forEach((group, event) => group.members.forEach((member, index) => {
    if (member.reason !== null) {
      throw new CacheError("invalid_params", `${place(event, index)} cannot be used (${member.reason}): nothing was stored, correct it`);
    }
  }));
  const seen = new Set<string>();
  asked.groups[0].members.forEach((member, index) => {
    if (seen.has(member.id)) {
      throw new CacheError("invalid_params", `resources[${index}] has the id ${member.id} of an earlier one: list each once`);
    }
    seen.add(member.id);
  });
  if (asked.rule !== null && state.ownType(asked.rule.resourceType) !== asked.groups[0].type) {
    throw new CacheError("invalid_params",
      `membership.resource_type is ${asked.rule.resourceType}: pass ${asked.groups[0].type}, as in resource_type`);
  }
  checkSizes(state, asked);
}

function place(event: number, index: number): string {
  return event === 0 ? `resources[${index}]` : `included[${event - 1}].resources[${index}]`;
}

/** Refuses a response that would make an entity too large; all resources of one entity count together. */
function checkSizes(state: State, asked: Answer): void {
  const countMax = state.limits.entityByteCountMax;
  const bounds = new Map<string, number>();
  const forEach = (body: (key: string, resource: string, base: () => string | null, event: number, index: number) => void): void =>
    asked.groups.forEach((group, event) => group.members.forEach((member, index) => body(
      `${group.type}:${member.id}`, member.resource,
      () => state.findSlot(asked.key.library, group.type, member.id)?.text ?? null, event, index)));
  // A merge is never longer than both sides together, so adding the sizes clears most entities.
  forEach((key, resource, base) => {
    bounds.set(key, (bounds.get(key) ?? (base()?.length ?? 0) * 3) + resource.length * 3);
  });
  const values = new Map<string, string>();
  forEach((key, resource, base, event, index) => {
    if ((bounds.get(key) ?? 0) <= countMax) return;
    const before = values.get(key) ?? base();
    const value = before === null ? resource : assigned(resource, before);
    if (byteLength(value) > countMax) {
      throw new CacheError("limit_exceeded",
        `${place(event, index)} would make its entity larger than ${countMax} bytes: nothing was stored, send less of it`);
    }
    values.set(key, value);
  });
}

/** Writes one resource of a response, unless a newer value is known. Null if the entity was deleted since. */
function write(
  state: State, slot: Slot, resource: string, given: Stamp, newer: NewerWrites, isPlaceKnown: boolean, question: number,
): Listed | null {
  if (slot.text !== null) {
    const stored = slot.stamp;
    if (isNewerWrite(newer, stored.sequence, stored.generation, slot, given.generation)) {
      return { slot, isStored: true, isNewer: true };
    }
    // A response without a known position must not lower the entity's position.
    const keeps = !isPlaceKnown && stored.generation === given.generation && stored.sequence !== null;
    const sequence = keeps && stored.sequence !== null
      ? given.sequence === null ? stored.sequence : later(given.sequence, stored.sequence) : given.sequence;
    const stamp = sequence === given.sequence ? given : { ...given, sequence };
    overwrite(state, slot, assigned(resource, slot.text), writtenWholes(namesOf(resource)), stamp);
    noteAnswer(state, slot, stamp, question);
    return { slot, isStored: true, isNewer: false };
  }
  if (isEvicted(state, slot) && mayBePast(slot, newer)) return { slot, isStored: false, isNewer: true };
  const tombstone = state.tombstones.get(slot);
  if (tombstone !== null) {
    if (isNewerWrite(newer, tombstone.sequence, tombstone.generation, slot, given.generation)) return null;
    clearTombstone(state, slot);
  }
  insertEntity(state, slot, resource, given);
  noteAnswer(state, slot, given, question);
  return { slot, isStored: true, isNewer: false };
}

/** True if an evicted entity may have been written after the response was made. */
function mayBePast(slot: Slot, newer: NewerWrites): boolean {
  return newer.isPartial || newer.isUnsure || newer.keys.has(slot) || newer.writes.some((write) => write.slot === slot);
}

function noteAnswer(state: State, slot: Slot, stamp: Stamp, question: number): void {
  if (state.fetchCount > 0 || stamp.sequence !== null && isAwaitingAnswers(state)) recentOf(state).append(slot, stamp.sequence, question);
  if (stamp.sequence === null) return;
  const library = slot.table.library;
  library.answeredThrough = library.answeredThrough === null ? stamp.sequence : later(library.answeredThrough, stamp.sequence);
}

// Lists

/** Updates a query from a response, except for its list. */
function refile(
  state: State, query: Query, answer: Answer, asOf: Sequence | null, listedThrough: Sequence | null, table: TypeTable,
  now: number,
): void {
  beginChange(state, query);
  if (query.isStored) unfileQuery(state, query);
  // Elements of another type or rule do not belong to the new list, and those of a local list were not named by the
  // server.
  if (query.table !== table || query.ruleText !== answer.ruleText || answer.isLocal || query.isLocal) {
    removeAllElements(state, query);
  }
  query.table = table;
  query.tags = answer.tags;
  query.ruleText = answer.ruleText;
  query.rule = answer.rule;
  query.isLocal = answer.isLocal;
  query.timeToLive = answer.timeToLive;
  query.asOf = asOf;
  query.listedThrough = listedThrough;
  query.storedAt = now;
  query.invalidSince = null;
  query.staleCause = null;
  query.horizon = null;
  fileQuery(state, query);
  tableOf(state).touch(query);
}

/** Builds the list of a response, in the server's order or, with a rule, in the rule's order. */
function list(state: State, query: Query, listed: readonly Listed[], answeredCount: number, now: number): void {
  const rule = query.rule;
  // The old list followed the writes of this response; any staleness and horizon that this caused are void.
  query.invalidSince = null;
  query.staleCause = null;
  query.horizon = null;
  let elements: { slot: Slot; sortKey: SortKey | null; marks: number; }[] = [];
  let horizon: SortKey = LOWEST_KEY;
  let isUnsure = false;
  for (const { slot, isStored, isNewer } of listed) {
    if (rule === null) {
      elements.push({ slot, sortKey: null, marks: isStored ? 0 : MISSING });
    } else if (!isStored || slot.text === null || !isEvaluable(slot.completeness)) {
      isUnsure = true;
    } else {
      const view = new ResourceView(slot.text);
      const sortKey = rule.sortKey(view, slot.id);
      if (!isNewer && rule.compare(horizon, sortKey) < 0) horizon = sortKey;
      if (rule.matches(view)) elements.push({ slot, sortKey, marks: 0 });
    }
  }
  if (rule !== null) {
    elements.sort((left, right) => compareKeys(rule, left.sortKey, right.sortKey));
    // A server that returned fewer elements than the limit has no more.
    if (rule.hasLimit && answeredCount >= rule.limit) {
      query.horizon = horizon;
      elements = elements.filter((element) => compareKeys(rule, horizon, element.sortKey) >= 0);
    }
  }
  removeAllElements(state, query);
  elements.forEach((element, index) => insertElement(
    state, query, state.takeNode(element.slot), element.sortKey, element.marks, index));
  trim(state, query);
  checkLength(state, query, now);
  if (isUnsure) markStale(state, query, "answer", now);
}

function compareKeys(rule: Rule, left: SortKey | null, right: SortKey | null): number {
  return left === null || right === null ? 0 : rule.compare(left, right);
}

/** Adds entities that were written after the response was made and belong to the list. */
function complete(state: State, query: Query, newer: NewerWrites, generation: number, now: number): void {
  if (query.rule === null) return;
  const enterOnce = (slot: Slot): void => {
    if (slot.text !== null && !holds(query, nodeOf(slot))) enterSlot(state, slot, query, new ResourceView(slot.text), now);
  };
  for (const { slot } of newer.writes) {
    if (slot.table !== query.table || slot.text === null) continue;
    const { sequence } = slot.stamp;
    if (newer.keys.has(slot) || isNewerWrite(newer, sequence, slot.stamp.generation, slot, generation)) enterOnce(slot);
  }
  if (!newer.isPartial || newer.asOf === null || query.table === null) return;
  // The response is older than the recorded writes: scan every entity of the type.
  for (const slot of query.table.slots.values()) {
    const { sequence } = slot.stamp;
    if (slot.stamp.generation === generation && sequence !== null && sequence > newer.asOf) enterOnce(slot);
  }
}

/** Evaluates a local query over the store. O(entities of the type + m log m) for m matches. */
export function evaluate(state: State, query: Query): void {
  const { rule, table } = query;
  if (rule === null || table === null) return;
  const found: { slot: Slot; sortKey: SortKey; }[] = [];
  for (const slot of table.slots.values()) {
    if (slot.text === null || !isEvaluable(slot.completeness)) continue;
    const view = new ResourceView(slot.text);
    if (rule.matches(view)) found.push({ slot, sortKey: rule.sortKey(view, slot.id) });
  }
  found.sort((left, right) => rule.compare(left.sortKey, right.sortKey));
  removeAllElements(state, query);
  const countMax = Math.max(1, state.limits.queryElementCountMax);
  found.slice(0, countMax).forEach((match, index) => insertElement(
    state, query, state.takeNode(match.slot), match.sortKey, 0, index));
  query.horizon = found.length > countMax ? found[countMax - 1].sortKey : null;
}
