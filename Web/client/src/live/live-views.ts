// The live views of a cache: changed entities → the changes of results → the log from which observers are notified.

import { CacheError } from "../model/errors.js";
import type { State } from "../state/state.js";
import type { ViewWatch } from "../state/view-watch.js";
import type { Slot } from "../store/library.js";
import type { Binding } from "../views/binding.js";
import { bind } from "../views/binding.js";
import { parseView } from "../views/parse.js";
import type { ViewRule } from "../views/rule.js";
import type { ViewUse } from "../views/use.js";
import type { ViewUpdate } from "../views/view-set.js";
import type { ViewWindow } from "../views/window.js";
import type { Definition, DefinitionRecord } from "./definition.js";
import { LibraryViews } from "./library-views.js";
import type { ViewObserver } from "./observer.js";
import { keysOf, operationOut, toldOf } from "./results.js";

const known = new WeakMap<State, LiveViews>();

/** Returns the live views of a state, which are created on first use. */
export function viewsOf(state: State): LiveViews {
  let views = known.get(state);
  if (views === undefined) known.set(state, views = new LiveViews(state));
  return views;
}

/** A use that a caller reads, and what says whether its result is in doubt. */
export interface Reading {
  readonly views: LibraryViews;
  readonly use: ViewUse;
  readonly binding: Binding;
  /** The defined view; null for a rule. */
  readonly definition: Definition | null;
}

/** The live views of all libraries of one cache. */
export class LiveViews implements ViewWatch {
  private readonly byLibrary = new Map<string, LibraryViews>();
  /** True if entities changed that views have. */
  isDirty = false;
  private windowCount = 0;

  /** Creates the views of a state. */
  constructor(private readonly state: State) { }

  /** All views, by library. */
  get all(): Iterable<LibraryViews> { return this.byLibrary.values(); }

  /** Returns the views over a library; null if there are none. */
  of(library: string): LibraryViews | null { return this.byLibrary.get(library) ?? null; }

  // Changes

  /** Records that an entity, its tombstone or its layers may have changed. */
  note(slot: Slot): void {
    const views = this.byLibrary.get(slot.table.library.name);
    if (views === undefined || !views.set.has(slot.table.name)) return;
    views.dirty.set(slot.key, slot);
    this.isDirty = true;
  }

  /** True if views have entities of a slot's type. */
  keeps(slot: Slot): boolean { return this.byLibrary.get(slot.table.library.name)?.set.has(slot.table.name) === true; }

  /** Brings the views up to date with the last unit, and logs what changed. */
  settle(): void {
    this.isDirty = false;
    for (const views of this.byLibrary.values()) this.settleOne(views);
  }

  private settleOne(views: LibraryViews): void {
    const { version } = this.state.layers;
    const isStale = views.isStale;
    const isEveryone = version !== views.shownLayers || isStale !== views.shownStale;
    if (views.dirty.size === 0 && !isEveryone) return;
    views.shownLayers = version;
    views.shownStale = isStale;
    const updates = new Map(views.set.apply(views.takeChanges()).map((update) => [update.window, update]));
    if (isEveryone) {
      for (const observer of [...views.observers.values()]) this.tell(views, observer, updates.get(observer.window) ?? null);
      return;
    }
    const told: { observer: ViewObserver; update: ViewUpdate; }[] = [];
    for (const [window, update] of updates) {
      const observer = views.byWindow.get(window);
      if (observer !== undefined) told.push({ observer, update });
    }
    told.sort((left, right) => left.observer.subscription - right.observer.subscription);
    for (const { observer, update } of told) this.tell(views, observer, update);
  }

  /** Logs the change of an observer's result, if something shows. */
  private tell(views: LibraryViews, observer: ViewObserver, update: ViewUpdate | null): void {
    const { window, subscription, sink } = observer;
    if (window.isTooLarge) return this.end(views, observer, tooLarge(this.state));
    const told = toldOf(views, window, views.evictions(window.use.plan) > observer.evictions);
    const { hasTotal } = window.use.plan.rule;
    const patch = update?.patch ?? [];
    const former = observer.told;
    observer.told = told;
    const isTold = patch.length > 0 || told.stale !== former.stale || told.pending !== former.pending || told.missing !== former.missing
      || hasTotal && told.total !== former.total;
    if (!isTold) return;
    const params = {
      subscription, patch: patch.map(operationOut), keys: observer.hasKeys ? keysOf(window, update?.added ?? []) : undefined, ...told,
      total: hasTotal ? told.total : undefined, as_of: views.library?.cursor ?? null, missed: 0,
    };
    this.state.log.push({ of: "view", send: () => sink({ method: "view.changed", params }) });
  }

  // Readers

  /** Returns the use of a rule, or of a defined view, and holds it. `view` and `params` are JSON. */
  hold(library: string, view: { rule: ViewRule; } | { name: string; }, params: string | null): Reading {
    const views = this.byLibrary.get(library) ?? this.open(library);
    try {
      const definition = "name" in view ? this.defined(views, view.name) : null;
      const rule = "rule" in view ? view.rule : this.defined(views, view.name).rule;
      const binding = bind(rule, params);
      this.settle();
      const use = views.set.hold(rule, binding);
      if (use === null) throw new CacheError("limit_exceeded", `there are ${views.set.useCount} uses of views: cancel some first`);
      return { views, use, binding, definition };
    } catch (error) {
      this.closeIdle(views);
      throw error;
    }
  }

  /** Releases a use. */
  release({ views, use }: Pick<Reading, "views" | "use">): void {
    views.set.release(use);
    this.closeIdle(views);
  }

  /** Adds an observer of a window. */
  observe(views: LibraryViews, observer: ViewObserver): void {
    this.windowCount += 1;
    views.observers.set(observer.subscription, observer);
    views.byWindow.set(observer.window, observer);
  }

  /** Throws `limit_exceeded` if as many views are observed as are allowed. */
  checkRoom(): void {
    if (this.windowCount < this.state.limits.viewCountMax) return;
    throw new CacheError("limit_exceeded", `${this.windowCount} views are observed: cancel some first`);
  }

  /** The message for a result that has more rows than are allowed. */
  get tooLarge(): string { return tooLarge(this.state); }

  /** Returns an observer with its views; null if there is none. */
  find(subscription: number): { views: LibraryViews; observer: ViewObserver; } | null {
    for (const views of this.byLibrary.values()) {
      const observer = views.observers.get(subscription);
      if (observer !== undefined) return { views, observer };
    }
    return null;
  }

  /** Ends an observation without a word. */
  cancel(views: LibraryViews, { subscription, window }: ViewObserver): void {
    this.windowCount -= 1;
    views.observers.delete(subscription);
    views.byWindow.delete(window);
    views.set.close(window);
    this.closeIdle(views);
  }

  /** Moves the window of an observer; null stays. */
  move(views: LibraryViews, observer: ViewObserver, offset: number | null, limit: number | null): void {
    this.settle();
    observer.offset = offset ?? observer.offset;
    observer.limit = limit ?? observer.limit;
    this.tell(views, observer, views.set.move(observer.window, offset, limit));
  }

  private end(views: LibraryViews, observer: ViewObserver, reason: string): void {
    const { subscription, sink } = observer;
    this.onEnd(subscription, () => this.cancel(views, observer));
    this.state.log.push({ of: "view", send: () => sink({ method: "view.ended", params: { subscription, reason } }) });
  }

  /** Called to end an observation, with its subscription; `end` ends it here. */
  onEnd: (subscription: number, end: () => void) => void = (_subscription, end) => end();

  // Definitions

  /** Returns a definition. Throws `not_found` if there is none with the name. */
  private defined(views: LibraryViews, name: string): Definition {
    const definition = views.definitions.get(name);
    if (definition !== undefined) return definition;
    throw new CacheError("not_found", `there is no view ${name.slice(0, 128)}: define it, or pass a rule`);
  }

  /** Defines a view. Its observers follow the new rule, or end if its parameters are others. Returns the former definition. */
  define(library: string, name: string, rule: ViewRule): Definition | null {
    const views = this.byLibrary.get(library) ?? this.open(library);
    this.settle();
    const former = views.definitions.get(name) ?? null;
    if (former?.rule.canonical === rule.canonical) {
      // What was evicted before counts no more.
      const evictions = former.use === null ? 0 : views.evictions(former.use.plan);
      views.definitions.set(name, { ...former, evictions });
      return former;
    }
    const use = rule.parameters.length > 0 ? null : views.set.hold(rule, bind(rule, null));
    const evictions = use === null ? 0 : views.evictions(use.plan);
    views.definitions.set(name, { name, rule, use, evictions });
    this.noteDefinition(views, name, rule);
    for (const observer of [...views.observers.values()]) if (observer.name === name) this.follow(views, observer, rule);
    if (former !== null && former.use !== null) views.set.release(former.use);
    return former;
  }

  /** Undoes a definition anew. */
  undefine(library: string, former: Definition): void {
    const definitions = this.byLibrary.get(library)?.definitions;
    if (definitions?.get(former.name)?.rule.canonical !== former.rule.canonical) this.define(library, former.name, former.rule);
    else definitions.set(former.name, former);
  }

  /** Drops a defined view, and ends its observers. */
  drop(library: string, name: string): Definition {
    const views = this.byLibrary.get(library) ?? this.open(library);
    try {
      const definition = this.defined(views, name);
      for (const observer of [...views.observers.values()]) if (observer.name === name) this.end(views, observer, "the view was dropped");
      views.definitions.delete(name);
      if (definition.use !== null) views.set.release(definition.use);
      this.noteDefinition(views, name, null);
      return definition;
    } finally {
      this.closeIdle(views);
    }
  }

  /** Defines the views of a journal, whose entities were loaded before. */
  restore({ library, name, rule }: DefinitionRecord): void { this.define(library, name, parseView(rule, this.state.limits)); }

  private noteDefinition(views: LibraryViews, name: string, rule: ViewRule | null): void {
    this.state.changes?.views.set(views.keyOf(name), rule === null ? null : { library: views.name, name, rule: rule.canonical });
  }

  /** Shows an observer of a defined view the new rule under its name. */
  private follow(views: LibraryViews, observer: ViewObserver, rule: ViewRule): void {
    const former = observer.window.use.plan.rule.parameters;
    const isAlike = former.length === rule.parameters.length && former.every((name) => rule.parameters.includes(name));
    let use: ViewUse | null = null;
    try {
      if (isAlike) use = views.set.hold(rule, observer.binding = bind(rule, observer.params));
    } catch (error) {
      if (!(error instanceof CacheError)) throw error;
    }
    if (use === null) {
      const reason = isAlike ? "the view was defined anew, and refuses the params" : "the view was defined anew with other parameters";
      return this.end(views, observer, reason);
    }
    const { offset, limit } = rule.body;
    // An observer that was not told the total yet does not know it.
    if (!observer.window.use.plan.rule.hasTotal) observer.told.total = -1;
    const update = views.set.replace(observer.window, use, observer.offset ?? offset, observer.limit ?? limit);
    views.set.release(use);
    this.tell(views, observer, update);
  }

  // Libraries

  private open(library: string): LibraryViews {
    const views = new LibraryViews(this.state, library);
    this.byLibrary.set(library, views);
    this.state.views = this;
    return views;
  }

  private closeIdle(views: LibraryViews): void {
    if (!views.isIdle) return;
    this.byLibrary.delete(views.name);
    if (this.byLibrary.size === 0) this.state.views = null;
  }
}

/** Returns the message for a result that has more rows than are allowed. */
function tooLarge({ limits }: State): string { return `the result has more than ${limits.rowCountMax} rows: pass a limit, or ask for less`; }

/** The window of a reader that reads once; it is closed afterwards. */
export function windowOnce<Result>(
  views: LiveViews, reading: Reading, offset: number | null, limit: number | null, body: (window: ViewWindow) => Result,
): Result {
  const window = reading.views.set.open(reading.use, offset, limit);
  try {
    if (window.isTooLarge) throw new CacheError("limit_exceeded", views.tooLarge);
    return body(window);
  } finally {
    reading.views.set.close(window);
    views.release(reading);
  }
}

