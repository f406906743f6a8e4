import type { EngineContext } from "../engine/context.js";
import type { Outbox } from "../engine/outbox.js";
import type { PositionWaiters } from "../engine/positions.js";
import type { Queries } from "../engine/queries.js";
import type { Miss } from "../state/reads.js";

/** The engine of a cache, as its methods use it. */
export interface MethodHost extends EngineContext {
  /** Requests that wait for a library to reach a sequence. */
  readonly positions: PositionWaiters;
  /** The reads that the cache answered. */
  readonly hitCount: number;
  /** Reads that missed, by reason. */
  readonly misses: Readonly<Record<Miss, number>>;
  /** Throws `storage_failed` if the cache is closed. */
  checkOpen(): void;
  /** Returns the query reader, created for the first query. */
  takeQueries(): Queries;
  /** Returns the outbox, created for the first edit. */
  takeOutbox(): Outbox;
}
