// The optional first request of a host. Protocol/sessions.md, initialize.

import { CacheError } from "../model/errors.js";
import type { Out } from "../out/value.js";
import { textOf } from "../params/params.js";
import type { Params } from "../params/params.js";

/** The version of the session protocol. */
export const PROTOCOL = 1;
/** The version of this package, as in `package.json`. */
export const VERSION = "0.2.0";

/** Returns the result of `initialize`; `methods` are the sorted names of all methods. */
export function greeting(params: Params, methods: readonly string[]): Out {
  const host = params.value("host");
  if (host !== null && textOf(host) === null) params.wrong("host", "the host's name");
  const asked = params.integer("protocol", 1, Number.MAX_SAFE_INTEGER);
  if (asked !== null && asked > PROTOCOL) {
    throw new CacheError("invalid_params",
      `protocol is ${asked}: this version serves protocol ${PROTOCOL}; update tidemark, or pass ${PROTOCOL}`);
  }
  return { protocol: PROTOCOL, version: VERSION, methods };
}
