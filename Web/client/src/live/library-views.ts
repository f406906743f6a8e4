import { quoted } from "../json/text.js";
import { nodeOf } from "../queries/named.js";
import { evictionCount } from "../state/evictions.js";
import type { State } from "../state/state.js";
import { completeness } from "../state/units.js";
import type { Library, Slot } from "../store/library.js";
import { isEvaluable } from "../store/stamp.js";
import { Entity } from "../views/entity.js";
import { pendingIn } from "../views/pending.js";
import type { ViewPlan } from "../views/plan.js";
import { ViewSet } from "../views/view-set.js";
import type { ViewChange } from "../views/view-set.js";
import type { ViewWindow } from "../views/window.js";
import type { Definition } from "./definition.js";
import type { ViewObserver } from "./observer.js";

/** The live views over one library: their results, observers and definitions. */
export class LibraryViews {
  /** The results. */
  readonly set: ViewSet;
  /** The definitions by name. */
  readonly definitions = new Map<string, Definition>();
  /** The observers by subscription, in the order of their numbers. */
  readonly observers = new Map<number, ViewObserver>();
  /** The observers by their window. */
  readonly byWindow = new Map<ViewWindow, ViewObserver>();
  /** The entities that may have changed since the last unit, by key. */
  readonly dirty = new Map<string, Slot>();
  /** The version of the pending edits, and the library's staleness, that observers know. */
  shownLayers: number;
  shownStale: boolean;

  /** Creates views over a library that may not exist yet. */
  constructor(private readonly state: State, readonly name: string) {
    this.set = new ViewSet({
      forEach: (type, body) => {
        for (const slot of this.library?.table(type)?.slots.values() ?? []) {
          const text = presentText(slot);
          if (text !== null) body(slot.id, text);
        }
      },
      isKnown: (type, id) => {
        const slot = this.library?.table(type)?.find(id) ?? null;
        return slot !== null && this.isKnown(slot);
      },
    }, state.options.aliases, state.limits);
    this.shownLayers = state.layers.version;
    this.shownStale = this.isStale;
  }

  /** The library; null if there is none. */
  get library(): Library | null { return this.state.libraries.get(this.name) ?? null; }

  /** True if the library is stale. */
  get isStale(): boolean { return this.library?.isStale === true; }

  /** True if nobody needs the views. */
  get isIdle(): boolean { return this.observers.size === 0 && this.definitions.size === 0; }

  /** Takes the changes since the last unit. */
  takeChanges(): ViewChange[] {
    const changes = [...this.dirty.values()].map((noted): ViewChange => {
      // Within a unit an entity may have left its slot and got another one.
      const slot = noted.table.find(noted.id) ?? noted;
      return { type: slot.table.name, id: slot.id, text: presentText(slot), isKnown: this.isKnown(slot) };
    });
    this.dirty.clear();
    return changes;
  }

  /** Returns a present entity, also one of a type that no view has; null if there is none. */
  find(type: string, id: string): Entity | null {
    const known = this.set.find(type, id);
    if (known !== null) return known;
    const slot = this.library?.table(type)?.find(id) ?? null;
    const text = slot === null ? null : presentText(slot);
    return text === null ? null : new Entity(-1, type, id, text);
  }

  /** Returns how many entities of a view's types were evicted since the cache was opened. */
  evictions({ types }: ViewPlan): number {
    let count = 0;
    for (const type of types) count += evictionCount(this.library?.table(type) ?? null);
    return count;
  }

  /** True if a pending edit covers an entity behind a shown row of a window. */
  isPending(window: ViewWindow): boolean {
    if (this.state.layers.isEmpty) return false;
    const covered = new Set<Entity>();
    for (const layer of this.state.layers.all) {
      if (layer.library.name !== this.name) continue;
      for (const { slot } of layer.changes) {
        const entity = this.set.find(slot.table.name, slot.id);
        if (entity !== null) covered.add(entity);
      }
    }
    return covered.size > 0 && pendingIn(this.set, window, covered);
  }

  /** True if the cache stores an entity, or knows that it was deleted. */
  private isKnown(slot: Slot): boolean {
    const node = nodeOf(slot);
    return presentText(slot) !== null || slot.text !== null && isEvaluable(slot.completeness) || node?.overlay?.isDeleted === true
      || this.state.tombstones.has(slot);
  }

  /** Returns a name that identifies a definition among all libraries. */
  keyOf(name: string): string { return `${quoted(this.name)}/${name}`; }
}

/** Returns an entity's visible resource; null if there is none, or if it is only partly known. */
function presentText(slot: Slot): string | null {
  const node = nodeOf(slot);
  if (node === null) return isEvaluable(slot.completeness) ? slot.text : null;
  return isEvaluable(completeness(node)) ? node.visible : null;
}
