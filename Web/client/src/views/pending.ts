import type { Entity } from "./entity.js";
import { groupsOf } from "./plan.js";
import { contributionOf } from "./render.js";
import type { ViewSet } from "./view-set.js";
import { walkFrom } from "./walks.js";
import type { ViewWindow } from "./window.js";

/**
 * True if one of some entities is behind a shown row of a window: its sources, those of its includes, those that its
 * group counts. O(entities · shown rows); with groups O(rows with the entities).
 */
export function pendingIn(set: ViewSet, window: ViewWindow, entities: ReadonlySet<Entity>): boolean {
  const { use } = window;
  const groups = groupsOf(use.plan.body);
  if (groups === null) return [...entities].some((entity) => window.isBehind(entity));
  const shown = new Set(window.order.map(({ name }) => name));
  const { filter, deferred } = use.plan.body;
  for (const entity of entities) {
    for (const source of use.plan.sourcesByType.get(entity.type) ?? []) {
      if (!source.isRow || !source.relation.members.has(entity)) continue;
      const evaluation = set.evaluation(use);
      let isFound = false;
      walkFrom(evaluation, source, entity, () => {
        if (evaluation.holds(filter) && evaluation.holds(deferred) && shown.has(contributionOf(evaluation, groups).key)) isFound = true;
      });
      if (isFound) return true;
    }
  }
  return false;
}
