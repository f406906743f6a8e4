// The requests of layers, and their progress. Protocol/optimistic.md, the outbox.

import { Pointer } from "../json/pointer.js";
import { elementsOf, kindOf, membersOf } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { idOf } from "../wire/identity.js";

/** The request that sends a pending edit to the server. */
export interface MutationRequest {
  /** The name of the mutation. */
  readonly method: string;
  /** The input of the mutation, as compact JSON. */
  input: string;
  /** The queue within the library; null for the library's own queue. */
  readonly key: string | null;
  /** Maximum number of attempts; null for no bound. */
  readonly attemptCountMax: number | null;
  /** Milliseconds since the first attempt after which a failure is final. */
  readonly duration: number | null;
  /** JSON Pointers into the input whose values are temporary ids. */
  readonly temporaryIds: readonly string[];
  /** True if a newer request of the key may replace this one before it is sent. */
  readonly isReplaceable: boolean;
  /** Whether later requests of the key stop or continue after a final failure. */
  readonly onFailure: "stop" | "continue";
  /** True if a final failure rolls the edit back. */
  readonly discardsOnFailure: boolean;
}

/** Why an attempt failed. */
export interface MutationFailure {
  /** The failure in words. */
  readonly message: string;
  /** The server's error code; null if there is none. */
  readonly code: string | null;
}

/** The request of a layer, and its progress as a journal stores it. */
export interface LayerSending {
  /** The request. */
  readonly request: MutationRequest;
  /** The number of attempts. Each is durable before it is sent. */
  attemptCount: number;
  /**
   * The attempts that do not count toward the limit: those before `optimistic.retry`, and those that ended without an
   * answer or a failure because the session ended or the journal failed.
   */
  forgivenCount: number;
  /**
   * True while an attempt is running. The journal stores it as one that does not count, because it may be interrupted.
   */
  isUnderWay: boolean;
  /** The time of the first attempt that counts, in milliseconds since 1970; null before it. */
  firstAttemptAt: number | null;
  /** Why the request failed for good; null if it has not. */
  failure: MutationFailure | null;
  /**
   * The pending id of the older layer whose request carries this layer's input; null if the layer is sent by itself.
   */
  sentWith: string | null;
}

/** A request as first sent: it stays the same in every attempt of one pending id. */
export interface SentRequest {
  /** The input, as compact JSON. */
  readonly input: string;
  /** The changes of all layers that the request carries, as a JSON array of operations. */
  readonly changes: string;
}

/** Maximum bytes of a stored message or code. */
const TEXT_BYTE_COUNT_MAX = 1_024;

/** Returns the progress of a request before its first attempt. */
export function newSending(request: MutationRequest): LayerSending {
  return { request, attemptCount: 0, forgivenCount: 0, isUnderWay: false, firstAttemptAt: null, failure: null, sentWith: null };
}

/** Returns the progress for the journal: a copy in which a running attempt does not count. */
export function recordedSending(sending: LayerSending): LayerSending {
  return { ...sending, request: { ...sending.request }, forgivenCount: interruptedCount(sending), isUnderWay: false };
}

/** Returns the attempts that do not count if the running one ends without an answer. */
export function interruptedCount({ forgivenCount, isUnderWay }: LayerSending): number { return forgivenCount + (isUnderWay ? 1 : 0); }

/** Returns the bytes of a request that count toward `layerByteCountMax`. */
export function sendingByteCount({ request, failure, sentWith }: LayerSending): number {
  const pointers = request.temporaryIds.reduce((sum, pointer) => sum + pointer.length + 16, 0);
  return 128 + request.method.length + request.input.length + (request.key?.length ?? 0) + pointers + (sentWith?.length ?? 0)
    + (failure === null ? 0 : 32 + failure.message.length + (failure.code?.length ?? 0));
}

/** Returns a failure with its texts cut to 1,024 bytes. */
export function boundedFailure(message: string, code: string | null): MutationFailure {
  return { message: boundedText(message), code: code === null ? null : boundedText(code) };
}

function boundedText(text: string): string {
  if (byteLength(text) <= TEXT_BYTE_COUNT_MAX) return text;
  let bounded = "";
  let byteCount = 3;
  for (const character of text) {
    byteCount += byteLength(character);
    if (byteCount > TEXT_BYTE_COUNT_MAX) break;
    bounded += character;
  }
  return `${bounded}…`;
}

/** Returns the distinct canonical ids at the pointers `temporaryIds` of a request's input. */
export function namedIds(request: MutationRequest): Set<string> {
  const ids = pathsOf(request).map((pointer) => {
    const value = pointer.value(request.input);
    return value === null ? null : idOf(value);
  });
  return new Set(ids.filter((id): id is string => id !== null));
}

/**
 * Returns a request's input with a temporary id replaced by the real one; `json` is the real id as the server wrote it.
 */
export function renamedInput(request: MutationRequest, temporary: string, json: string): string {
  return pathsOf(request).reduce((input, { path }) => replaced(input, path, 0, temporary, json), request.input);
}

/** The pointers were checked when the request was made, but a damaged record may hold others. */
function pathsOf({ temporaryIds }: MutationRequest): Pointer[] {
  return temporaryIds.map((text) => Pointer.parse(text)).filter((pointer): pointer is Pointer => typeof pointer !== "string");
}

function replaced(value: string, path: Pointer["path"], depth: number, temporary: string, json: string): string {
  if (depth === path.length) return idOf(value) === temporary ? json : value;
  const { name, index } = path[depth];
  const inner = (child: string): string => replaced(child, path, depth + 1, temporary, json);
  switch (kindOf(value)) {
    case "object": {
      const members = membersOf(value);
      // Of repeated members the last one counts.
      const at = members.map((member) => member.name).lastIndexOf(name);
      if (at < 0) return value;
      return `{${members.map((member, place) => `${member.spelled}:${place === at ? inner(member.value) : member.value}`).join(",")}}`;
    }
    case "array":
      return `[${elementsOf(value).map((element, place) => place === index ? inner(element) : element).join(",")}]`;
    default: return value;
  }
}
