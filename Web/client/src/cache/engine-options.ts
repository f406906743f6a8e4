import type { CacheClock } from "../engine/clock.js";
import type { TextUpstream } from "../engine/ports.js";
import type { Journal } from "../journal/journal.js";
import type { Limits } from "../model/limits.js";
import type { Policy } from "../state/ages.js";

/** The settings of an engine: `CacheOptions` with every default filled in. */
export interface EngineOptions {
  library: string;
  upstream: TextUpstream | null;
  journal: Journal | null;
  limits: Limits;
  clock: CacheClock;
  /** Returns a number from 0 to 1. */
  random: () => number;
  /** The timeout of a fetch or a mutation, in milliseconds. */
  fetchTimeout: number;
  /** How long a gap waits for events that arrive out of order, in milliseconds. */
  reorderWindow: number;
  /** Names of resource types as the cache stores them, by alias. */
  aliases: ReadonlyMap<string, string>;
  policy: Policy | null;
  /** What eviction keeps, as `type` or `type.field`. */
  evictIgnore: readonly string[];
}
