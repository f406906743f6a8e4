import type { ViewUse } from "../views/use.js";
import type { ViewRule } from "../views/rule.js";

/** A defined view. */
export interface Definition {
  readonly name: string;
  readonly rule: ViewRule;
  /** The use that keeps the result; null for a rule with parameters, whose uses are computed when they are read. */
  readonly use: ViewUse | null;
  /** How many entities of the view's types had been evicted when it was defined. */
  readonly evictions: number;
}

/** A definition, as a journal stores it. */
export interface DefinitionRecord {
  readonly library: string;
  readonly name: string;
  /** The rule as canonical JSON. */
  readonly rule: string;
}
