import type { NormalizedCache } from "../cache/cache.js";
import type { CacheClock } from "../engine/clock.js";
import { systemClock } from "../engine/clock.js";
import type { EventsAnswer, SentMutation, Upstream } from "../engine/ports.js";
import { CacheError, UpstreamError } from "../model/errors.js";
import { refuseUnknown } from "../model/options.js";
import { Part } from "../model/part.js";
import type { Sequence } from "../model/sequence.js";
import { isFinal, refusalOf, ServeError } from "../sources/serve.js";
import { ScopeAddress } from "./address.js";
import type { TokenSource } from "./address.js";
import type { ScopeCode, ScopeFollowing, ScopeSettings } from "./settings.js";

/** The options of a scope. */
export interface ScopeOptions {
  /** The name of the scope in the server's file. */
  name: string;
  /** The scope's parameters that come from the address. */
  params?: Readonly<Record<string, string | number>>;
  /** The library of the cache that holds the scope; by default its name with its parameters. */
  library?: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
  /** Returns a number from 0 to 1, to spread retries in time; `Math.random` by default. */
  random?: () => number;
  /** The timers; the system's by default. */
  clock?: CacheClock;
}

/** A scope of a server: a source of a cache, and the upstream of its library. */
export interface Scope extends Upstream {
  /** The library of the cache that holds the scope. */
  readonly library: string;
  /** Keeps a cache equal to what the scope shows, until it is closed or the server refuses. */
  follow(cache: NormalizedCache): ScopeFollowing;
  /** Returns events that the cache misses. */
  eventsSince(library: string, sequence: Sequence): Promise<EventsAnswer>;
  /** Hands the mutation of a pending edit to the service behind the server. */
  send(mutation: SentMutation): Promise<unknown>;
}

let loaded: Part<ScopeCode> | null = null;
/** Returns the part, created on first use: programs without scopes do not contain it. */
function part(): Part<ScopeCode> { return loaded ??= new Part<ScopeCode>("scopes").from(() => import("./connection.js")); }
/** Pause before the part is loaded again, in milliseconds. */
const LOAD_PAUSE = 2_000;

/**
 * Connects to a scope of a server: the part of a library that this user may see. The result is a source of a cache and
 * its upstream: it follows the scope's log, resumes after a cut, renews the token, and hands pending edits over.
 *
 * ```ts
 * const project = connectScope("https://example.org", () => signIn(), { name: "project", params: { project: "p1" } });
 * const cache = new NormalizedCache({ journal: new IndexedDBJournal(), upstream: project });
 * await project.follow(cache).ready;
 * const { entities } = await cache.calls.entity.list({ library_id: project.library, resource_type: "issue" });
 * ```
 *
 * @throws `CacheError` `invalid_params` when an option has an unknown name, or a parameter a name that is taken.
 */
export function connectScope(url: string, token: TokenSource, options: ScopeOptions): Scope {
  refuseUnknown(options, ["name", "params", "library", "fetch", "random", "clock"]);
  const address = new ScopeAddress(url, token, options.name, options.params ?? {}, options.fetch ?? ((...args) => fetch(...args)));
  const settings: ScopeSettings = {
    address, library: options.library ?? address.label, random: options.random ?? Math.random, clock: options.clock ?? systemClock(), cache: null,
    refusals: { ServeError, isFinal, refusalOf },
  };
  return {
    library: settings.library,
    follow: (cache) => new LoadedFollowing(settings, cache),
    eventsSince: async (library, sequence) => {
      if (library !== settings.library) throw new UpstreamError(`the scope ${settings.library} has no events of the library ${library}`, true);
      return (await part().load()).eventsSince(settings, sequence);
    },
    send: async (mutation) => (await part().load()).send(settings, mutation),
  };
}

/** Follows a scope once the part for it is loaded. */
class LoadedFollowing implements ScopeFollowing {
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  private inner: ScopeFollowing | null = null;
  private isClosed = false;
  private stopWaiting: () => void = () => undefined;

  constructor(private readonly settings: ScopeSettings, cache: NormalizedCache) {
    settings.cache = cache;
    const inner = this.load(cache);
    this.ready = inner.then((following) => {
      if (following === null) throw new CacheError("upstream_failed", "following was ended: follow the scope again");
      return following.ready;
    });
    this.ended = inner.then((following) => following?.ended);
    // Callers may ignore either: a rejection that nobody awaits is not an unhandled one.
    this.ready.catch(() => undefined);
    this.ended.catch(() => undefined);
  }

  close(): void {
    this.isClosed = true;
    this.stopWaiting();
    this.inner?.close();
  }

  private async load(cache: NormalizedCache): Promise<ScopeFollowing | null> {
    while (!this.isClosed) {
      const code = await part().load().catch(() => null);
      if (this.isClosed) return null;
      if (code !== null) return this.inner = code.follow(this.settings, cache);
      await new Promise<void>((resolve) => {
        this.stopWaiting = resolve;
        this.settings.clock.schedule(LOAD_PAUSE, resolve);
      });
    }
    return null;
  }
}
