// The optional first question of a host. Protocol/sessions.md, initialize.

import type { Out } from "../out/value.js";
import { CacheError } from "../model/errors.js";
import type { Params } from "./params.js";
import { textOf } from "./params.js";

/** The version of the protocol of sessions. */
export const PROTOCOL = 1;
/** The version of this package; `package.json` has the same. */
export const VERSION = "0.2.0";

/** Returns the answer to `initialize`; `methods`: the names of all methods, sorted. */
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
