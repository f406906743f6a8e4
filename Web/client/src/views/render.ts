// What rows look like: their own members, and their includes.

import { membersOf, quoted } from "../json/text.js";
import { inputOf } from "./aggregates.js";
import type { Entity } from "./entity.js";
import type { Evaluation } from "./evaluation.js";
import { GroupSet, groupSortKey, groupText } from "./groups.js";
import type { GroupContribution } from "./groups.js";
import { componentCode, idCode } from "./order-code.js";
import { groupsOf } from "./plan.js";
import { ReadLog } from "./read-log.js";
import type { PlanBody, PlanInclude } from "./plan.js";
import { RenderedRow } from "./rendered.js";
import type { Content, RenderedElement, RenderedInclude } from "./rendered.js";
import type { Groups } from "./rule.js";
import { shownValue } from "./decimal.js";

/** Returns the place of the bound row: the components of the order, then the ids of its entities. */
export function sortKeyOf(evaluation: Evaluation, body: PlanBody): string {
  let key = "";
  for (const { reference, isDescending } of body.order) key += componentCode(evaluation.read(reference), isDescending);
  for (const slot of body.rowSlots) key += idCode(evaluation.slots[slot]?.id ?? null);
  return key;
}

/** Returns what the bound row adds to its group. */
export function contributionOf(evaluation: Evaluation, { keys, aggregates }: Groups): GroupContribution {
  const shown = (keys ?? []).map(({ path }) => {
    const value = evaluation.value(path);
    return value === null ? null : shownValue(value);
  });
  const inputs = aggregates.map(({ filter, path }) => {
    if (!evaluation.holds(filter)) return null;
    return path === null ? "" : inputOf(evaluation.value(path));
  });
  return { key: shown.map((value) => value ?? "").join("\n"), shown, inputs };
}

/** Evaluates the aggregates that `where` or `order` of the view read, for the bound row. */
export function evaluateStructural(evaluation: Evaluation): void {
  const { structuralIncludes, body } = evaluation.plan;
  if (structuralIncludes.size === 0) return;
  const values: string[] = [];
  for (const index of structuralIncludes) values[index] = aggregatesText(evaluation, body.includes[index]);
  evaluation.includeValues = values;
}

function aggregatesText(evaluation: Evaluation, include: PlanInclude): string {
  const content = contentOf(evaluation, include);
  return content.is === "object" ? content.text : "{}";
}

/** Returns the bound row. `keepsGroups`: the groups of steady includes are kept in the log. */
export function renderRow(evaluation: Evaluation, body: PlanBody, keepsGroups = false): RenderedRow {
  const { log } = evaluation;
  if (log !== null) {
    // A match of an include is found in a bucket, which every change of the match touches.
    for (const slot of body.rowSlots) {
      const entity = evaluation.slots[slot];
      if (entity === null) continue;
      log.reads.add(entity.key);
      log.entities.add(entity);
    }
  }
  const includes = body.includes.map((include, index): RenderedInclude => {
    if (!keepsGroups || include.steadyGroups === null) return { name: include.name, content: contentOf(evaluation, include) };
    const groups = groupSetOf(evaluation, include.body, include.steadyGroups);
    log?.groups.set(index, groups);
    return { name: include.name, content: groupContent(groups, include.body, include.steadyGroups, evaluation) };
  });
  return new RenderedRow(ownText(evaluation, body), includes);
}

function ownText(evaluation: Evaluation, { includes, output }: PlanBody): string {
  const isHidden = (name: string): boolean => includes.some((include) => include.name === name);
  let members = "";
  const add = (name: string, value: string | null): void => {
    if (value !== null && !isHidden(name)) members += `${members === "" ? "" : ","}${quoted(name)}:${value}`;
  };
  switch (output.is) {
    case "resource": {
      const resource = evaluation.slots[output.slot]?.text ?? "{}";
      if (includes.length === 0) return resource;
      for (const { name, value } of membersOf(resource)) add(name, value);
      break;
    }
    case "resources": for (const { name, slot } of output.sources) add(name, evaluation.slots[slot]?.text ?? null); break;
    case "members": for (const { name, path } of output.members) add(name, evaluation.value(path)); break;
    case "groups": break;
  }
  return `{${members}}`;
}

// Includes

/** Returns an include of the bound row. */
export function contentOf(evaluation: Evaluation, include: PlanInclude): Content {
  const { body, isOne } = include;
  const { asking } = evaluation;
  evaluation.asking = null;
  try {
    const groups = groupsOf(body);
    if (groups !== null) return groupContent(groupSetOf(evaluation, body, groups), body, groups, evaluation);
    const rows: { sortKey: string; entities: (Entity | null)[]; }[] = [];
    const outer = evaluation.includeValues;
    const { log } = evaluation;
    walkInclude(evaluation, body, () => {
      evaluation.includeValues = [];
      // The order may depend on entities that are behind no shown row.
      if (log !== null) evaluation.log = new ReadLog(log.reads);
      const values: string[] = [];
      for (const { reference } of body.order) {
        if (reference.is === "include") values[reference.index] ??= aggregatesText(evaluation, body.includes[reference.index]);
      }
      evaluation.includeValues = values;
      rows.push({ sortKey: sortKeyOf(evaluation, body), entities: body.rowSlots.map((slot) => evaluation.slots[slot]) });
      evaluation.includeValues = outer;
      evaluation.log = log;
    });
    rows.sort((left, right) => left.sortKey < right.sortKey ? -1 : 1);
    const limit = isOne ? 1 : body.limit ?? rows.length;
    const elements = rows.slice(body.offset, body.offset + limit).map(({ entities }) => elementOf(evaluation, body, entities));
    return isOne ? { is: "one", element: elements[0] ?? null } : { is: "list", elements };
  } finally {
    evaluation.asking = asking;
  }
}

function elementOf(evaluation: Evaluation, body: PlanBody, entities: readonly (Entity | null)[]): RenderedElement {
  body.rowSlots.forEach((slot, index) => { evaluation.slots[slot] = entities[index]; });
  const element = { key: entities.map((entity) => idCode(entity?.id ?? null)).join(""), row: renderRow(evaluation, body) };
  for (const slot of body.rowSlots) evaluation.slots[slot] = null;
  return element;
}

function groupSetOf(evaluation: Evaluation, body: PlanBody, groups: Groups): GroupSet {
  const set = new GroupSet(groups);
  walkInclude(evaluation, body, () => {
    const { log } = evaluation;
    if (log !== null) {
      for (const slot of body.rowSlots) {
        const entity = evaluation.slots[slot];
        if (entity !== null) log.entities.add(entity);
      }
    }
    set.change(contributionOf(evaluation, groups), false);
  });
  return set;
}

/** Returns the rows of groups, or the object of aggregates. */
export function groupContent(set: GroupSet, body: PlanBody, groups: Groups, { binding }: Evaluation): Content {
  if (groups.keys === null) {
    const row = set.row("", binding);
    return { is: "object", text: row === null ? "{}" : groupText(row, groups) };
  }
  const rows: { sortKey: string; element: RenderedElement; }[] = [];
  for (const key of set.keys) {
    const row = set.row(key, binding);
    if (row !== null) rows.push({ sortKey: groupSortKey(row, body.order, groups), element: { key, row: new RenderedRow(groupText(row, groups), []) } });
  }
  rows.sort((left, right) => left.sortKey < right.sortKey ? -1 : 1);
  return { is: "list", elements: rows.slice(body.offset, body.offset + (body.limit ?? rows.length)).map(({ element }) => element) };
}

/** Returns what an entity adds to the groups of a steady include, for the bound row; null if it is no match. */
export function steadyContribution(
  evaluation: Evaluation, { steps, filter, deferred }: PlanBody, groups: Groups, entity: Entity | null,
): GroupContribution | null {
  const { source } = steps[0];
  if (entity === null || !source.relation.admits(entity)) return null;
  evaluation.slots[source.slot] = entity;
  const isMatch = evaluation.acceptsBound(source) && evaluation.holds(filter) && evaluation.holds(deferred);
  const contribution = isMatch ? contributionOf(evaluation, groups) : null;
  evaluation.slots[source.slot] = null;
  return contribution;
}

/** Calls `action` for each way to bind the sources of an include that fulfils its `where`. */
function walkInclude(evaluation: Evaluation, { steps, filter, deferred }: PlanBody, action: () => void): void {
  evaluation.walk(steps, 0, steps.length, () => {
    if (evaluation.holds(filter) && evaluation.holds(deferred)) action();
    return true;
  });
}
