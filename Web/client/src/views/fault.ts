import { CacheError } from "../model/errors.js";
import { nearestName } from "../params/nearest.js";

/** Thrown for the rule of a view, or the parameters of its use, that cannot be used. */
export class ViewRuleError extends CacheError {
  /**
   * `place` is the JSON Pointer to what is wrong, inside the rule or the parameters; `nearest` is the known name that
   * resembles an unknown one most, null if there is none.
   */
  constructor(readonly place: string, what: string, readonly nearest: string | null = null) {
    super("invalid_params", `${place === "" ? "the view" : `${place} of the view`} ${what}${nearest === null ? "" : `; did you mean "${nearest}"?`}`);
    this.name = "ViewRuleError";
  }
}

/** Throws a `ViewRuleError`. */
export function refuse(place: string, what: string): never { throw new ViewRuleError(place, what); }

/** Throws a `ViewRuleError` for an unknown name, with the nearest of the known ones. */
export function refuseName(place: string, what: string, name: string, known: readonly string[]): never {
  throw new ViewRuleError(place, what, nearestName(name, known));
}
