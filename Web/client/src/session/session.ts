import { NormalizedCache } from "../cache/cache.js";
import type { CacheOptions } from "../cache/options.js";
import { textUpstream } from "../cache/upstreams.js";
import { systemClock } from "../engine/clock.js";
import type { Notification } from "../engine/notifications.js";
import type { TextUpstream } from "../engine/ports.js";
import { addInspection } from "../inspection/index.js";
import { compact, elementsOf, kindOf, quoted } from "../json/text.js";
import { errorOut } from "../methods/errors.js";
import { CacheError, UpstreamError } from "../model/errors.js";
import { defaultLimits } from "../model/limits.js";
import { textOf } from "../out/value.js";
import type { Out } from "../out/value.js";
import { Params } from "../params/params.js";
import { installParts } from "../parts/all.js";
import type { Line } from "../wire/events.js";
import { HostCalls } from "./host-calls.js";
import { readMessage } from "./message.js";
import type { Message } from "./message.js";

/** The options of a session: those of its cache, and where to write. */
export interface SessionOptions extends Omit<CacheOptions, "upstream"> {
  /**
   * The source of missing events: the host (the default), none, or an upstream. Queries and mutations go to the host,
   * except with `"none"` or null.
   */
  upstream?: "host" | "none" | CacheOptions["upstream"];
  /** Writes one line of output; the line has no LF. */
  write(line: string): void;
}

const BATCH_COUNT_MAX = 1_000;
const BATCH_BYTE_COUNT_MAX = 16 << 20;
const EVENT_COUNT_MAX = 1_000_000;

/** Receives the outcome of one request. */
type Answer = (outcome: Out | CacheError | { readonly error: Out; }) => void;

/**
 * Connects a host to a cache over lines: events and JSON-RPC in, results and notifications out. Protocol/sessions.md.
 *
 * ```ts
 * const session = new Session({ write: (line) => process.stdout.write(`${line}\n`) });
 * for await (const bytes of process.stdin) session.receive(bytes);
 * await session.end();
 * ```
 */
export class Session {
  /** The cache of the session. */
  readonly cache: NormalizedCache;
  private readonly calls: HostCalls;
  private readonly waiting = new Set<Answer>();
  private readonly endWaiters: (() => void)[] = [];

  /** Creates a cache and a session on it. */
  constructor(private readonly options: SessionOptions) {
    const clock = options.clock ?? systemClock();
    const timeout = options.fetchTimeout ?? 30_000;
    this.calls = new HostCalls((line) => options.write(line), timeout, clock);
    const { upstream, write: _write, ...rest } = options;
    // A session never waits for a part of the client: each line takes effect before the next one is read.
    installParts();
    this.cache = new NormalizedCache({ ...rest, clock, preload: false }, this.upstreamOf(upstream === undefined ? "host" : upstream));
    addInspection(this.cache);
    this.cache.engine.addSink(this.sink);
  }

  private readonly sink = (notification: Notification): void => this.options.write(
    `{"jsonrpc":"2.0","method":${quoted(notification.method)},"params":${textOf(notification.params)}}`);

  /** Applies bytes of the host's line stream; they may be cut anywhere. */
  receive(bytes: Uint8Array): void {
    this.cache.engine.frame(bytes, (line) => this.take(line));
    this.cache.engine.afterInput();
  }

  /** Ends the input: answers all requests, writes all changes, and closes the cache. */
  async end(): Promise<void> {
    const { engine } = this.cache;
    await engine.opened;
    engine.frameEnd((line) => this.take(line));
    engine.afterInput();
    engine.stopSending();
    this.calls.close();
    await engine.endGaps();
    engine.positions.wake(true);
    while (this.waiting.size > 0) await new Promise<void>((resolve) => this.endWaiters.push(resolve));
    await this.cache.close();
  }

  private take(line: Line): void {
    const { engine } = this.cache;
    const decoded = engine.decode(line);
    if (decoded.is === "message" && line.text !== null) {
      const json = compact(line.text);
      // While a full library waits for the host, the host's response may follow other lines.
      if (engine.isWaiting) this.takeAnswers(json);
      engine.whenRoom(line.byteCount, () => {
        engine.applyDecoded(line, decoded);
        engine.afterInput();
        this.takeMessages(json);
        return null;
      });
      return;
    }
    engine.whenRoom(line.byteCount, () => {
      engine.applyDecoded(line, decoded);
      if (decoded.is === "unusable" && isBroken(decoded.line.reason) && mentionsVersion(line)) {
        const message = `line ${line.number} cannot be read (${decoded.line.reason}) and is in quarantine: send one JSON value a line`;
        this.options.write(`{"jsonrpc":"2.0","id":null,"error":${textOf({ code: -32700, message })}}`);
      }
      return null;
    });
  }

  private takeAnswers(json: string): void {
    for (const element of kindOf(json) === "array" ? elementsOf(json) : [json]) {
      const message = readMessage(element);
      if (message.is === "answer") this.calls.take(message.id, message.result, message.error);
    }
  }

  private takeMessages(json: string): void {
    if (kindOf(json) !== "array") return this.takeMessage(readMessage(json), (id) => this.lineAnswer(id));
    const elements = elementsOf(json);
    if (elements.length === 0) return this.lineAnswer("null")({ error: invalid("the array is empty: send requests in it") });
    if (elements.length > BATCH_COUNT_MAX) {
      return this.lineAnswer("null")(new CacheError("limit_exceeded",
        `the array holds ${elements.length} messages, and none was taken: send at most ${BATCH_COUNT_MAX}`));
    }
    const messages = elements.map(readMessage);
    const batch = new BatchAnswer(messages.filter(wantsAnswer).length, this.options.write);
    let index = 0;
    for (const message of messages) {
      const place = index;
      this.takeMessage(message, (id) => batch.answer(id, place));
      if (wantsAnswer(message)) index += 1;
    }
  }

  private takeMessage(message: Message, answerTo: (id: string) => Answer): void {
    switch (message.is) {
      case "answer": return this.calls.take(message.id, message.result, message.error);
      case "invalid": return answerTo(message.id)({ error: invalid(message.message) });
      case "request": return this.perform(message, message.id === null ? () => undefined : answerTo(message.id));
    }
  }

  private perform(request: Extract<Message, { is: "request"; }>, answer: Answer): void {
    const tracked: Answer = (outcome) => {
      this.waiting.delete(tracked);
      answer(outcome);
      if (this.waiting.size === 0) for (const done of this.endWaiters.splice(0)) done();
    };
    this.waiting.add(tracked);
    this.cache.engine.methods.perform(request.method, request.params, this.sink, tracked);
  }

  private lineAnswer(id: string): Answer {
    return (outcome) => this.options.write(answerText(id, outcome));
  }

  // The host as an upstream

  private upstreamOf(given: "host" | "none" | CacheOptions["upstream"]): TextUpstream | null {
    if (given === "none" || given == null) return null;
    const host = this.hostUpstream();
    if (given === "host") return host;
    return { ...host, eventsSince: textUpstream(given, "text").eventsSince };
  }

  private hostUpstream(): TextUpstream {
    return {
      eventsSince: async (library, sequence) => {
        const result = await this.calls.call("events.since.v1", textOf({ library_id: library, sequence }));
        return usable("events.since.v1", () => {
          const params = new Params(result, "result");
          const lines = params.elements("events", EVENT_COUNT_MAX) ?? params.wrong("events", "an array of events");
          return { lines, coveredThrough: params.sequence("covered_through") };
        });
      },
      fetch: async (library, method, input) => {
        const params = `{"method":${quoted(method)},"input":${input},"library_id":${quoted(library)}}`;
        const result = await this.calls.call("query.fetch", params);
        usable("query.fetch", () => {
          const checked = new Params(result, "result");
          checked.type(defaultLimits);
          if (!checked.flag("local")) {
            if (checked.objects("resources", defaultLimits.batchMemberCountMax) === null) checked.wrong("resources", "an array of objects");
          }
        });
        return result;
      },
      send: (mutation) => this.calls.call("mutation.send", mutation),
      hasTimeout: true,
    };
  }
}

function usable<Result>(method: string, body: () => Result): Result {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof CacheError)) throw error;
    throw new UpstreamError(`the host's answer to ${method} cannot be used: ${error.message}`);
  }
}

/** Collects the answers to a batch, and writes them in one array after the last one. */
class BatchAnswer {
  private readonly answers: string[] = [];
  private byteCount = 0;

  constructor(private missingCount: number, private readonly write: (line: string) => void) { }

  answer(id: string, index: number): Answer {
    return (outcome) => {
      let text = answerText(id, outcome);
      this.byteCount += text.length;
      if (this.byteCount > BATCH_BYTE_COUNT_MAX) {
        text = answerText(id, new CacheError("limit_exceeded",
          `the answers of the batch pass ${BATCH_BYTE_COUNT_MAX} bytes: ask in smaller batches`));
      }
      this.answers[index] = text;
      this.missingCount -= 1;
      if (this.missingCount === 0) this.write(`[${this.answers.join(",")}]`);
    };
  }
}

function answerText(id: string, outcome: Parameters<Answer>[0]): string {
  if (outcome instanceof CacheError) return `{"jsonrpc":"2.0","id":${id},"error":${textOf(errorOut(outcome))}}`;
  if (isInvalid(outcome)) return `{"jsonrpc":"2.0","id":${id},"error":${textOf(outcome.error)}}`;
  return `{"jsonrpc":"2.0","id":${id},"result":${textOf(outcome)}}`;
}

const invalids = new WeakSet<object>();

function isInvalid(outcome: Parameters<Answer>[0]): outcome is { readonly error: Out; } {
  return typeof outcome === "object" && outcome !== null && "error" in outcome
    && typeof outcome.error === "object" && outcome.error !== null && invalids.has(outcome.error);
}

function invalid(message: string): Out {
  const error = { code: -32600, message };
  invalids.add(error);
  return error;
}

function wantsAnswer(message: Message): boolean {
  return message.is === "invalid" || message.is === "request" && message.id !== null;
}

function isBroken(reason: string): boolean {
  return reason === "not_json" || reason === "invalid_utf8" || reason === "too_long" || reason === "too_deep";
}

function mentionsVersion(line: Line): boolean {
  const text = line.text ?? Array.from(line.bytes, (byte) => String.fromCharCode(byte)).join("");
  return text.includes("\"jsonrpc\"");
}
