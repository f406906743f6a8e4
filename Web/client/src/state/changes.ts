import type { Layer } from "../layers/layer.js";
import type { LayerChanges, Renaming } from "../layers/renamings.js";
import type { Query } from "../queries/query.js";
import type { Library, Slot } from "../store/library.js";

/** The changes since the last flush. Each changed item is in its set once. */
export class Changes implements LayerChanges {
  /** Changed entities and tombstones. */
  readonly slots = new Set<Slot>();
  /** Changed libraries. */
  readonly libraries = new Set<Library>();
  /** Changed queries. */
  readonly queries = new Set<Query>();
  /** Changed layers and renamed temporary ids, which share one sequence of numbers. */
  readonly layers = new Set<Layer | Renaming>();
  /** The numbers of removed layers and renamings. */
  readonly removedLayers = new Set<number>();
  /** The numbers of removed queries. */
  readonly removedQueries = new Set<number>();
  /** Keys that were evicted (`isEvicted` true) or stored again (false). */
  readonly evicted = new Map<string, { library: string; key: string; isEvicted: boolean; }>();
  /** Libraries that were cleared, before the other changes. */
  readonly cleared = new Set<Library>();

  /** Defined views by their name in all libraries; null for one that was dropped. */
  readonly views = new Map<string, { readonly library: string; readonly name: string; readonly rule: string; } | null>();

  /** True if nothing changed. */
  get isEmpty(): boolean {
    return this.slots.size + this.libraries.size + this.queries.size + this.layers.size + this.removedLayers.size
      + this.removedQueries.size + this.evicted.size + this.cleared.size + this.views.size === 0;
  }
}
