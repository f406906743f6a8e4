import { defaultLimits } from "../model/limits.js";
import { refuse } from "./fault.js";
import type { ViewLimits } from "./limits.js";
import type { ParameterUse } from "./rule.js";
import { text } from "./rule-json.js";

/** What a parser of one rule counts and collects. */
export class Parsing {
  /** The names of the parameters so far, in the order of their first use. */
  readonly parameters: string[] = [];
  /** For each parameter, what its values have to be. */
  readonly uses: ParameterUse[] = [];
  /** The number of slots that are needed at once, so far. */
  slotCount = 0;
  /** The number of values of all `in` so far. */
  alternativeCount = 0;
  /** The number of includes so far. */
  includeCount = 0;
  private predicateCount = 0;

  /** Begins a rule. */
  constructor(readonly limits: ViewLimits = defaultLimits) { }

  /** Returns the number of a parameter, given as JSON. */
  parameter(json: string, place: string): number {
    const name = text(json, place);
    if (name === "") refuse(place, "is empty; write the parameter's name");
    const known = this.parameters.indexOf(name);
    if (known >= 0) return known;
    this.uses.push({ arrayPlace: null, stringPlace: null });
    return this.parameters.push(name) - 1;
  }

  /** Counts a predicate. */
  count(place: string): void {
    this.predicateCount += 1;
    const { predicateCountMax } = this.limits;
    if (this.predicateCount > predicateCountMax) refuse(place, `is one predicate more than ${predicateCountMax}; write fewer`);
  }
}
