import { CacheError } from "../model/errors.js";
import type { CacheOptions } from "./cache.js";

/** The names of the options of a cache: the compiler sees to it that none is missing here. */
const names: Record<keyof CacheOptions, 1> = {
  library: 1, upstream: 1, journal: 1, limits: 1, clock: 1, random: 1, fetchTimeout: 1, reorderWindow: 1, aliases: 1, policy: 1,
  evictIgnore: 1, numbers: 1, preload: 1,
};
export const optionNames: readonly string[] = Object.keys(names);

/** Refuses options with a name that does not exist: what is misspelt would be passed over in silence. */
export function refuseUnknown(options: object | undefined, known: readonly string[]): void {
  for (const name of Object.keys(options ?? {})) {
    if (!known.includes(name)) throw new CacheError("invalid_params", `there is no option ${name}: pass ${known.join(", ")}`);
  }
}
