import type { Limits } from "../model/limits.js";
import type { Sequence } from "../model/sequence.js";
import type { Raw } from "../out/raw.js";
import type { DoubtCause } from "../store/doubts.js";
import type { Library, TypeTable } from "../store/library.js";
import type { ListStep } from "./difference.js";
import { ElementList, LAYERED } from "./list.js";
import type { NodeOf } from "./node.js";
import type { Rule, SortKey } from "./view.js";

/** Minimum number of elements kept beyond a limit: lists with a small limit change often. */
const SLACK_COUNT_MIN = 32;

/** A list as a reader received it last. */
export interface KeptList {
  /** The keys (`type:id`) of the elements. */
  keys: readonly string[];
  /** The visible resources. */
  resources: readonly Raw[];
  /** True if a layer changes the list. */
  isPending: boolean;
}

/** The identity of a query: its library, its method and its canonical input. */
export interface QueryKey {
  /** The name of the library. */
  library: string;
  /** The method of the query. */
  method: string;
  /** The canonical input. */
  input: string;
}

/** Why a list is known to be older than the server's. Protocol/queries.md, staleness. */
export type ListStaleCause = DoubtCause | "list" | "answer";

/** A query: its key, its list, and its freshness. */
export class Query {
  /** True if a response is stored; false for a query that is only observed. */
  isStored = false;
  /** The entities of the list's type; null before the first response. */
  table: TypeTable | null = null;
  /** The tags as compact JSON; empty when there are none. */
  tags = "";
  /** The rule as canonical JSON; empty when there is none. */
  ruleText = "";
  /** The rule; null when there is none. */
  rule: Rule | null = null;
  /** True if the list is evaluated over the store. */
  isLocal = false;
  /** Milliseconds until the response expires; null for never. */
  timeToLive: number | null = null;
  /** The sequence that the response stands for; null when it named none. */
  asOf: Sequence | null = null;
  /**
   * The number of the request that the list answers, or the next number for an unrequested one; 0 for an earlier
   * session.
   */
  asked = 0;
  /** The sequence up to which the response is known to be complete; null if unknown. */
  listedThrough: Sequence | null = null;
  /** When the response was stored, in milliseconds since 1970. */
  storedAt = 0;
  /** When the list became stale, in milliseconds since 1970; null while it is fresh. */
  invalidSince: number | null = null;
  /** Why the list became stale; null while it is fresh, or if an earlier session did not record it. */
  staleCause: ListStaleCause | null = null;
  /** The reads answered from the list since the cache was opened. */
  hitCount = 0;
  /** The sort key up to which the list is complete; null if it is complete. */
  horizon: SortKey | null = null;
  /** The elements of the list. */
  readonly list = new ElementList<Element>();
  /** The elements for which a layer has a change. */
  readonly layered = new Set<Element>();
  /** The list as read last; null if it has changed since. */
  kept: KeptList | null = null;

  /** The number of observers. */
  observerCount = 0;
  /** The staleness that was last reported to observers. */
  shownStale = false;

  /** True if the current unit changed the query. */
  isTouched = false;
  /** The elements that observers saw before the current unit, if it may change several. */
  before: KeyNode[] = [];
  /** The steps of the current unit. */
  steps: ListStep<KeyNode>[] = [];
  /** The number of the write that last updated the list as one that holds the written entity. */
  visit = 0;

  /** Creates a query without a response. */
  constructor(readonly key: QueryKey, readonly library: Library, readonly number: number) { }

  /** The number of elements that readers see, from the first on. */
  get shownCountMax(): number { return this.rule === null ? Infinity : this.rule.limit; }

  /**
   * Returns the maximum number of elements: with a limit as many again, so that an element that leaves can be replaced.
   */
  elementCountMax(limits: Limits): number {
    const countMax = Math.max(1, limits.queryElementCountMax);
    if (this.isLocal || this.rule === null || !this.rule.hasLimit) return countMax;
    return Math.min(this.rule.limit + Math.max(this.rule.limit, SLACK_COUNT_MIN), countMax);
  }

  /** The number of elements, from the first on, that are never evicted while the list is observed. */
  get pinnedCountMax(): number {
    if (!this.isLocal || this.rule === null || !this.rule.hasLimit) return Infinity;
    return this.rule.limit + Math.max(this.rule.limit, SLACK_COUNT_MIN);
  }

  /** Returns since when the list has been expired or stale; null while it is fresh. */
  staleSince(now: number): number | null {
    if (!this.isStored) return 0;
    if (this.timeToLive === null || now - this.storedAt < this.timeToLive) return this.invalidSince;
    return Math.min(this.invalidSince ?? Infinity, this.storedAt + this.timeToLive);
  }

  /** True if readers see the list as stale. */
  isStale(now: number): boolean {
    return this.staleSince(now) !== null || this.list.missingCount > 0
      || this.horizon !== null && !this.isLocal && this.list.shownCount < this.shownCountMax;
  }

  /** True if a layer changes an element that is shown, or hides one that otherwise would be. */
  get isPending(): boolean {
    for (const element of this.layered) {
      if ((element.marks & LAYERED) !== 0 && this.list.index(element, "shown") < this.shownCountMax) return true;
    }
    return false;
  }

  /** When the list expires, if observers do not know it as stale yet; null if it never does. */
  get expiry(): number | null {
    return this.isStored && !this.shownStale && this.timeToLive !== null ? this.storedAt + this.timeToLive : null;
  }
}

/** One element of a query's list. */
export class Element {
  /** The element's index among the holders of its key. */
  place = 0;
  /** The element's index in the list, or one near it. */
  hint = 0;

  /** Creates an element of a query's list. */
  constructor(public node: KeyNode, readonly query: Query, public sortKey: SortKey | null, public marks: number) { }
}

/** The lists, observers and layers that name a key. */
export type KeyNode = NodeOf<Element>;
