// Requests of layers: what is sent for an edit, and how far that is. Protocol/optimistic.md, the outbox.

import { elementsOf, kindOf, membersOf } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { idOf } from "../model/identity.js";
import { Pointer } from "../queries/pointer.js";

/** The request by which a pending edit reaches the server. */
export interface MutationRequest {
  readonly method: string;
  /** Compact JSON. */
  input: string;
  /** The queue in the library; null: the queue of the library itself. */
  readonly key: string | null;
  readonly attemptCountMax: number | null;
  /** Milliseconds since the first attempt after which a failure is final. */
  readonly duration: number | null;
  /** JSON Pointers into the input whose values are temporary ids. */
  readonly temporaryIds: readonly string[];
  readonly isReplaceable: boolean;
  readonly onFailure: "stop" | "continue";
  readonly discardsOnFailure: boolean;
}

/** Why an attempt brought no confirmation. */
export interface MutationFailure {
  readonly message: string;
  readonly code: string | null;
}

/** A layer's request, and the progress of sending it as far as a journal has it. */
export interface LayerSending {
  readonly request: MutationRequest;
  /** The attempts that were begun. One is counted on the disk before it is sent. */
  attemptCount: number;
  /**
   * The attempts that do not count toward the request's limit: those before a fresh start that somebody asked for, and those that
   * ended without an answer or a failure, because the session ended or the journal failed.
   */
  forgivenCount: number;
  /** Whether an attempt is under way. A journal has it as one that does not count: it may be interrupted. */
  isUnderWay: boolean;
  /** The time of the first attempt that counts. */
  firstAttemptAt: number | null;
  /** Why the request failed for good. */
  failure: MutationFailure | null;
  /** The pending id of the older layer whose request has this layer's input. */
  sentWith: string | null;
}

/** A request as it left: what is sent under one pending id is the same in every attempt. */
export interface SentRequest {
  readonly input: string;
  /** The changes of all layers that the request serves, as a JSON array of operations. */
  readonly changes: string;
}

/** The bytes of a message or a code that are kept. */
const TEXT_BYTE_COUNT_MAX = 1_024;

/** Begins the sending of a request. */
export function newSending(request: MutationRequest): LayerSending {
  return { request, attemptCount: 0, forgivenCount: 0, isUnderWay: false, firstAttemptAt: null, failure: null, sentWith: null };
}

/** Returns the progress as a journal has it: a copy, in which an attempt that is under way does not count. */
export function recordedSending(sending: LayerSending): LayerSending {
  return { ...sending, request: { ...sending.request }, forgivenCount: interruptedCount(sending), isUnderWay: false };
}

/** Returns the attempts that do not count when the one under way ends without an answer. */
export function interruptedCount({ forgivenCount, isUnderWay }: LayerSending): number { return forgivenCount + (isUnderWay ? 1 : 0); }

/** Returns the bytes that count toward the bound on layers. */
export function sendingByteCount({ request, failure, sentWith }: LayerSending): number {
  const pointers = request.temporaryIds.reduce((sum, pointer) => sum + pointer.length + 16, 0);
  return 128 + request.method.length + request.input.length + (request.key?.length ?? 0) + pointers + (sentWith?.length ?? 0)
    + (failure === null ? 0 : 32 + failure.message.length + (failure.code?.length ?? 0));
}

/** Returns a failure with texts of at most 1,024 bytes. */
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

/** Returns the ids in an input at the places of temporary ids, canonical, each once. */
export function namedIds(request: MutationRequest): Set<string> {
  const ids = pathsOf(request).map((pointer) => {
    const value = pointer.value(request.input);
    return value === null ? null : idOf(value);
  });
  return new Set(ids.filter((id): id is string => id !== null));
}

/** Returns an input with the real id at the places of a temporary one; `json`: the real id as the server gave it. */
export function renamedInput(request: MutationRequest, temporary: string, json: string): string {
  return pathsOf(request).reduce((input, { path }) => replaced(input, path, 0, temporary, json), request.input);
}

/** The pointers were checked when the request was made; a record that somebody broke may hold others. */
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
      // Of equal names the last one counts.
      const at = members.map((member) => member.name).lastIndexOf(name);
      if (at < 0) return value;
      return `{${members.map((member, place) => `${member.spelled}:${place === at ? inner(member.value) : member.value}`).join(",")}}`;
    }
    case "array":
      return `[${elementsOf(value).map((element, place) => place === index ? inner(element) : element).join(",")}]`;
    default: return value;
  }
}
