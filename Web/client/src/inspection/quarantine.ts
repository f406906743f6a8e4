// Lists quarantined records for people, and retries them. Protocol/sessions.md.

import type { Engine } from "../cache/engine.js";
import { byteLength } from "../json/utf8.js";
import { putStrict } from "../methods/strict.js";
import { CacheError } from "../model/errors.js";
import type { Reason } from "../model/errors.js";
import type { Out } from "../out/value.js";
import type { Params } from "../params/params.js";
import { namedLibrary } from "../params/requests.js";
import type { RequestContext } from "../params/requests.js";
import type { QuarantineRecord } from "../state/records.js";
import { retry } from "./retry.js";
import { syntaxFault } from "./syntax.js";

const PAGE_COUNT_MAX = 1_000;
const PAGE_COUNT_DEFAULT = 100;
const RETRIED_COUNT_MAX = 10_000;

/** The reasons in words. Protocol/errors.md, reasons. */
const words: ReadonlyMap<string, string> = new Map<Reason, string>([
  ["not_json", "not JSON"], ["invalid_utf8", "bytes that are not UTF-8"], ["too_long", "longer than a line may be"],
  ["too_deep", "more objects and arrays are open at once than allowed"], ["missing_id", "no id, or a value that is not an id"],
  ["bad_type", "a resource type that is missing, holds other characters than letters, digits and _ . -, or would be one too many"],
  ["bad_sequence", "a sequence that is not a whole number from 0 to 2^63-1, or a prev not below its sequence"],
  ["bad_shape", "JSON, but not a form of an event"], ["batch_too_large", "more members than a batch may have"],
  ["id_too_long", "an id or library id past the limit"], ["too_many_libraries", "the event would open one library too many"],
  ["too_large", "the entity would be larger than it may be"],
]);

/** The kept part of a line: its bytes, their text (null if they are not UTF-8), and whether it is the whole line. */
interface Kept {
  bytes: Uint8Array;
  text: string | null;
  isComplete: boolean;
}

/** Adds `quarantine.list` and `quarantine.retry`. */
export function addQuarantine(engine: Engine, context: RequestContext): void {
  engine.methods.add("quarantine.list", (params) => list(engine, params, context));
  putStrict(engine.methods, "quarantine.retry", ["numbers", "all"], (params, reply) => reply(retried(engine, params)));
}

function list(engine: Engine, params: Params, context: RequestContext): Out {
  const limit = params.integer("limit", 1, PAGE_COUNT_MAX) ?? PAGE_COUNT_DEFAULT;
  const after = params.sequence("after") ?? 0;
  const library = namedLibrary(params, context);
  const reason = params.text("reason");
  if (reason !== null && !words.has(reason)) {
    throw new CacheError("invalid_params", `reason is '${reason}': pass one of ${[...words.keys()].join(", ")}`);
  }
  const chosen = engine.state.quarantine.filter((record) => record.number > after
    && (library === null || record.library === library) && (reason === null || record.reason === reason));
  const page = chosen.slice(0, limit);
  return {
    quarantine: page.map((record) => recordOut(record, kept(record, context.limits.quarantineByteCountMax))),
    next: page.length < chosen.length ? page[page.length - 1].number : null,
  };
}

/** Returns the kept part of a record's line, up to a number of bytes. */
function kept(record: QuarantineRecord, byteCountMax: number): Kept {
  const { excerpt } = record;
  const all = typeof excerpt === "string" ? new TextEncoder().encode(excerpt) : excerpt;
  const bytes = all.subarray(0, byteCountMax);
  const isComplete = record.byteCount <= bytes.length;
  if (typeof excerpt === "string" && bytes.length === all.length) return { bytes, text: excerpt, isComplete };
  try {
    return { bytes, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), isComplete };
  } catch {
    // Bytes that are not text are shown as bytes.
    return { bytes, text: null, isComplete };
  }
}

function recordOut(record: QuarantineRecord, part: Kept): Out {
  const place = placeOf(record, part);
  return {
    number: record.number, kind: record.kind, reason: record.reason, message: messageOf(record, part), line: record.line, offset: record.offset,
    library_id: record.library, sequence: record.sequence, received_at: record.receivedAt, byte_count: record.byteCount,
    complete: part.isComplete, place: place === null ? null : { offset: place[0], count: place[1] - place[0] },
    ...part.text === null ? { base64: base64(part.bytes) } : { text: part.text },
  };
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * Returns the fault of a line that is not JSON, with its offset in bytes; for an incomplete line only a fault before
 * its end.
 */
function faultOf({ text, bytes, isComplete }: Kept): { offset: number; message: string; } | null {
  const fault = text === null ? null : syntaxFault(text);
  if (fault === null || text === null) return null;
  const offset = byteLength(text.slice(0, fault.offset));
  return isComplete || offset < bytes.length ? { offset, message: fault.message } : null;
}

function messageOf({ reason }: QuarantineRecord, part: Kept): string {
  const fault = reason === "not_json" ? faultOf(part) : null;
  return fault === null ? words.get(reason) ?? reason : `not JSON at byte ${fault.offset}: ${fault.message}`;
}

/** Returns the range of faulty bytes; null if the reason has no place in the kept part. */
function placeOf({ reason }: QuarantineRecord, part: Kept): [number, number] | null {
  switch (reason) {
    case "not_json": {
      const fault = faultOf(part);
      return fault === null ? null : [fault.offset, Math.min(fault.offset + 1, part.bytes.length)];
    }
    case "invalid_utf8": return invalidPlace(part.bytes);
    case "bad_sequence": return valuePlace(part, ["sequence", "prev"]);
    case "bad_type": return valuePlace(part, ["resource_type"]);
    case "missing_id": case "id_too_long": return valuePlace(part, ["id", "resource_id", "library_id"]);
    case "batch_too_large": return valuePlace(part, ["resources"]);
    default: return null;
  }
}

/** Returns the range of the first bytes that are not UTF-8. */
function invalidPlace(bytes: Uint8Array): [number, number] | null {
  // A lenient decoder writes U+FFFD for each fault: the text before the first one has its exact number of bytes.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let low = 0;
  let high = bytes.length;
  const isWhole = (count: number): boolean => {
    try {
      decoder.decode(bytes.subarray(0, count), { stream: true });
      return true;
    } catch {
      // The fault is before this offset.
      return false;
    } finally {
      reset(decoder);
    }
  };
  if (isWhole(high)) return null;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (isWhole(middle)) low = middle;
    else high = middle;
  }
  return [startOfCharacter(bytes, low), high];
}

function reset(decoder: TextDecoder): void {
  try {
    decoder.decode();
  } catch {
    // Drops the remaining part of a character.
  }
}

/** Returns the offset of the character that contains a byte. */
function startOfCharacter(bytes: Uint8Array, place: number): number {
  let start = place;
  while (start > 0 && place - start < 3 && (bytes[start] & 0xc0) === 0x80) start -= 1;
  return start;
}

/** Returns the range of the first value of a member with one of the names, at any depth. */
function valuePlace({ text }: Kept, names: readonly string[]): [number, number] | null {
  if (text === null) return null;
  let first: { at: number; start: number; end: number; } | null = null;
  for (const name of names) {
    const at = text.indexOf(`"${name}"`);
    if (at < 0 || first !== null && first.at < at) continue;
    const head = /^"[^"]*"[ \t\r\n]*:[ \t\r\n]*/.exec(text.slice(at));
    if (head === null || at + head[0].length >= text.length) continue;
    const start = at + head[0].length;
    first = { at, start, end: valueEnd(text, start) };
  }
  return first === null ? null : [byteLength(text.slice(0, first.start)), byteLength(text.slice(0, first.end))];
}

/** Returns the end of a value: after the quotation mark of a string, else at the next comma or bracket. */
function valueEnd(text: string, start: number): number {
  const value = text.charAt(start) === "\"" ? /^"(?:[^"\\]|\\[^])*"?/ : /^[^][^,\]}]*/;
  return start + (value.exec(text.slice(start))?.[0].length ?? 0);
}

function retried(engine: Engine, params: Params): Out {
  const isForAll = params.flag("all");
  const elements = params.elements("numbers", RETRIED_COUNT_MAX);
  if (isForAll === (elements !== null)) {
    throw new CacheError("invalid_params", "numbers and all: pass the numbers of the records, or all: true");
  }
  const records = elements === null ? [...engine.state.quarantine] : named(engine, params, elements);
  let applied = 0;
  let superseded = 0;
  for (const record of records) {
    const outcome = retry(engine, record);
    if (outcome === "applied") applied += 1;
    else if (outcome === "superseded") superseded += 1;
  }
  engine.afterInput();
  return { retried: records.length, applied, superseded, remaining: records.length - applied - superseded };
}

function named(engine: Engine, params: Params, elements: readonly string[]): QuarantineRecord[] {
  if (elements.length === 0) throw new CacheError("invalid_params", "numbers is empty: pass at least one");
  const numbers = elements.map((element, index) => {
    if (/^[1-9][0-9]*$/.test(element)) return Number(element);
    return params.wrongElement("numbers", index, element, "numbers from quarantine.list");
  });
  const byNumber = new Map(engine.state.quarantine.map((record) => [record.number, record]));
  return [...new Set(numbers)].sort((left, right) => left - right).map((number) => {
    const record = byNumber.get(number);
    if (record !== undefined) return record;
    throw new CacheError("invalid_params", `there is no record ${number} in quarantine: see quarantine.list; nothing was retried`);
  });
}
