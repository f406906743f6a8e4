import type { CacheClock } from "../engine/clock.js";
import type { Upstream } from "../engine/ports.js";
import type { Journal } from "../journal/journal.js";
import type { NumberMode } from "../json/exact.js";
import type { Limits } from "../model/limits.js";
import type { Policy } from "../state/ages.js";

/** The options of a `NormalizedCache`. All are optional; an unknown name throws `invalid_params`. */
export interface CacheOptions {
  /** The library of events and requests that name none; `""` by default. */
  library?: string;
  /** The source of missing events and query results, and the destination of mutations; null, the default, for none. */
  upstream?: Upstream | null;
  /** Where the cache is stored, so that it survives a reload; null, the default, keeps it in memory only. */
  journal?: Journal | null;
  /** Bounds that replace those of `defaultLimits`. */
  limits?: Partial<Limits>;
  /** The time source; `systemClock()` by default. Tests pass one that they drive. */
  clock?: CacheClock;
  /** Returns a number from 0 to 1, to spread retries in time; `Math.random` by default. */
  random?: () => number;
  /** The timeout of a fetch or a mutation, in milliseconds; 30,000 by default. */
  fetchTimeout?: number;
  /**
   * How long a gap waits for events that arrive out of order before the upstream is asked, in milliseconds; 50 by
   * default.
   */
  reorderWindow?: number;
  /** Names of resource types as the cache stores them, by the alias under which they may arrive. */
  aliases?: Readonly<Record<string, string>>;
  /** Maximum ages and cascading deletes; made by `policyOf` or `policyOfRules` of `@tidemark/client/policy`. */
  policy?: Policy;
  /** What eviction keeps: a whole type (`type`) or one field of it (`type.field`). */
  evictIgnore?: readonly string[];
  /** How numbers that a JavaScript number cannot hold are returned; as `ExactNumber` by default. */
  numbers?: NumberMode;
  /**
   * True, the default, to load the remaining parts of the client while the page is idle; false to load each on first
   * use.
   */
  preload?: boolean;
}

/** The names of a cache's options. The compiler checks that none is missing. */
const names: Record<keyof CacheOptions, 1> = {
  library: 1, upstream: 1, journal: 1, limits: 1, clock: 1, random: 1, fetchTimeout: 1, reorderWindow: 1, aliases: 1, policy: 1,
  evictIgnore: 1, numbers: 1, preload: 1,
};
/** The names of all options in `CacheOptions`. */
export const optionNames: readonly string[] = Object.keys(names);
