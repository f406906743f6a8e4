import type { Json, JsonObject } from "../model/json";
import { number } from "../model/json";

/** A use of a view: what the methods of views need to know. */
export interface ViewUse {
  /** The library of the view. */
  readonly library: string;
  /** The name of a defined view, or a rule. */
  readonly view: Json;
  /** The rule, for what it says itself about its window. */
  readonly rule: Json;
  /** The values of its parameters. */
  readonly params: JsonObject;
}

/** Maximum number of rows that are observed at once, unless the user asks for more. */
export const ROW_COUNT_DEFAULT = 100;

/** Returns the number of rows of a view's first page: that of the rule, and no more than the default. */
export function firstLimit(rule: Json): number { return Math.min(number(rule, "limit") ?? ROW_COUNT_DEFAULT, ROW_COUNT_DEFAULT); }

/** Returns the params that every request about a use has. */
export function paramsOf({ library, view, params }: ViewUse): { library_id: string; view: Json; params?: Json; } {
  return { library_id: library, view, ...(params.members.length === 0 ? {} : { params }) };
}
