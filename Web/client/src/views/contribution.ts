import type { Entity } from "./entity.js";
import type { GroupContribution } from "./groups.js";

/** The entities of a row, one for each source; null for a left join without a match. */
export type Row = readonly (Entity | null)[];

/** What one row adds to the result of a use: a place in its order, or a part of a group. */
export type Contribution =
  | { readonly is: "row"; readonly row: Row; readonly sortKey: string; } | { readonly is: "grouped"; readonly grouped: GroupContribution; };

/** Returns a text that identifies a row. */
export function rowName(row: Row): string {
  let name = "";
  for (const entity of row) name += `${entity === null ? "" : entity.number},`;
  return name;
}

/** True if two contributions are the same. */
export function isSame(left: Contribution, right: Contribution | undefined): boolean {
  if (right === undefined) return false;
  if (left.is === "row") return right.is === "row" && left.sortKey === right.sortKey;
  return right.is === "grouped" && left.grouped.key === right.grouped.key
    && left.grouped.inputs.every((input, index) => input === right.grouped.inputs[index]);
}

/** The questions for unknown entities: the asked keys (`type:id`) by a name of the question. */
export type Asks = Map<string, string>;
