import { kindName, kindOf, membersOf } from "../json/text.js";
import { byteLength } from "../json/utf8.js";
import { textOf } from "../params/params.js";

/** An error in a host's response. */
export interface HostError {
  /** The JSON-RPC error number; null if it is missing. */
  code: number | null;
  /** The message of the error. */
  message: string;
  /** `data.code`; null if it is missing. */
  name: string | null;
  /** `data.retry`; null if it is missing. */
  retries: boolean | null;
}

/** A JSON-RPC message: one line, or one element of a batch. */
export type Message =
  | { is: "request"; id: string | null; method: string; params: string | null; }
  | { is: "answer"; id: string | null; result: string | null; error: HostError | null; }
  | { is: "invalid"; id: string; message: string; };

const ID_BYTE_COUNT_MAX = 1_024;

/** Parses a message from compact JSON. Protocol/sessions.md, messages. */
export function readMessage(json: string): Message {
  if (kindOf(json) !== "object") return { is: "invalid", id: "null", message: `${kindName(json)} is not a request: send an object` };
  const members = new Map(membersOf(json).map((member) => [member.name, member.value]));
  const id = members.get("id");
  const method = members.get("method");
  if (method !== undefined) return readRequest(method, members.get("params"), id, members.get("jsonrpc"));
  const result = members.get("result");
  const error = members.get("error");
  const answerId = id === undefined ? null : textOf(id);
  if (result !== undefined && (error === undefined || error === "null")) return { is: "answer", id: answerId, result, error: null };
  if (error !== undefined) return { is: "answer", id: answerId, result: null, error: readError(error) };
  return { is: "invalid", id: usableId(id) ?? "null", message: "the message has no method and no result: send one of them" };
}

function readRequest(
  method: string, params: string | undefined, id: string | undefined, version: string | undefined,
): Message {
  const own = usableId(id);
  if (id !== undefined && own === null) {
    return { is: "invalid", id: "null", message: `the id is ${kindName(id)}, or too long: send a string, a number or null` };
  }
  const invalid = (message: string): Message => ({ is: "invalid", id: own ?? "null", message });
  if (version === undefined || textOf(version) !== "2.0") return invalid("jsonrpc is not \"2.0\": send that version");
  const name = textOf(method);
  if (name === null) return invalid(`the method is ${kindName(method)}: send a string`);
  const kind = params === undefined ? "null" : kindOf(params);
  if (kind !== "object" && kind !== "array" && kind !== "null") return invalid(`the params are ${kindName(params ?? "null")}: send an object`);
  return { is: "request", id: own, method: name, params: kind === "null" || params === undefined ? null : params };
}

/** Returns an id as it was written; null if it is absent or not allowed as an id. */
function usableId(id: string | undefined): string | null {
  if (id === undefined) return null;
  const kind = kindOf(id);
  return (kind === "string" || kind === "number" || kind === "null") && byteLength(id) <= ID_BYTE_COUNT_MAX ? id : null;
}

function readError(json: string): HostError {
  const members = new Map(kindOf(json) === "object" ? membersOf(json).map((member) => [member.name, member.value]) : []);
  const code = members.get("code");
  const message = members.get("message");
  const data = members.get("data");
  const details = new Map(data !== undefined && kindOf(data) === "object" ? membersOf(data).map((member) => [member.name, member.value]) : []);
  const name = details.get("code");
  const retry = details.get("retry");
  return {
    name: name === undefined ? null : textOf(name), retries: retry === "true" || retry === "false" ? retry === "true" : null,
    code: code !== undefined && /^-?[0-9]+$/.test(code) ? Number(code) : null,
    message: (message === undefined ? null : textOf(message)) ?? "the host answered an error without a message",
  };
}
