import type { Contribution, Row } from "./contribution.js";
import { rowName } from "./contribution.js";
import type { Emissions } from "./emissions.js";
import type { Evaluation } from "./evaluation.js";
import { groupsOf } from "./plan.js";
import { contributionOf, evaluateStructural, sortKeyOf } from "./render.js";

/** Adds the bound row to the emissions of every use that shows it. */
export function emitRow(evaluation: Evaluation, emissions: Emissions): void {
  const { body } = evaluation.plan;
  const row = body.rowSlots.map((slot) => evaluation.slots[slot]);
  const name = rowName(row);
  if (evaluation.use !== null) {
    const rows = emissions.rowsOf(evaluation.use);
    if (rows.has(name)) return;
    evaluateStructural(evaluation);
    if (evaluation.holds(body.filter) && evaluation.holds(body.deferred)) rows.set(name, made(evaluation, row));
    return;
  }
  evaluateStructural(evaluation);
  if (!evaluation.holds(body.filter)) return;
  let shared: Contribution | null = null;
  for (const use of evaluation.uses(body.steps.length)) {
    const rows = emissions.rowsOf(use);
    if (rows.has(name)) continue;
    evaluation.binding = use.binding;
    // The aggregates of groups may read parameters; sort keys do not, where uses share a walk.
    if (evaluation.holds(body.deferred)) rows.set(name, shared ?? made(evaluation, row));
    evaluation.binding = null;
    const own = rows.get(name);
    if (own?.is === "row") shared = own;
  }
}

function made(evaluation: Evaluation, row: Row): Contribution {
  const { body } = evaluation.plan;
  const groups = groupsOf(body);
  return groups === null ? { is: "row", row, sortKey: sortKeyOf(evaluation, body) } : { is: "grouped", grouped: contributionOf(evaluation, groups) };
}
