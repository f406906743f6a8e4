import type { NormalizedCache } from "../cache/cache.js";
import type { CacheOptions } from "../cache/options.js";

/** The options of a `SharedCache`. */
export interface SharedCacheOptions extends Omit<CacheOptions, "journal"> {
  /** The name of the database, and of the group of tabs; `tidemark` by default. */
  name?: string;
  /**
   * Called in a tab that becomes the writer, to connect sources to the cache. May return a function, called at its
   * close.
   */
  lead?(cache: NormalizedCache): (() => void) | void;
}
