import { parseExact, stringifyExact } from "../json/exact.js";
import type { JsonValue } from "../json/exact.js";
import { compact } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import type { ErrorCode } from "../model/errors.js";
import { refuseUnknown } from "../model/options.js";
import { SseReader } from "./sse.js";

/** Thrown when a server refuses a request: a wrong token, an unknown path, or a request that it does not perform. */
export class ServeError extends CacheError {
  /** Creates the error for an HTTP status. */
  constructor(readonly status: number, message: string, code: ErrorCode = "upstream_failed") {
    super(code, message);
    this.name = "ServeError";
  }
}

/** A connection to `tidemark serve`: calls its methods, and receives its notifications. */
export interface ServeConnection {
  /**
   * Calls a method of the server. Waits while the server cannot be reached. Rejects with a `CacheError` if the server
   * refused the request, and with a `ServeError`, which has the `status`, if it refused the connection.
   */
  call(method: string, params?: object): Promise<JsonValue>;
  /** Subscribes `handler` to the notifications of one name. Returns a function that unsubscribes it. */
  on(method: string, handler: (params: JsonValue) => void): () => void;
  /**
   * Calls `handler` when the server refuses the connection for good: there is no further attempt, and all calls reject
   * with the same error. Returns a function that unsubscribes it.
   */
  onRefused(handler: (error: ServeError) => void): () => void;
  /**
   * Calls `handler` when the stream was lost and has begun anew: start all observations again. Returns a function that
   * unsubscribes it.
   */
  onGone(handler: () => void): () => void;
  /** Closes the connection; waiting calls reject. */
  close(): void;
}

/** The options of a connection. */
export interface ServeOptions {
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
  /** Returns a number from 0 to 1, to spread retries in time; `Math.random` by default. */
  random?: () => number;
}

const DELAY_BASE = 250;
const DELAY_MAX = 30_000;

/** Statuses after which the same request may succeed later. */
const passing: readonly number[] = [408, 425, 429];

/** True if a status means that a retry cannot succeed: a client error other than 408, 425 and 429. */
export function isFinal(status: number): boolean { return status >= 400 && status < 500 && !passing.includes(status); }

/** Returns a response's refusal as an error, with the message in its body if that is JSON. */
export async function refusalOf(response: Response): Promise<ServeError> {
  const own = await response.text().then((text) => (JSON.parse(text) as { error?: RemoteError; }).error).catch(() => undefined);
  return new ServeError(
    response.status, `the server answered ${response.status}${own === undefined ? "" : `: ${own.message}`}`, own?.data?.code);
}

/**
 * Connects to `tidemark serve`, and reconnects until it is closed or refused. Reads the stream with `fetch`, since an
 * `EventSource` cannot send a token.
 *
 * ```ts
 * const connection = connectServe("http://127.0.0.1:7432", token);
 * const stats = await connection.call("cache.stats");
 * connection.on("durable", (params) => console.log(params));
 * ```
 */
export function connectServe(url: string, token: string, options: ServeOptions = {}): ServeConnection {
  refuseUnknown(options, ["fetch", "random"]);
  return new Connection(url.replace(/\/$/, ""), token, options.fetch ?? ((...args) => fetch(...args)), options.random ?? Math.random);
}

class Connection implements ServeConnection {
  private readonly handlers = new Map<string, Set<(params: JsonValue) => void>>();
  private readonly goneHandlers = new Set<() => void>();
  private readonly refusedHandlers = new Set<(error: ServeError) => void>();
  private refusal: ServeError | null = null;
  private readonly end = new AbortController();
  private stream: string | null = null;
  private lastEventId: string | null = null;
  private lastId = 0;
  private streamWaiters: (() => void)[] = [];

  constructor(
    private readonly url: string, private readonly token: string, private readonly fetch: typeof globalThis.fetch,
    private readonly random: () => number,
  ) {
    void this.run();
  }

  async call(method: string, params?: object): Promise<JsonValue> {
    while (this.stream === null && !this.isOver) await new Promise<void>((resolve) => this.streamWaiters.push(resolve));
    if (this.refusal !== null) throw this.refusal;
    this.end.signal.throwIfAborted();
    this.lastId += 1;
    const body = `{"jsonrpc":"2.0","id":${this.lastId},"method":${stringifyExact(method)},"params":${stringifyExact(params ?? {})}}`;
    const response = await this.fetch(`${this.url}/rpc`, {
      method: "POST", body, signal: this.end.signal,
      headers: { ...this.headers, "Content-Type": "application/json", "Tidemark-Stream": this.stream ?? "" },
    });
    if (!response.ok) throw await refusalOf(response);
    const message = parseExact(compact((await response.text()).trim())) as { result?: JsonValue; error?: RemoteError; };
    if (message.error === undefined) return message.result ?? null;
    throw new CacheError(message.error.data?.code ?? "upstream_failed", message.error.message);
  }

  on(method: string, handler: (params: JsonValue) => void): () => void {
    const handlers = this.handlers.get(method) ?? new Set();
    this.handlers.set(method, handlers.add(handler));
    return () => { handlers.delete(handler); };
  }

  onRefused(handler: (error: ServeError) => void): () => void {
    this.refusedHandlers.add(handler);
    return () => { this.refusedHandlers.delete(handler); };
  }

  onGone(handler: () => void): () => void {
    this.goneHandlers.add(handler);
    return () => { this.goneHandlers.delete(handler); };
  }

  close(): void {
    this.end.abort(new CacheError("upstream_failed", "the connection is closed: open another one"));
    for (const wake of this.streamWaiters.splice(0)) wake();
  }

  private get isOver(): boolean { return this.refusal !== null || this.end.signal.aborted; }

  private get headers(): Record<string, string> { return { Authorization: `Bearer ${this.token}` }; }

  /** Reads the stream, and reconnects after each interruption with a growing pause. */
  private async run(): Promise<void> {
    let failureCount = 0;
    while (!this.isOver) {
      try {
        await this.read(() => { failureCount = 0; });
      } catch (error) {
        // An interruption is not an error: the next attempt resumes where this one ended.
        if (error instanceof ServeError && isFinal(error.status)) this.refuse(error);
      }
      if (this.isOver) return;
      const delay = Math.min(DELAY_BASE * 2 ** failureCount, DELAY_MAX) * this.random();
      failureCount += 1;
      await new Promise((resolve) => { setTimeout(resolve, delay); });
    }
  }

  private refuse(error: ServeError): void {
    this.refusal = error;
    this.stream = null;
    for (const wake of this.streamWaiters.splice(0)) wake();
    for (const handler of [...this.refusedHandlers]) handler(error);
  }

  private async read(succeeded: () => void): Promise<void> {
    const query = this.stream === null ? "" : `?stream=${encodeURIComponent(this.stream)}`;
    const headers = this.lastEventId === null ? this.headers : { ...this.headers, "Last-Event-ID": this.lastEventId };
    const response = await this.fetch(`${this.url}/stream${query}`, { headers, signal: this.end.signal });
    if (!response.ok || response.body === null) throw await refusalOf(response);
    succeeded();
    const reader = response.body.getReader();
    const events = new SseReader((event, data, id) => this.take(event, data, id));
    const decoder = new TextDecoder();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      events.append(decoder.decode(piece.value, { stream: true }));
    }
  }

  private take(event: string, data: string, id: string | null): void {
    if (id !== null) this.lastEventId = id;
    if (event === "hello") {
      const { stream } = JSON.parse(data) as { stream: string; };
      this.stream = stream;
      for (const wake of this.streamWaiters.splice(0)) wake();
    } else if (event === "gone") {
      this.stream = null;
      this.lastEventId = null;
      for (const handler of [...this.goneHandlers]) handler();
    } else if (event === "message") {
      const { method, params } = parseExact(compact(data)) as { method: string; params: JsonValue; };
      for (const handler of [...this.handlers.get(method) ?? []]) handler(params);
    }
  }
}

interface RemoteError {
  message: string;
  data?: { code: ErrorCode; };
}
