import type { Pointer } from "../json/pointer.js";
import type { Query } from "./query.js";
import { exactCode } from "./value.js";
import type { ResourceView, Rule } from "./view.js";

/** The queries with a rule over one library and type, indexed by a value that their elements must have. */
export class Candidates {
  private readonly filed = new Map<Pointer, Map<string, Set<Query>>>();
  private readonly unfiled = new Set<Query>();
  private count = 0;

  /** True if there are no queries. */
  get isEmpty(): boolean { return this.count === 0; }

  /** Adds a query under its rule. */
  insert(query: Query, rule: Rule): void {
    this.count += 1;
    const requirement = rule.requirement;
    if (requirement === null) {
      this.unfiled.add(query);
      return;
    }
    let values = this.filed.get(requirement.pointer);
    if (values === undefined) this.filed.set(requirement.pointer, values = new Map());
    for (const code of requirement.codes) {
      const queries = values.get(code);
      if (queries === undefined) values.set(code, new Set([query]));
      else queries.add(query);
    }
  }

  /** Removes a query that was added under the same rule. */
  remove(query: Query, rule: Rule): void {
    this.count -= 1;
    this.unfiled.delete(query);
    const requirement = rule.requirement;
    if (requirement === null) return;
    const values = this.filed.get(requirement.pointer);
    for (const code of requirement.codes) {
      const queries = values?.get(code);
      queries?.delete(query);
      if (queries?.size === 0) values?.delete(code);
    }
    if (values?.size === 0) this.filed.delete(requirement.pointer);
  }

  /** Calls `body` once with each query whose rule a resource may match. */
  forEach(view: ResourceView, body: (query: Query) => void): void {
    for (const query of [...this.unfiled]) body(query);
    for (const [pointer, values] of this.filed) {
      const value = view.at(pointer);
      const queries = value === null ? undefined : values.get(exactCode(value));
      if (queries !== undefined) for (const query of [...queries]) body(query);
    }
  }
}
