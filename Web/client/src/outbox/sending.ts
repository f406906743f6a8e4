// Requests of layers: what is sent for an edit, and how far that is. Protocol/optimistic.md, the outbox.

import { elementsOf, kindOf, membersOf } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { canonicalId } from "../model/identity.js";
import { textOf } from "../methods/params.js";
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
  /** The attempts that do not count toward the request's limit, since somebody asked for a fresh start after them. */
  forgivenCount: number;
  firstAttemptAt: number | null;
  /** Why the request failed for good. */
  failure: MutationFailure | null;
  /** The pending id of the older layer whose request has this layer's input. */
  sentWith: string | null;
}

/** The bytes of a message or a code that are kept. */
const TEXT_BYTE_COUNT_MAX = 1_024;

/** Begins the sending of a request. */
export function newSending(request: MutationRequest): LayerSending {
  return { request, attemptCount: 0, forgivenCount: 0, firstAttemptAt: null, failure: null, sentWith: null };
}

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

/** Replaces a temporary id at its places in an input; `json`: the real id as a JSON string. */
export function renamedInput(request: MutationRequest, temporary: string, json: string): string {
  return request.temporaryIds.reduce((input, text) => {
    const pointer = Pointer.parse(text);
    return typeof pointer === "string" ? input : replaced(input, pointer.path, 0, temporary, json);
  }, request.input);
}

function replaced(value: string, path: Pointer["path"], depth: number, temporary: string, json: string): string {
  if (depth === path.length) {
    const id = textOf(value);
    return id !== null && canonicalId(id) === temporary ? json : value;
  }
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
