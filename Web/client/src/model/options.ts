import { CacheError } from "./errors.js";

/** Throws `invalid_params` if an option has an unknown name, so that a misspelt one is not silently ignored. */
export function refuseUnknown(options: object | undefined, known: readonly string[]): void {
  for (const name of Object.keys(options ?? {})) {
    if (!known.includes(name)) throw new CacheError("invalid_params", `there is no option ${name}: pass ${known.join(", ")}`);
  }
}
