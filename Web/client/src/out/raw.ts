import { parseExact } from "../json/exact.js";
import type { JsonValue, NumberMode } from "../json/exact.js";

/** JSON as it is stored, inside what the cache says; read into a JavaScript value once, when somebody wants it. */
export class Raw {
  private parsed: JsonValue | undefined;

  constructor(readonly text: string) { }

  /** Returns the value. Shared by all who read it: not to be changed. The mode is one for each cache. */
  value(mode: NumberMode): JsonValue { return this.parsed ??= parseExact(this.text, mode); }
}
