import type { Limits } from "../model/limits.js";
import type { Raw } from "../out/raw.js";
import type { Sequence } from "../model/sequence.js";
import type { DoubtCause } from "../store/doubts.js";
import type { Library, TypeTable } from "../store/library.js";
import type { ListStep } from "./difference.js";
import { LAYERED } from "./list.js";
import { ElementList } from "./list.js";
import type { Element } from "./list.js";
import type { KeyNode } from "./node.js";
import type { Rule, SortKey } from "./view.js";

/** The elements that are kept behind a limit at least: lists with a small one change often. */
const SLACK_COUNT_MIN = 32;

/** A list as a reader got it last. */
export interface KeptList {
  keys: readonly string[];
  resources: readonly Raw[];
  isPending: boolean;
}

/** What a query's identity is: its library, its method, and its canonical input. */
export interface QueryKey {
  library: string;
  method: string;
  input: string;
}

/** Why a list is known to be older than the server's. */
export type ListStaleCause = DoubtCause | "list" | "answer";

/** One query: its key, its list, and how fresh it is. */
export class Query {
  /** Whether an answer is stored; false for a query that is only observed. */
  isStored = false;
  table: TypeTable | null = null;
  /** The tags as compact JSON; empty when there are none. */
  tags = "";
  /** The rule as canonical JSON; empty when there is none. */
  ruleText = "";
  rule: Rule | null = null;
  isLocal = false;
  /** Milliseconds until the answer expires; null for never. */
  timeToLive: number | null = null;
  asOf: Sequence | null = null;
  /** The number of the question that the list answers, or the next number when nobody asked; 0: asked in an earlier session. */
  asked = 0;
  /** The position up to which the answer is known to hold everything; null when it is not known. */
  listedThrough: Sequence | null = null;
  storedAt = 0;
  /** When the query was invalidated; null while it is not. */
  invalidSince: number | null = null;
  /** Why the list became stale; null while it is fresh, or where an earlier session did not say. */
  staleCause: ListStaleCause | null = null;
  /** The reads that it answered since the cache was opened. */
  hitCount = 0;
  /** The sort key up to which the list is complete; null: all of it is. */
  horizon: SortKey | null = null;
  readonly list = new ElementList();
  /** The elements that some layer has a change for. */
  readonly layered = new Set<Element>();
  kept: KeptList | null = null;

  observerCount = 0;
  /** The staleness that observers were told last. */
  shownStale = false;

  isTouched = false;
  /** The elements that observers saw before the unit, where it may change several. */
  before: KeyNode[] = [];
  steps: ListStep<KeyNode>[] = [];
  /** The number of the unit in which the list was last visited as a holder of the written entity. */
  visit = 0;

  constructor(readonly key: QueryKey, readonly library: Library, readonly number: number) { }

  /** The number of first elements that readers see. */
  get shownCountMax(): number { return this.rule === null ? Infinity : this.rule.limit; }

  /** The number of elements that are kept: with a limit as many again, so that one that leaves can be replaced. */
  elementCountMax(limits: Limits): number {
    const countMax = Math.max(1, limits.queryElementCountMax);
    if (this.isLocal || this.rule === null || !this.rule.hasLimit) return countMax;
    return Math.min(this.rule.limit + Math.max(this.rule.limit, SLACK_COUNT_MIN), countMax);
  }

  /** The number of first elements that are never evicted while the list is observed. */
  get pinnedCountMax(): number {
    if (!this.isLocal || this.rule === null || !this.rule.hasLimit) return Infinity;
    return this.rule.limit + Math.max(this.rule.limit, SLACK_COUNT_MIN);
  }

  /** Returns since when the list is too old or known to be wrong; null while it is fresh. */
  staleSince(now: number): number | null {
    if (!this.isStored) return 0;
    if (this.timeToLive === null || now - this.storedAt < this.timeToLive) return this.invalidSince;
    return Math.min(this.invalidSince ?? Infinity, this.storedAt + this.timeToLive);
  }

  /** Whether readers see the list as stale. */
  isStale(now: number): boolean {
    return this.staleSince(now) !== null || this.list.missingCount > 0
      || this.horizon !== null && !this.isLocal && this.list.shownCount < this.shownCountMax;
  }

  /** Whether a layer changes an element that is shown, or hides one that would be. */
  get isPending(): boolean {
    for (const element of this.layered) {
      if ((element.marks & LAYERED) !== 0 && this.list.index(element, "shown") < this.shownCountMax) return true;
    }
    return false;
  }

  /** When an observed list's time is over and its observers were not told; null when it never is. */
  get expiry(): number | null {
    return this.isStored && !this.shownStale && this.timeToLive !== null ? this.storedAt + this.timeToLive : null;
  }
}
