// Single requests about a scope: missing events, and edits. Protocol/scopes.md.

import type { EventsAnswer, SentMutation } from "../engine/ports.js";
import { parseExact } from "../json/exact.js";
import type { JsonValue } from "../json/exact.js";
import { compact } from "../json/text.js";
import { UpstreamError } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import type { ScopeSettings } from "./settings.js";

interface EventsResponse {
  result?: { events?: readonly { [name: string]: JsonValue; }[]; covered_through?: Sequence; };
  error?: { message: string; };
}

/** Returns the events of a scope from a sequence on. Those that the server does not have any more are in a new state. */
export async function eventsSince({ address, library, cache, refusals }: ScopeSettings, sequence: Sequence): Promise<EventsAnswer> {
  const epoch = cache?.gaps()[library]?.epoch ?? "";
  const body = { jsonrpc: "2.0", id: 1, method: "events.since.v1", params: { sequence } };
  const response = await address.post("", `epoch=${encodeURIComponent(epoch)}`, body);
  if (!response.ok) {
    const { message, status } = await refusals.refusalOf(response);
    throw new UpstreamError(message, { isFinal: refusals.isFinal(status) });
  }
  const { result, error } = parseExact(compact(await response.text())) as EventsResponse;
  if (error !== undefined) throw new UpstreamError(error.message, true);
  return { events: (result?.events ?? []).map((event) => renamed(event, library)), coveredThrough: result?.covered_through };
}

/** Returns an event with the name that its library has in the cache. */
function renamed(event: { [name: string]: JsonValue; }, library: string): object {
  const { envelope } = event;
  const inner = typeof envelope === "object" && envelope !== null ? { envelope: { ...envelope, library_id: library } } : {};
  return { ...event, ...inner, library_id: library };
}

/** Hands the mutation of a pending edit to the service behind a scope. Returns its answer. */
export async function send({ address, refusals }: ScopeSettings, { pending_id, method, input, changes }: SentMutation): Promise<unknown> {
  const response = await address.post("/edits", "", { pending_id, method, input, changes });
  if (response.ok) {
    const answer = parseExact(compact(await response.text())) as { result?: JsonValue; };
    return answer.result ?? answer;
  }
  const { message, status, code } = await refusals.refusalOf(response);
  // A token that is over is renewed by the program, and the edit is sent again then.
  const retries = !refusals.isFinal(status) || status === 401;
  throw new UpstreamError(message, { isRefusal: !retries, retries, code });
}
