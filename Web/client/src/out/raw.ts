import { parseExact } from "../json/exact.js";
import type { JsonValue, NumberMode } from "../json/exact.js";

/** Stored JSON inside an answer. Parsed once, on first use. */
export class Raw {
  private parsed: JsonValue | undefined;

  /** Wraps valid compact JSON. */
  constructor(readonly text: string) { }

  /** Returns the parsed value. Readers share it: do not change it. A cache always passes the same mode. */
  value(mode: NumberMode): JsonValue { return this.parsed ??= parseExact(this.text, mode); }
}
