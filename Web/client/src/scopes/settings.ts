import type { NormalizedCache } from "../cache/cache.js";
import type { CacheClock } from "../engine/clock.js";
import type { EventsAnswer, SentMutation } from "../engine/ports.js";
import type { Sequence } from "../model/sequence.js";
import type { isFinal, refusalOf, ServeError } from "../sources/serve.js";
import type { ScopeAddress } from "./address.js";

/** The progress of a cache that follows a scope. */
export interface ScopeFollowing {
  /**
   * Resolves once the cache has what the scope shows. Rejects like `ended` if that comes first.
   */
  readonly ready: Promise<void>;
  /**
   * Resolves once closed. Rejects with a `ServeError` if the server refuses: its `status` is 401 for a token that is
   * over, 403 when the scope is not to be seen any more, and 404 when there is no such scope.
   */
  readonly ended: Promise<void>;
  /** Stops following. What the cache has stays. */
  close(): void;
}

/** What the loaded part knows of a scope. */
export interface ScopeSettings {
  /** Where the scope is. */
  readonly address: ScopeAddress;
  /** The library of the cache that holds the scope. */
  readonly library: string;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** The timers. */
  readonly clock: CacheClock;
  /**
   * How responses are refused. Passed, because what the loaded part imports from here would be in every program, with
   * scopes or without.
   */
  readonly refusals: { readonly ServeError: typeof ServeError; readonly isFinal: typeof isFinal; readonly refusalOf: typeof refusalOf; };
  /** The cache that followed last; null before. */
  cache: NormalizedCache | null;
}

/** The part of a scope that is loaded when the first cache follows one. */
export interface ScopeCode {
  /** Follows the scope with a cache. */
  follow: (scope: ScopeSettings, cache: NormalizedCache) => ScopeFollowing;
  /** Returns events that the cache misses. */
  eventsSince: (scope: ScopeSettings, sequence: Sequence) => Promise<EventsAnswer>;
  /** Hands the mutation of a pending edit over. */
  send: (scope: ScopeSettings, mutation: SentMutation) => Promise<unknown>;
}
