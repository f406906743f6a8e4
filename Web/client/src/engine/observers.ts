// Stage 7a of 7: the change log → notifications. Before: units. After: sinks. Law: L6.

import { CacheError } from "../model/errors.js";
import type { KeyNode } from "../queries/node.js";
import type { Query } from "../queries/query.js";
import { Raw } from "../out/raw.js";
import { lists } from "../parts/index.js";
import type { ChangeRecord } from "../state/records.js";
import { knownPart } from "../state/reads.js";
import type { State } from "../state/state.js";
import { changedFields, stateNotification } from "./notifications.js";
import type { Sink } from "./notifications.js";
import type { Refreshes } from "./refreshes.js";

/** One observer of a query. */
export interface QueryObserver {
  of: "query";
  readonly subscription: number;
  readonly query: Query;
  readonly fields: ReadonlySet<string> | null;
  readonly sink: Sink;
  /** The staleness that it was told last. */
  shownStale: boolean;
  isRefreshed: boolean;
}

/** One observer of an entity. */
export interface EntityObserver {
  of: "entity";
  readonly subscription: number;
  node: KeyNode;
  readonly fields: ReadonlySet<string> | null;
  readonly sink: Sink;
  shownStale: boolean;
  isRefreshed: boolean;
}

/** Who observes what, and how each is told. */
export class Observers {
  private readonly bySubscription = new Map<number, QueryObserver | EntityObserver>();
  private readonly byQuery = new Map<Query, Set<QueryObserver>>();
  private readonly byNode = new Map<KeyNode, Set<EntityObserver>>();
  /** Followers of something else, and what ends them. */
  private readonly others = new Map<number, () => void>();
  private lastSubscription = 0;
  /** The number of notifications so far. */
  notificationCount = 0;

  constructor(private readonly state: State) { }

  get size(): number { return this.bySubscription.size + this.others.size; }

  get(subscription: number): QueryObserver | EntityObserver | null { return this.bySubscription.get(subscription) ?? null; }

  /** The observed queries. */
  get queries(): Iterable<Query> { return this.byQuery.keys(); }

  /** Throws `limit_exceeded` where there is no room for one more. */
  checkRoom(): void {
    if (this.size < this.state.limits.observerCountMax) return;
    throw new CacheError("limit_exceeded", `there are ${this.size} observers: cancel some first`);
  }

  addQuery(query: Query, fields: ReadonlySet<string> | null, sink: Sink, shownStale: boolean, now: number): QueryObserver {
    this.lastSubscription += 1;
    const observer: QueryObserver = {
      of: "query", subscription: this.lastSubscription, query, fields, sink, shownStale, isRefreshed: false,
    };
    if (query.observerCount === 0) query.shownStale = query.isStale(now);
    query.observerCount += 1;
    this.bySubscription.set(observer.subscription, observer);
    take(this.byQuery, query).add(observer);
    return observer;
  }

  /** Takes the next number. */
  takeSubscription(): number { return this.lastSubscription += 1; }

  /** Notes a follower of something else than queries and entities; `end` is called when it is cancelled. */
  addOther(subscription: number, end: () => void): void { this.others.set(subscription, end); }

  addEntity(node: KeyNode, fields: ReadonlySet<string> | null, sink: Sink): EntityObserver {
    this.lastSubscription += 1;
    const observer: EntityObserver = {
      of: "entity", subscription: this.lastSubscription, node, fields, sink, shownStale: false, isRefreshed: false,
    };
    node.observerCount += 1;
    this.bySubscription.set(observer.subscription, observer);
    take(this.byNode, node).add(observer);
    return observer;
  }

  /** Ends an observation. Throws `unknown_subscription` when there is none. */
  cancel(subscription: number, drop: (query: Query) => void): void {
    const observer = this.bySubscription.get(subscription);
    const end = this.others.get(subscription);
    if (end !== undefined) {
      this.others.delete(subscription);
      return end();
    }
    if (observer === undefined) {
      throw new CacheError("unknown_subscription",
        `there is no subscription ${subscription}: it was cancelled, or never made`);
    }
    this.bySubscription.delete(subscription);
    if (observer.of === "query") {
      leave(this.byQuery, observer.query, observer);
      observer.query.observerCount -= 1;
      if (observer.query.observerCount === 0 && !observer.query.isStored) drop(observer.query);
    } else {
      leave(this.byNode, observer.node, observer);
      observer.node.observerCount -= 1;
      this.state.release(observer.node);
    }
    this.state.clearLog();
  }

  /** Tells everything in the log, in order. `sinks` hear of libraries. */
  distribute(refreshes: Refreshes | null, sinks: ReadonlySet<Sink>): void {
    const log = this.state.log;
    for (const record of log) {
      switch (record.of) {
        case "query": this.tellQuery(record, refreshes); break;
        case "entity": this.tellEntity(record, refreshes); break;
        case "renamed": this.rename(record.from, record.to); break;
        case "library": for (const sink of sinks) this.tell(sink, stateNotification(record.status)); break;
      }
    }
    this.state.clearLog();
  }

  tell(sink: Sink, notification: Parameters<Sink>[0]): void {
    this.notificationCount += 1;
    sink(notification);
  }

  private tellQuery(change: Extract<ChangeRecord, { of: "query"; }>, refreshes: Refreshes | null): void {
    for (const observer of [...this.byQuery.get(change.query) ?? []]) {
      if (observer.isRefreshed) {
        const nodes = change.steps.flatMap((step) => step.op === "add" || step.op === "replace" ? [step.node] : []);
        refreshes?.follow(observer, nodes);
      }
      const patch = lists.code.patchOf(change.steps, observer.fields);
      const isStale = change.isStale || refreshes?.isTooOld(observer) === true;
      if (patch.length === 0 && isStale === observer.shownStale) continue;
      observer.shownStale = isStale;
      this.tell(observer.sink, {
        method: "query.changed",
        params: {
          subscription: observer.subscription, patch, stale: isStale, as_of: change.asOf, pending: change.isPending, missed: 0,
        },
      });
    }
  }

  private tellEntity(change: Extract<ChangeRecord, { of: "entity"; }>, refreshes: Refreshes | null): void {
    for (const observer of [...this.byNode.get(change.node) ?? []]) {
      if (observer.isRefreshed) refreshes?.follow(observer, [change.node]);
      const old = change.old === null ? null : knownPart(change.old, change.wasWhole, observer.fields);
      const text = change.text === null ? null : knownPart(change.text, change.isWhole, observer.fields);
      if (old === text) continue;
      const stale = observer.isRefreshed ? refreshes?.isTooOld(observer) : undefined;
      if (stale !== undefined) observer.shownStale = stale;
      this.tell(observer.sink, {
        method: "entity.changed",
        params: {
          subscription: observer.subscription, entity: text === null ? null : new Raw(text),
          changed_fields: changedFields(old, text), stale,
        },
      });
    }
  }

  /** Moves the observers of an entity to the one that it became. */
  private rename(from: KeyNode, to: KeyNode): void {
    const observers = this.byNode.get(from);
    if (observers === undefined) return;
    this.byNode.delete(from);
    for (const observer of observers) {
      observer.node = to;
      take(this.byNode, to).add(observer);
      from.observerCount -= 1;
      to.observerCount += 1;
    }
    this.state.release(from);
  }
}

function take<Key, Value>(sets: Map<Key, Set<Value>>, key: Key): Set<Value> {
  let set = sets.get(key);
  if (set === undefined) sets.set(key, set = new Set());
  return set;
}

function leave<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
