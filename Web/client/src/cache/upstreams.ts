import type { SentMutation, TextUpstream, Upstream } from "../engine/ports.js";
import { parseExact, stringifyExact } from "../json/exact.js";
import type { NumberMode } from "../json/exact.js";
import { Scanner } from "../json/scan.js";
import { compact } from "../json/text.js";
import { UpstreamError } from "../model/errors.js";

const DEPTH_MAX = 64;

/** Wraps an upstream of JavaScript values as one of JSON text. */
export function textUpstream(upstream: Upstream, mode: NumberMode): TextUpstream {
  return {
    eventsSince: upstream.eventsSince === undefined ? null : async (library, sequence) => {
      const answer = await settled(() => upstream.eventsSince?.(library, sequence));
      if (answer === undefined || !Array.isArray(answer.events)) throw new UpstreamError("its answer holds no array of events");
      return { lines: linesOf(answer.events), coveredThrough: answer.coveredThrough ?? null };
    },
    fetch: upstream.fetch === undefined ? null : async (library, method, input) => {
      const answer = await settled(() => upstream.fetch?.(method, parseExact(input, mode), library));
      return textOfAnswer(answer);
    },
    send: upstream.send === undefined ? null : async (mutation) =>
      textOfAnswer(await settled(() => upstream.send?.(parseExact(mutation, mode) as unknown as SentMutation)) ?? {}),
  };
}

/** Converts any error that an upstream throws to an `UpstreamError`. */
async function settled<Result>(body: () => Promise<Result> | undefined): Promise<Result | undefined> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    const { isFinal, isRefusal, retries, code } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
    throw new UpstreamError(error instanceof Error ? error.message : String(error), {
      isFinal: isFinal === true, isRefusal: isRefusal === true, retries: typeof retries === "boolean" ? retries : undefined,
      code: typeof code === "string" ? code : undefined,
    });
  }
}

function linesOf(events: readonly unknown[]): string[] {
  return events.map((event) => typeof event === "string" && /^\s*["{]/.test(event) ? event : stringifyExact(event));
}

/** Returns an upstream's response as compact JSON; it may be a value or JSON text. */
function textOfAnswer(answer: unknown): string {
  if (typeof answer !== "string") return stringifyExact(answer);
  if (new Scanner(DEPTH_MAX, 0).scan(answer) !== null) throw new UpstreamError("its answer is not JSON");
  return compact(answer);
}
