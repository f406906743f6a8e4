import type { ViewUse } from "./use.js";

const NONE: ReadonlySet<ViewUse> = new Set();

/** The uses that one walk serves, by the keys of the parameter that tells them apart. */
export class SharedUses {
  /** All uses. */
  readonly all = new Set<ViewUse>();
  private readonly routes = new Map<string, Set<ViewUse>>();

  /** Returns the uses with a key. */
  uses(key: string): ReadonlySet<ViewUse> { return this.routes.get(key) ?? NONE; }

  /** Adds a use. */
  add(use: ViewUse): void {
    this.all.add(use);
    for (const key of use.routeKeys) this.routes.set(key, (this.routes.get(key) ?? new Set()).add(use));
  }

  /** Removes a use. */
  remove(use: ViewUse): void {
    this.all.delete(use);
    for (const key of use.routeKeys) {
      const uses = this.routes.get(key);
      uses?.delete(use);
      if (uses?.size === 0) this.routes.delete(key);
    }
  }
}
