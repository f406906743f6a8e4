// What the components of an engine, and its methods, use of it. The engine itself is put together above them, in `cache/`.

import type { CacheError } from "../model/errors.js";
import type { Part } from "../model/part.js";
import type { Query, QueryKey } from "../queries/query.js";
import type { Ages } from "../state/ages.js";
import type { Miss } from "../state/reads.js";
import type { LibraryStatus } from "../state/records.js";
import type { State } from "../state/state.js";
import type { DecodedLine, Line } from "../wire/events.js";
import type { CacheClock } from "./clock.js";
import type { Sink } from "./notifications.js";
import type { Observer, Observers } from "./observers.js";
import type { TextUpstream } from "./ports.js";
import type { Storage } from "./storage.js";

/** A step of input. Returns null when done, or the part of the client that it needs; then it has changed nothing. */
export type Step = () => Part<unknown> | null;

/** Receives the error of a step that will not run. */
export type Refuse = (error: CacheError) => void;

/** Checks observers when their data becomes too old. */
export interface RefreshSchedule {
  /** Starts checking an observer. `isTooOld`: the answer that it got was too old already. */
  begin(observer: Observer, ages: Ages, isTooOld: boolean): void;
  /** Checks the observers of a query again after its response was stored. */
  answered(query: Query): void;
  /** Stops checking an observer. */
  end(observer: Observer): void;
}

/** The engine of a cache, as its components and its methods use it. */
export interface EngineContext {
  /** The state of the cache. */
  readonly state: State;
  /** The time source. */
  readonly clock: CacheClock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** The source of missing events and responses, and the destination of mutations; null for none. */
  readonly upstream: TextUpstream | null;
  /** The timeout of a fetch or a mutation, in milliseconds. */
  readonly fetchTimeout: number;
  /** The observers of entities and queries. */
  readonly observers: Observers;
  /** Receivers of notifications about libraries, commits and the outbox. */
  readonly sinks: ReadonlySet<Sink>;
  /** Writes changes to the journal. */
  readonly flusher: Storage;
  /** The requests for missing events; null until something is missing. */
  readonly gaps: { failAll(message: string): void; } | null;
  /** The checks for data that becomes too old; null until something observed can. */
  readonly refreshes: RefreshSchedule | null;
  /** True once the journal, if any, has been read. */
  readonly isOpen: boolean;
  /** True once the input has ended: no event can arrive out of order any more. */
  readonly isAtEnd: boolean;
  /** True once the cache is closed. */
  readonly isClosed: boolean;
  /** The error with which every request is refused because the journal cannot be used; null when it can. */
  readonly failure: CacheError | null;
  /** True if the upstream answers queries. */
  readonly canFetch: boolean;

  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Returns the position, phase and lost ranges of a library. */
  status(library: string): LibraryStatus;
  /** Counts a read as a hit (null) or under the reason of its miss. */
  countRead(miss: Miss | null): void;
  /** Runs a step after all earlier input. */
  whenRoom(byteCount: number, body: Step, refuse?: Refuse | null): void;
  /** Decodes a line without applying it. */
  decode(line: Line): DecodedLine;
  /** Applies the input that was waiting, as far as there is room. */
  drainInput(): void;
  /** Finishes a chunk of input: checks gaps, notifies observers, and schedules a flush. */
  afterInput(): void;
  /** Notifies observers of all logged changes. */
  distribute(): void;
  /** Schedules a flush of what changed, and eviction if a limit is exceeded. */
  noteChanged(): void;
  /** Schedules notifications for observed lists that will expire. */
  followExpiry(): void;
  /** Returns the checks for data that becomes too old, created on first use. */
  takeRefreshes(): RefreshSchedule;
  /** Fetches a query again for an observer whose data became too old; `done` receives null or the error. */
  refetch(key: QueryKey, done: (error: Error | null) => void): void;
}
