// Stage 7a of 7: the change log → notifications. Before: units. After: sinks. Law: L6.

import { CacheError } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import type { KeyNode, Query } from "../queries/query.js";
import { lists } from "../state/parts.js";
import { knownPart } from "../state/reads.js";
import type { ChangeRecord } from "../state/records.js";
import type { State } from "../state/state.js";
import { changedFields, stateNotification } from "./notifications.js";
import type { Sink } from "./notifications.js";

/** An observer of a query. */
export interface QueryObserver {
  /** Distinguishes it from an `EntityObserver`. */
  of: "query";
  /** The number that the observer's notifications carry. */
  readonly subscription: number;
  /** The observed query. */
  readonly query: Query;
  /** The fields to report; null for all. */
  readonly fields: ReadonlySet<string> | null;
  /** Receives the notifications. */
  readonly sink: Sink;
  /** The staleness that was reported last. */
  shownStale: boolean;
  /** True if the list is fetched again when something in it becomes too old. */
  isRefreshed: boolean;
}

/** An observer of an entity. */
export interface EntityObserver {
  /** Distinguishes it from a `QueryObserver`. */
  of: "entity";
  /** The number that the observer's notifications carry. */
  readonly subscription: number;
  /** The observed key; another one after a rename. */
  node: KeyNode;
  /** The fields to report; null for all. */
  readonly fields: ReadonlySet<string> | null;
  /** Receives the notifications. */
  readonly sink: Sink;
  /** The staleness that was reported last. */
  shownStale: boolean;
  /** True if the observer is notified when the entity becomes too old. */
  isRefreshed: boolean;
}

/** An observer of a query or an entity. */
export type Observer = QueryObserver | EntityObserver;

/** What observers need to know about data that becomes too old. */
export interface AgeChecks {
  /** True if the observer's data was too old at the last check. */
  isTooOld(observer: Observer): boolean;
  /** Schedules an earlier check if changed data becomes too old sooner than the data before. */
  follow(observer: Observer, nodes: readonly KeyNode[]): void;
}

/** The observers of queries and entities, and their notifications. */
export class Observers {
  private readonly bySubscription = new Map<number, QueryObserver | EntityObserver>();
  private readonly byQuery = new Map<Query, Set<QueryObserver>>();
  private readonly byNode = new Map<KeyNode, Set<EntityObserver>>();
  /** Observers of anything else, such as the log, with the function that ends each. */
  private readonly others = new Map<number, () => void>();
  private lastSubscription = 0;
  /** Notifications sent so far. */
  notificationCount = 0;

  /** Creates a table without observers. */
  constructor(private readonly state: State) { }

  /** The number of observers of all kinds. */
  get size(): number { return this.bySubscription.size + this.others.size; }

  /** Returns the observer with a subscription number; null if there is none of a query or entity. */
  get(subscription: number): QueryObserver | EntityObserver | null { return this.bySubscription.get(subscription) ?? null; }

  /** The observed queries. */
  get queries(): Iterable<Query> { return this.byQuery.keys(); }

  /** Throws `limit_exceeded` if `observerCountMax` observers exist. */
  checkRoom(): void {
    if (this.size < this.state.limits.observerCountMax) return;
    throw new CacheError("limit_exceeded", `there are ${this.size} observers: cancel some first`);
  }

  /** Adds an observer of a query. `shownStale` is the staleness in the answer that it got. */
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

  /** Reserves the next subscription number. */
  takeSubscription(): number { return this.lastSubscription += 1; }

  /** Registers an observer of anything but queries and entities; `end` is called when it is cancelled. */
  addOther(subscription: number, end: () => void): void { this.others.set(subscription, end); }

  /** Adds an observer of an entity. */
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

  /**
   * Ends an observation, and drops an unstored query that loses its last observer. Throws `unknown_subscription` if
   * there is none.
   */
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

  /**
   * Sends the notifications of all logged changes in order, then empties the log. `sinks` receive those about
   * libraries.
   */
  distribute(ages: AgeChecks | null, sinks: ReadonlySet<Sink>): void {
    this.state.views?.settle();
    const log = this.state.log;
    for (const record of log) {
      switch (record.of) {
        case "query": this.tellQuery(record, ages); break;
        case "entity": this.tellEntity(record, ages); break;
        case "renamed": this.rename(record.from, record.to); break;
        case "view": record.send(); break;
        case "library": for (const sink of sinks) this.tell(sink, stateNotification(record.status)); break;
      }
    }
    this.state.clearLog();
  }

  /** Sends one notification and counts it. */
  tell(sink: Sink, notification: Parameters<Sink>[0]): void {
    this.notificationCount += 1;
    sink(notification);
  }

  private tellQuery(change: Extract<ChangeRecord, { of: "query"; }>, ages: AgeChecks | null): void {
    for (const observer of [...this.byQuery.get(change.query) ?? []]) {
      if (observer.isRefreshed) {
        const nodes = change.steps.flatMap((step) => step.op === "add" || step.op === "replace" ? [step.node] : []);
        ages?.follow(observer, nodes);
      }
      const patch = lists.code.patchOf(change.steps, observer.fields);
      const isStale = change.isStale || ages?.isTooOld(observer) === true;
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

  private tellEntity(change: Extract<ChangeRecord, { of: "entity"; }>, ages: AgeChecks | null): void {
    for (const observer of [...this.byNode.get(change.node) ?? []]) {
      if (observer.isRefreshed) ages?.follow(observer, [change.node]);
      const old = change.old === null ? null : knownPart(change.old, change.wasWhole, observer.fields);
      const text = change.text === null ? null : knownPart(change.text, change.isWhole, observer.fields);
      if (old === text) continue;
      const stale = observer.isRefreshed ? ages?.isTooOld(observer) : undefined;
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

  /** Moves the observers of a renamed entity to its new key. */
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
