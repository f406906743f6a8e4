import { CacheError } from "../model/errors.js";
import type { CacheOptions } from "./cache.js";

/** The names of a cache's options. The compiler checks that none is missing. */
const names: Record<keyof CacheOptions, 1> = {
  library: 1, upstream: 1, journal: 1, limits: 1, clock: 1, random: 1, fetchTimeout: 1, reorderWindow: 1, aliases: 1, policy: 1,
  evictIgnore: 1, numbers: 1, preload: 1,
};
/** The names of all options in `CacheOptions`. */
export const optionNames: readonly string[] = Object.keys(names);

/** Throws `invalid_params` if an option has an unknown name, so that a misspelt one is not silently ignored. */
export function refuseUnknown(options: object | undefined, known: readonly string[]): void {
  for (const name of Object.keys(options ?? {})) {
    if (!known.includes(name)) throw new CacheError("invalid_params", `there is no option ${name}: pass ${known.join(", ")}`);
  }
}
