import type { Layer } from "../layers/layer.js";
import type { Renaming } from "../layers/renamings.js";
import type { Query } from "../queries/query.js";
import type { Library } from "../store/library.js";
import type { Slot } from "../store/slot.js";

/** What changed since the last flush. Each set holds a thing once, whatever happened to it. */
export class Changes {
  readonly slots = new Set<Slot>();
  readonly libraries = new Set<Library>();
  readonly queries = new Set<Query>();
  /** Layers, and the renamings of temporary ids, which have numbers of the same kind. */
  readonly layers = new Set<Layer | Renaming>();
  readonly removedLayers = new Set<number>();
  readonly removedQueries = new Set<number>();
  /** Keys that were evicted (true), or that came back (false). */
  readonly evicted = new Map<string, { library: string; key: string; isEvicted: boolean; }>();
  /** Libraries of which everything went, before the other changes. */
  readonly cleared = new Set<Library>();

  get isEmpty(): boolean {
    return this.slots.size + this.libraries.size + this.queries.size + this.layers.size + this.removedLayers.size
      + this.removedQueries.size + this.evicted.size + this.cleared.size === 0;
  }
}
