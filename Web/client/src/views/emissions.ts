import type { Asks, Contribution } from "./contribution.js";
import type { ViewUse } from "./use.js";

/** What the rows of one state add to the results of a rule's uses, for the rows that a change concerns. */
export class Emissions {
  /** By use, what each row adds, by the row's name. */
  readonly rows = new Map<ViewUse, Map<string, Contribution>>();
  /** By use, the questions that depend on its parameters; under null those that are the same for all uses. */
  readonly asks = new Map<ViewUse | null, Asks>();

  /** Returns the rows of a use, to which more can be added. */
  rowsOf(use: ViewUse): Map<string, Contribution> {
    let rows = this.rows.get(use);
    if (rows === undefined) this.rows.set(use, rows = new Map());
    return rows;
  }

  /** Adds a question. */
  ask(use: ViewUse | null, name: string, key: string): void {
    const asks = this.asks.get(use);
    if (asks === undefined) this.asks.set(use, new Map([[name, key]]));
    else asks.set(name, key);
  }
}
