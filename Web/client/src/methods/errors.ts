import type { CacheError } from "../model/errors.js";
import type { Out } from "../out/value.js";

/** Returns an error as a JSON-RPC error object. */
export function errorOut(error: CacheError): { readonly [name: string]: Out; } {
  const { cache, upstream } = error.reasons;
  const reasons = cache === undefined && upstream === undefined ? undefined : { cache, upstream };
  const data = error.code === "method_not_found" ? undefined : { code: error.code, reasons };
  return { code: error.number, message: error.message, data };
}
