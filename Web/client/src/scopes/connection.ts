// A cache that follows a scope: one request after the other, each a stream of lines. Protocol/scopes.md.

import type { NormalizedCache } from "../cache/cache.js";
import type { Step } from "../engine/context.js";
import { parseExact } from "../json/exact.js";
import { CacheError } from "../model/errors.js";
import { gaps } from "../parts/loaders.js";
import type { Library } from "../store/library.js";
import type { Line } from "../wire/events.js";
import { LineFramer } from "../wire/framer.js";
import type { ScopeFollowing, ScopeSettings } from "./settings.js";

export { eventsSince, send } from "./requests.js";

const DELAY_BASE = 250;
const DELAY_MAX = 30_000;
/** How long the server may be silent, in milliseconds: three heartbeats. */
const SILENCE_MAX = 45_000;
/** The epoch of a library whose scope was dropped; no server has a log of this name. */
const DROPPED = "dropped";
/** The status that a client would be answered with after the end of a stream. */
const STATUSES: Readonly<Record<string, number>> = { forbidden: 403, not_found: 404 };

/** Follows a scope with a cache. */
export function follow(scope: ScopeSettings, cache: NormalizedCache): ScopeFollowing { return new ScopeFollower(scope, cache); }

class ScopeFollower implements ScopeFollowing {
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  private becomeReady: () => void = () => undefined;
  private failReady: (error: unknown) => void = () => undefined;
  private isClosed = false;
  private request = new AbortController();
  private endPause: () => void = () => undefined;
  /** Why the server ended the stream; null while it did not say so. */
  private bye: string | null = null;
  private failureCount = 0;

  constructor(private readonly scope: ScopeSettings, private readonly cache: NormalizedCache) {
    this.ready = new Promise((resolve, reject) => {
      this.becomeReady = resolve;
      this.failReady = reject;
    });
    this.ready.catch(() => undefined);
    this.ended = this.run();
    this.ended.catch((error: unknown) => this.failReady(error));
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.failReady(new CacheError("upstream_failed", "following was ended: follow the scope again"));
    this.request.abort();
    this.endPause();
  }

  // Requests, one after the other

  private async run(): Promise<void> {
    await Promise.all([this.cache.ready, gaps.load()]);
    while (!this.isClosed) {
      let pause = 0;
      try {
        this.bye = null;
        await this.read();
        this.checkBye();
      } catch (error) {
        if (this.isClosed) return;
        const { ServeError, isFinal } = this.scope.refusals;
        if (error instanceof ServeError && isFinal(error.status)) {
          if (error.status === 403) await this.drop();
          throw error;
        }
        // An interruption is not an error: the next request goes on where this one ended.
        pause = error instanceof BusyError ? error.pause : 0;
      }
      if (this.isClosed) return;
      await this.wait(Math.max(pause, Math.min(DELAY_BASE * 2 ** this.failureCount, DELAY_MAX) * this.scope.random()));
      this.failureCount += 1;
    }
  }

  /** Throws if the server ended the stream for good. */
  private checkBye(): void {
    const { bye } = this;
    if (bye === null) return;
    const isOver = bye === "token_expired" || bye === "token_revoked";
    const status = isOver && !this.scope.address.dropToken() ? 401 : STATUSES[bye];
    if (status !== undefined) throw new this.scope.refusals.ServeError(status, `the server ended the stream: ${bye}`);
  }

  private wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.scope.clock.schedule(milliseconds, resolve);
      this.endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Requests the stream, and applies its lines until it ends. */
  private async read(): Promise<void> {
    this.request = new AbortController();
    const { signal } = this.request;
    if (this.isClosed) return;
    const place = await this.place();
    let endSilence = this.watchSilence();
    try {
      const response = await this.scope.address.stream(place, signal);
      if (!response.ok || response.body === null) throw await this.refusedBy(response);
      const { limits } = this.cache.engine.state;
      const framer = new LineFramer(limits.lineByteCountMax, limits.quarantineByteCountMax);
      const reader = response.body.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        endSilence();
        endSilence = this.watchSilence();
        if (signal.aborted) return;
        framer.append(piece.value, (line) => this.take(line));
        this.cache.engine.afterInput();
        // A program that stops the cache's input lets the server wait.
        await this.step(() => null);
      }
    } finally {
      endSilence();
      this.request.abort();
    }
  }

  private async refusedBy(response: Response): Promise<Error> {
    const { isFinal, refusalOf } = this.scope.refusals;
    const seconds = Number(response.headers.get("Retry-After") ?? "");
    const error = await refusalOf(response);
    return isFinal(error.status) || !(seconds > 0) ? error : new BusyError(error.message, Math.min(seconds * 1_000, 10 * DELAY_MAX));
  }

  private watchSilence(): () => void {
    const { request } = this;
    return this.scope.clock.schedule(SILENCE_MAX, () => request.abort());
  }

  /** Runs a step of the cache's input, after all earlier ones. */
  private step(body: Step): Promise<void> {
    return new Promise((resolve, reject) => {
      this.cache.engine.whenRoom(0, () => {
        const part = body();
        if (part === null) resolve();
        return part;
      }, reject);
    });
  }

  // The position

  private get library(): Library | null { return this.cache.engine.state.libraries.get(this.scope.library) ?? null; }

  /** Drops what waits for lines of the last stream. Returns the position to go on from; null to request a state. */
  private async place(): Promise<{ epoch: string; sequence: number | bigint; } | null> {
    await this.step(() => {
      if (this.library !== null) gaps.code.dropWaiting(this.cache.engine.state, this.library);
      return null;
    });
    const { library } = this;
    if (library === null || library.cursor === null || library.scope?.isInState === true || !library.gate.lost.isEmpty) return null;
    const { epoch } = library.gate;
    return epoch === null || epoch === DROPPED ? null : { epoch, sequence: library.cursor };
  }

  /** Removes everything that the scope showed, as an empty state does; pending edits stay. */
  private async drop(): Promise<void> {
    const { library } = this.scope;
    const { engine } = this.cache;
    const place = { library_id: library, epoch: DROPPED };
    await this.step(() => null);
    this.cache.ingest({ ...place, event: { Reset: { state: true } } });
    this.cache.ingest({ ...place, sequence: 0, event: { Heartbeat: { last_sequence: 0 } } });
    await new Promise<void>((resolve) => engine.flusher.wait(true, () => resolve()));
  }

  // Lines

  private take(line: Line): void {
    const { engine } = this.cache;
    engine.whenRoom(line.byteCount, () => {
      const decoded = engine.decode(line);
      if (decoded.is === "event" && decoded.event.kind === "unknown" && decoded.event.name === "bye") {
        this.bye = reasonOf(line.text ?? "");
        return null;
      }
      // The server's name of the library is another one, which nobody knows before the first line.
      if (decoded.is === "event") decoded.event.library = this.scope.library;
      else if (decoded.is === "unusable") decoded.line.library = this.scope.library;
      const part = engine.applyDecoded(line, decoded);
      if (part === null && decoded.is === "event" && decoded.event.kind === "heartbeat") this.hearHeartbeat();
      return part;
    });
  }

  private hearHeartbeat(): void {
    const { library } = this;
    if (library === null || library.scope?.isInState === true || library.gate.missing !== null) return;
    // What no source has is in the next state.
    if (!library.gate.lost.isEmpty) return this.request.abort();
    this.failureCount = 0;
    this.becomeReady();
  }
}

/** The server is busy, and said when to come again. */
class BusyError extends Error {
  constructor(message: string, readonly pause: number) { super(message); }
}

function reasonOf(text: string): string {
  const { bye } = parseExact(text) as { bye?: { reason?: unknown; }; };
  return String(bye?.reason ?? "");
}
