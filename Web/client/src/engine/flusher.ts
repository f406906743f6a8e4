// Stage 7b of 7: changes → the journal, then the callers that wait for it. Laws: L5.

import type { Journal } from "../journal/journal.js";
import { batchOf } from "../journal/records.js";
import { CacheError } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import { Changes } from "../state/changes.js";
import { upkeep } from "../state/parts.js";
import type { EngineContext } from "./context.js";
import type { Notification } from "./notifications.js";
import type { Storage } from "./storage.js";

const DELAY = 4;
const CHANGE_COUNT_MAX = 32_768;
const FAILURE_COUNT_MAX = 5;
const RETRY_DELAY = 250;

interface Waiter {
  /** The number of the flush that must succeed. */
  flush: number;
  done: (error: CacheError | null) => void;
  /** True to give up at the first failure. */
  isImpatient: boolean;
}

/** Writes changes to the journal, one transaction at a time. A failed flush is kept and repeated. */
export class Flusher implements Storage {
  private cancelTimer: (() => void) | null = null;
  private isWriting = false;
  /** The number of flushes begun so far. */
  private begun = 0;
  private committed = 0;
  private failureCount = 0;
  private waiters: Waiter[] = [];
  private readonly durable = new Map<string, string>();
  /** The error of the last flush; null when it succeeded. */
  error: Error | null = null;

  /** Starts collecting changes for a journal. */
  constructor(private readonly engine: EngineContext, private readonly journal: Journal) {
    engine.state.changes ??= new Changes();
    for (const library of engine.state.libraries.values()) this.noteDurable(library.name, library.gate.epoch, library.cursor);
  }

  /** `ok`, or the code of the last flush's error. */
  get storage(): string {
    if (this.error === null) return "ok";
    const { code } = this.error as { code?: unknown; };
    return typeof code === "string" ? code : "input_output";
  }

  /**
   * Schedules a flush: at once when more than 32,768 entities changed, else after 4 ms, or after a backoff if the last
   * flush failed.
   */
  schedule(): void {
    const { state } = this.engine;
    if (state.changes === null || state.changes.isEmpty || this.isWriting) return;
    if (state.changes.slots.size > CHANGE_COUNT_MAX) return this.write();
    if (this.cancelTimer !== null) return;
    const delay = this.failureCount > 0 ? Math.min(RETRY_DELAY * 2 ** this.failureCount, 30_000) : DELAY;
    this.cancelTimer = this.engine.clock.schedule(this.waiters.length > 0 && this.failureCount === 0 ? 0 : delay, () => {
      this.cancelTimer = null;
      this.write();
    });
  }

  /** Calls `done` when every change made so far is durable (null), or when writing it failed. */
  wait(isImpatient: boolean, done: (error: CacheError | null) => void): void {
    const changes = this.engine.state.changes;
    if (changes === null) return done(null);
    const isClean = changes.isEmpty;
    if (isClean && !this.isWriting) return done(null);
    this.waiters.push({ flush: isClean ? this.begun : this.begun + 1, done, isImpatient });
    if (!isClean && !this.isWriting && this.failureCount === 0) {
      this.cancelTimer?.();
      this.cancelTimer = null;
      this.write();
    }
  }

  /** Writes all changes. Rejects with `storage_failed` if writing fails. */
  async flush(): Promise<void> {
    const error = await new Promise<CacheError | null>((resolve) => this.wait(true, resolve));
    if (error !== null) throw error;
  }

  /** Stops the timer. */
  close(): void { this.cancelTimer?.(); }

  private write(): void {
    const { state } = this.engine;
    const changes = state.changes;
    if (changes === null || changes.isEmpty || this.isWriting) return;
    this.isWriting = true;
    this.begun += 1;
    const batch = batchOf(state, changes);
    const places = [...changes.libraries].map(({ name, gate, cursor }) => ({ name, epoch: gate.epoch, cursor }));
    state.changes = new Changes();
    this.journal.commit(batch).then(
      () => this.succeeded(places),
      (error: unknown) => this.failed(changes, error instanceof Error ? error : new Error(String(error))));
  }

  private succeeded(places: readonly { name: string; epoch: string | null; cursor: Sequence | null; }[]): void {
    this.isWriting = false;
    this.failureCount = 0;
    this.error = null;
    this.committed = this.begun;
    for (const { name, epoch, cursor } of places) this.noteDurable(name, epoch, cursor);
    this.settle((waiter) => waiter.flush <= this.committed, null);
    if (this.engine.state.recency !== null) upkeep.code.evict(this.engine.state, this.engine.now());
    this.engine.distribute();
    this.schedule();
  }

  private failed(changes: Changes, error: Error): void {
    const { state } = this.engine;
    this.isWriting = false;
    this.failureCount += 1;
    this.error = error;
    state.changes = merged(changes, state.changes ?? new Changes());
    const message = `nothing is written: ${error.message}`;
    this.settle((waiter) => waiter.flush <= this.begun && (waiter.isImpatient || this.failureCount >= FAILURE_COUNT_MAX),
      new CacheError("storage_failed", `${message}; it is tried again, so ask again later`));
    for (const waiter of this.waiters) if (waiter.flush <= this.begun) waiter.flush = this.begun + 1;
    if (!this.engine.isClosed) this.schedule();
  }

  private settle(isDone: (waiter: Waiter) => boolean, error: CacheError | null): void {
    const done = this.waiters.filter(isDone);
    this.waiters = this.waiters.filter((waiter) => !done.includes(waiter));
    for (const waiter of done) waiter.done(error);
  }

  private noteDurable(name: string, epoch: string | null, cursor: Sequence | null): void {
    if (cursor === null) return;
    const place = `${epoch ?? ""}\n${cursor}`;
    if (this.durable.get(name) === place) return;
    const isFirst = !this.engine.isOpen;
    this.durable.set(name, place);
    if (isFirst) return;
    for (const sink of this.engine.sinks) this.engine.observers.tell(sink, durableNotification(name, epoch ?? "", cursor));
  }
}

/** Merges the changes of a failed flush with later ones. */
function merged(before: Changes, since: Changes): Changes {
  const all = new Changes();
  for (const changes of [before, since]) {
    for (const slot of changes.slots) all.slots.add(slot);
    for (const library of changes.libraries) all.libraries.add(library);
    for (const library of changes.cleared) all.cleared.add(library);
    for (const query of changes.queries) all.queries.add(query);
    for (const layer of changes.layers) all.layers.add(layer);
    for (const number of changes.removedQueries) all.removedQueries.add(number);
    for (const number of changes.removedLayers) all.removedLayers.add(number);
    for (const [name, view] of changes.views) all.views.set(name, view);
    for (const [name, entry] of changes.evicted) all.evicted.set(name, entry);
  }
  // A query or layer that was removed later is not written.
  for (const query of all.queries) if (all.removedQueries.has(query.number)) all.queries.delete(query);
  for (const layer of all.layers) if (all.removedLayers.has(layer.number)) all.layers.delete(layer);
  return all;
}

/** Returns the notification of a commit that moved a library's durable cursor. */
function durableNotification(library: string, epoch: string, sequence: Sequence): Notification {
  return { method: "durable", params: { library_id: library, epoch, sequence } };
}
