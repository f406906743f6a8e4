// Fetches: one for all readers that wait for the same response. Protocol/queries.md, fetch policies.

import { CacheError } from "../model/errors.js";
import type { ErrorCode } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import { answerOf } from "../params/answers.js";
import { Params } from "../params/params.js";
import type { QueryKey } from "../queries/query.js";
import type { Answer } from "../state/answers.js";
import { selected } from "../state/patches.js";
import type { Question } from "../state/question.js";
import { beginQuestion, endQuestion, isCleared, mayJoin } from "../state/questions.js";
import { store } from "./answers.js";
import type { EngineContext } from "./context.js";
import type { Sink } from "./notifications.js";
import type { QueryAnswer, QueryRequest } from "./query-requests.js";

/** How the cache answers the readers of a fetch. */
export interface CacheAnswers {
  /** Answers a reader from the cache. Returns null after calling `reply`, or why the cache cannot answer. */
  answer(
    request: QueryRequest, isAnyAge: boolean, source: QueryAnswer["source"], reply: FetchWaiter["reply"],
  ): { reason: string; } | null;
  /** Observes a query whose response is not stored: the observer gets the response, then a patch that removes it. */
  observeRemoved(
    request: QueryRequest, sink: Sink, fields: ReadonlySet<string> | null, answer: QueryAnswer, reply: FetchWaiter["reply"],
  ): void;
  /** Returns the fields of a type that a request selects; null for all. */
  fields(request: QueryRequest, type: string): ReadonlySet<string> | null;
  /** Returns the `cache_miss` error for a reason. */
  missError(reason: string): CacheError;
}

/** A reader that waits for a fetch. */
export interface FetchWaiter {
  /** What the reader asked for. */
  request: QueryRequest;
  /** True if the reader wants the response stored. */
  isStored: boolean;
  /** Why the cache had no answer; null when the cache was not asked. */
  cacheReason: string | null;
  /** True if the cache's answer is acceptable when the upstream fails. */
  fallsBack: boolean;
  /** Receives the answer or the error, once. */
  reply(result: QueryAnswer | CacheError): void;
}

interface Fetch {
  readonly name: string;
  question: Question;
  waiters: FetchWaiter[];
  cancelTimer: () => void;
}

/** The running requests to the upstream for queries. Readers of one query share a fetch. */
export class Fetches {
  private readonly fetches = new Set<Fetch>();
  /** The newest fetch of each query, which readers may join. Older fetches of the query keep their own readers. */
  private readonly newest = new Map<string, Fetch>();

  /** Creates a table without fetches. */
  constructor(private readonly engine: EngineContext, private readonly answers: CacheAnswers) { }

  /**
   * Fetches a query for a reader, or adds the reader to a running fetch of the same query. Replies with
   * `limit_exceeded` when `fetchCountMax` fetches are running.
   */
  fetch(waiter: FetchWaiter): void {
    const { key } = waiter.request;
    const name = JSON.stringify([key.library, key.method, key.input]);
    const running = this.newest.get(name);
    if (running !== undefined && mayJoin(this.engine.state, running.question, key)) {
      running.waiters.push(waiter);
      return;
    }
    const ask = this.engine.upstream?.fetch;
    if (ask == null) {
      queueMicrotask(() => this.fail([waiter], "there is no upstream for queries"));
      return;
    }
    const { fetchCountMax } = this.engine.state.limits;
    if (this.fetches.size >= fetchCountMax) {
      if (waiter.fallsBack) queueMicrotask(() => this.fail([waiter], `${fetchCountMax} fetches are under way`));
      else waiter.reply(new CacheError("limit_exceeded", `${fetchCountMax} fetches are under way: read again later`));
      return;
    }
    const timeout = this.engine.fetchTimeout;
    const fetch: Fetch = {
      name, question: beginQuestion(this.engine.state, key.library), waiters: [waiter],
      cancelTimer: this.engine.clock.schedule(timeout, () => this.failed(fetch, `no answer within ${timeout} ms`)),
    };
    this.fetches.add(fetch);
    this.newest.set(name, fetch);
    ask(key.library, key.method, key.input).then(
      (answer) => this.answered(fetch, key, answer),
      (error: unknown) => this.failed(fetch, error instanceof Error ? error.message : String(error)));
  }

  /** Fetches a query again for an observer whose data became too old; `done` receives null or the error. */
  refresh(key: QueryKey, done: (error: Error | null) => void): void {
    const request: QueryRequest = {
      key, policy: "networkOnly", allowsStale: false, maxStale: null, select: null, maxAges: new Map(), refreshes: false,
    };
    this.fetch({
      request, isStored: true, cacheReason: null, fallsBack: false,
      reply: (result) => done(result instanceof CacheError ? result : null),
    });
  }

  /** Fails all running fetches. */
  failAll(reason: string): void {
    for (const fetch of [...this.fetches]) this.failed(fetch, reason);
  }

  /** Removes a running fetch. False if it has already ended or timed out. */
  private end(fetch: Fetch): boolean {
    if (!this.fetches.delete(fetch)) return false;
    if (this.newest.get(fetch.name) === fetch) this.newest.delete(fetch.name);
    fetch.cancelTimer();
    return true;
  }

  private failed(fetch: Fetch, reason: string): void {
    if (!this.end(fetch)) return;
    endQuestion(this.engine.state);
    this.fail(fetch.waiters, reason);
  }

  private answered(fetch: Fetch, key: QueryKey, text: string): void {
    if (this.engine.isClosed || !this.end(fetch)) return;
    const { state } = this.engine;
    let answer: Answer;
    try {
      answer = answerOf(new Params(text), key, state);
    } catch (error) {
      endQuestion(state);
      return this.fail(fetch.waiters, unusable(error));
    }
    // A response that was requested before a clear goes to the readers and is not stored.
    const isKept = !isCleared(state, fetch.question, key.library);
    const stored = isKept ? fetch.waiters.filter((waiter) => waiter.isStored) : [];
    for (const waiter of fetch.waiters) if (!stored.includes(waiter)) this.replyUnstored(waiter, answer);
    let failure: unknown = null;
    try {
      if (stored.length > 0) store(this.engine, answer, fetch.question);
    } catch (error) {
      failure = error;
    }
    endQuestion(state);
    if (failure !== null) return this.fail(stored, unusable(failure), failure instanceof CacheError ? failure.code : "upstream_failed");
    for (const waiter of stored) {
      const miss = this.answers.answer(waiter.request, true, "upstream", waiter.reply);
      if (miss !== null) waiter.reply(this.answers.missError(miss.reason));
    }
  }

  /** Answers a reader without storing the response. An observer gets the response, then a patch that removes it. */
  private replyUnstored({ request, reply }: FetchWaiter, answer: Answer): void {
    const { type, members } = answer.groups[0];
    const fields = this.answers.fields(request, type);
    const out: QueryAnswer = {
      entities: members.map((member) => selected(new Raw(member.resource), fields)),
      keys: members.map((member) => `${type}:${member.id}`), source: "upstream", isStale: false, asOf: answer.asOf,
      isPending: false, subscription: null,
    };
    if (request.sink === undefined) return reply(out);
    this.answers.observeRemoved(request, request.sink, fields, out, reply);
  }

  /** Fails readers. Those that accept the cache's answer get it; the others get an error with both reasons. */
  private fail(waiters: readonly FetchWaiter[], reason: string, cause: ErrorCode = "upstream_failed"): void {
    for (const waiter of waiters) {
      let cache = waiter.cacheReason;
      if (waiter.fallsBack) {
        const miss = this.answers.answer(waiter.request, true, "cache", waiter.reply);
        if (miss === null) continue;
        cache = miss.reason;
      }
      const also = cache === null ? "" : `; the cache has no answer (${cache})`;
      waiter.reply(new CacheError(
        cause === "limit_exceeded" ? cause : "upstream_failed",
        `the upstream gave no answer (${reason})${also}: read again later`,
        cache === null ? { upstream: reason } : { upstream: reason, cache }));
    }
  }
}

function unusable(error: unknown): string {
  return `its answer cannot be used: ${error instanceof Error ? error.message : String(error)}`;
}
