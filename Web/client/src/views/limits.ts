import type { Limits } from "../model/limits.js";

// The bounds of one view are those of the protocol. Protocol/views.md.

/** The maximum number of sources of a view and of each include, those inside `exists` and `absent` counted. */
export const SOURCE_COUNT_MAX = 8;
/** The maximum nesting of `exists` and `absent`. */
export const CHECK_DEPTH_MAX = 4;
/** The maximum nesting of includes. */
export const INCLUDE_DEPTH_MAX = 4;
/** The maximum number of includes of a view. */
export const INCLUDE_COUNT_MAX = 32;

/** The bounds of a cache that concern views. */
export type ViewLimits = Pick<Limits, "ruleByteCountMax" | "predicateCountMax" | "useCountMax" | "rowCountMax">;
