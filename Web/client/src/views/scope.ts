import { refuse, refuseName } from "./fault.js";
import type { Include, Output } from "./rule.js";

/** The aliases that a place in a rule can see. */
export class Scope {
  /** The visible aliases with their slots. */
  private readonly slots: Map<string, number>;
  /** The aliases of `exists` and `absent` that end before this place. */
  private readonly hidden: Set<string>;

  /** Creates a scope that sees what another one does. */
  constructor(outer?: Scope) {
    this.slots = new Map(outer?.slots);
    this.hidden = new Set(outer?.hidden);
  }

  /** Makes an alias visible. */
  define(alias: string, slot: number): void { this.slots.set(alias, slot); }

  /** Ends the aliases that only an inner scope can see. */
  hide(inner: Scope): void {
    for (const alias of inner.slots.keys()) if (!this.slots.has(alias)) this.hidden.add(alias);
    for (const alias of inner.hidden) this.hidden.add(alias);
  }

  /** True if an alias is already used, visible or not. */
  uses(alias: string): boolean { return this.slots.has(alias) || this.hidden.has(alias); }

  /** Returns the slot of an alias. Throws if the place does not see it. */
  slot(alias: string, place: string): number {
    const slot = this.slots.get(alias);
    if (slot !== undefined) return slot;
    if (this.hidden.has(alias)) return refuse(place, `leads into "${alias}", which only its exists or absent can see`);
    return refuseName(place, `begins with "${alias}", which is no alias that is defined before this place`, alias, [...this.slots.keys()].sort());
  }
}

/** What a path that is empty or begins with a slash leads into: nothing, a source's own resource, the output row, or aggregates. */
export type Slash =
  | { readonly is: "nothing"; } | { readonly is: "own"; readonly slot: number; }
  | { readonly is: "output"; readonly output: Output; readonly includes: readonly Include[]; }
  | { readonly is: "aggregates"; readonly includes: readonly Include[]; };

/** What a path means at one place of a rule. */
export interface Meaning { readonly scope: Scope; readonly slash: Slash; }

/** What the parser knows while it reads a view or an include. */
export interface Frame {
  scope: Scope;
  /** The slot of the next source. */
  slot: number;
  /** The number of includes around. */
  readonly includeDepth: number;
  /** The sources of this body so far, those inside checks too. */
  sourceCount: number;
  /** The slot of an include's main source; null in a view. */
  ownSlot: number | null;
}

/** Returns what paths mean in `group`, `aggregates` and `select`. */
export function meaningOf(frame: Frame): Meaning {
  return { scope: frame.scope, slash: frame.ownSlot === null ? { is: "nothing" } : { is: "own", slot: frame.ownSlot } };
}
