// Refreshes observers whose data becomes too old, and expires lists. Protocol/sessions.md, refreshing.

import { Raw } from "../out/raw.js";
import type { KeyNode, Query } from "../queries/query.js";
import type { Ages } from "../state/ages.js";
import { entityExpiry, listExpiry } from "../state/expiry.js";
import { expire } from "../state/invalidation.js";
import { knownPart } from "../state/reads.js";
import { completeness } from "../state/units.js";
import type { EngineContext, RefreshSchedule } from "./context.js";
import type { AgeChecks, Observer } from "./observers.js";

const PAUSE_MIN = 1_000;
const PAUSE_MAX = 300_000;

interface Refresh {
  ages: Ages;
  /** When to check next, in milliseconds since 1970; null if nothing can become too old, or while fetching. */
  moment: number | null;
  lookedAt: number | null;
  pause: number;
  isTooOld: boolean;
  isFetching: boolean;
}

/** Checks observers when their data becomes too old, and expires observed lists, with one timer for all. */
export class Refreshes implements RefreshSchedule, AgeChecks {
  private readonly refreshes = new Map<Observer, Refresh>();
  private cancelTimer: (() => void) | null = null;
  private timerMoment = Infinity;

  /** Creates a scheduler without observers. */
  constructor(private readonly engine: EngineContext) { }

  /** True if the observer's data was too old at the last check. */
  isTooOld(observer: Observer): boolean { return observer.isRefreshed && this.refreshes.get(observer)?.isTooOld === true; }

  /** Starts checking an observer. `isTooOld`: the answer that it got was too old already. */
  begin(observer: Observer, ages: Ages, isTooOld: boolean): void {
    observer.isRefreshed = true;
    const refresh: Refresh = { ages, moment: null, lookedAt: null, pause: 0, isTooOld, isFetching: false };
    this.refreshes.set(observer, refresh);
    const expiry = this.expiry(observer, ages);
    if (expiry !== null) this.setMoment(refresh, Math.max(expiry, this.engine.now()));
  }

  /** Stops checking an observer. */
  end(observer: Observer): void { this.refreshes.delete(observer); }

  /** Schedules an earlier check if changed data becomes too old sooner than the data before. */
  follow(observer: Observer, nodes: readonly KeyNode[]): void {
    const refresh = this.refreshes.get(observer);
    if (refresh === undefined) return;
    const now = this.engine.now();
    if (refresh.isTooOld || refresh.pause > 0) {
      const expiry = this.expiry(observer, refresh.ages);
      if (expiry !== null && expiry <= now) return;
      // The old data was renewed: the notification of this change reports it.
      refresh.isTooOld = false;
      refresh.pause = 0;
      if (expiry !== null && !refresh.isFetching) this.setMoment(refresh, lookFor(refresh, expiry));
      return;
    }
    if (refresh.isFetching) return;
    let first: number | null = null;
    for (const node of nodes) {
      const own = entityExpiry(node.slot, observer.fields, refresh.ages);
      if (own !== null) first = Math.min(first ?? Infinity, own);
    }
    if (first === null) return;
    const moment = lookFor(refresh, Math.max(first, now));
    if (refresh.moment === null || moment < refresh.moment) this.setMoment(refresh, moment);
  }

  /** Checks the observers of a query again after its response was stored. */
  answered(query: Query): void {
    for (const [observer, refresh] of this.refreshes) {
      if (observer.of !== "query" || observer.query !== query || refresh.isFetching) continue;
      const expiry = this.expiry(observer, refresh.ages);
      if (expiry === null || expiry > this.engine.now()) this.settle(observer, refresh, expiry);
    }
    this.schedule();
  }

  /** Sets the timer for the earliest check or expiry. */
  schedule(): void {
    let next = Infinity;
    for (const { moment } of this.refreshes.values()) if (moment !== null) next = Math.min(next, moment);
    for (const query of this.engine.observers.queries) next = Math.min(next, query.expiry ?? Infinity);
    if (next === this.timerMoment) return;
    this.cancelTimer?.();
    this.timerMoment = next;
    this.cancelTimer = next === Infinity ? null : this.engine.clock.schedule(
      Math.max(0, next - this.engine.now()), () => this.engine.whenRoom(0, () => {
        this.fired();
        return null;
      }));
  }

  /** Stops the timer and forgets all observers. */
  close(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    this.refreshes.clear();
  }

  private fired(): void {
    this.timerMoment = Infinity;
    const now = this.engine.now();
    const lists = [...this.engine.observers.queries].filter((query) => query.expiry !== null && query.expiry <= now);
    if (lists.length > 0) {
      expire(this.engine.state, lists, now);
      this.engine.distribute();
    }
    for (const [observer, refresh] of [...this.refreshes]) {
      if (refresh.moment !== null && refresh.moment <= now) this.look(observer, refresh, now);
    }
    this.schedule();
  }

  private setMoment(refresh: Refresh, moment: number): void {
    refresh.moment = moment;
    this.schedule();
  }

  private expiry(observer: Observer, ages: Ages): number | null {
    return observer.of === "query"
      ? listExpiry(observer.query, observer.fields, ages) : entityExpiry(observer.node.slot, observer.fields, ages);
  }

  private look(observer: Observer, refresh: Refresh, now: number): void {
    if (refresh.isFetching) return;
    refresh.moment = null;
    refresh.lookedAt = now;
    const expiry = this.expiry(observer, refresh.ages);
    if (expiry === null || expiry > now) return this.settle(observer, refresh, expiry);
    if (observer.of === "query" && this.engine.canFetch && !observer.query.isLocal) {
      refresh.isFetching = true;
      this.engine.refetch(observer.query.key, (error) => this.fetched(observer, refresh, error));
      return;
    }
    this.fail(observer, refresh, true, now);
  }

  private fetched(observer: Observer, refresh: Refresh, error: Error | null): void {
    if (this.refreshes.get(observer) !== refresh) return;
    refresh.isFetching = false;
    const now = this.engine.now();
    refresh.lookedAt = now;
    const expiry = this.expiry(observer, refresh.ages);
    if (error !== null) return this.fail(observer, refresh, expiry !== null && expiry <= now, now);
    if (expiry === null || expiry > now) return this.settle(observer, refresh, expiry);
    // Data that was just fetched is never too old for its reader, whatever its limit.
    refresh.isTooOld = false;
    const next = now + backOff(refresh);
    this.tellAge(observer);
    this.setMoment(refresh, next);
  }

  private fail(observer: Observer, refresh: Refresh, isTooOld: boolean, now: number): void {
    refresh.isTooOld = isTooOld;
    const next = now + backOff(refresh);
    this.tellAge(observer);
    this.setMoment(refresh, next);
  }

  private settle(observer: Observer, refresh: Refresh, expiry: number | null): void {
    refresh.isTooOld = false;
    refresh.pause = 0;
    this.tellAge(observer);
    if (expiry !== null) this.setMoment(refresh, lookFor(refresh, expiry));
  }

  /** Notifies an observer that its data became too old, or is fresh again. */
  private tellAge(observer: Observer): void {
    const isTooOld = this.isTooOld(observer);
    if (observer.of === "query") {
      const { query } = observer;
      const stale = query.isStale(this.engine.now()) || isTooOld;
      if (stale === observer.shownStale) return;
      observer.shownStale = stale;
      this.engine.observers.tell(observer.sink, {
        method: "query.changed",
        params: { subscription: observer.subscription, patch: [], stale, as_of: query.asOf, pending: query.isPending, missed: 0 },
      });
    } else if (isTooOld !== observer.shownStale) {
      observer.shownStale = isTooOld;
      const { node } = observer;
      const text = node.visible === null ? null : knownPart(node.visible, completeness(node) === "whole", observer.fields);
      this.engine.observers.tell(observer.sink, {
        method: "entity.changed",
        params: { subscription: observer.subscription, entity: text === null ? null : new Raw(text), changed_fields: [], stale: isTooOld },
      });
    }
  }
}

function lookFor(refresh: Refresh, expiry: number): number {
  return refresh.lookedAt === null ? expiry : Math.max(expiry, refresh.lookedAt + PAUSE_MIN);
}

function backOff(refresh: Refresh): number {
  refresh.pause = Math.min(Math.max(2 * refresh.pause, PAUSE_MIN), PAUSE_MAX);
  return refresh.pause;
}
