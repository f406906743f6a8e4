import type { Json } from "./json";
import { JsonError, parse } from "./json";

/**
 * Parses a value that a person wrote: JSON, or a plain word, which is a string. Text that begins like JSON must be
 * JSON; otherwise it throws an error that begins with `name`.
 */
export function writtenValue(name: string, written: string): Json {
  try {
    return parse(written);
  } catch (error) {
    if (error instanceof JsonError && !/^[[{"]/.test(written.trim())) return written;
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
