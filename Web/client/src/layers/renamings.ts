// The renamed temporary ids. An edit that still names one is applied to the real entity. Protocol/optimistic.md,
// temporary ids.

import { byteLength } from "../json/utf8.js";
import type { Library } from "../store/library.js";
import type { Layer } from "./layer.js";

/** A temporary id, and the real id that the server assigned; both canonical. */
export interface RealId {
  /** The temporary id. */
  readonly temporary: string;
  /** The real id. */
  readonly real: string;
  /** The real id as the server gave it: a JSON string or integer. */
  readonly json: string;
}

/** A renamed temporary id, as a journal stores it. */
export interface Renaming extends RealId {
  /** Orders renamings. Layers and renamings share one sequence of numbers. */
  readonly number: number;
  /** The library of the entity. */
  readonly library: Library;
  /** The type of the entity; null when it is unknown: the id is then renamed under every type. */
  readonly type: string | null;
  /** True once a newer entity uses the temporary id: it is then no longer renamed. */
  isEnded: boolean;
  /** Distinguishes a renaming from a layer, which has changes; a journal stores both together. */
  readonly changes?: undefined;
}

/** The changes of layers and renamings that a journal does not have yet. */
export interface LayerChanges {
  /** The changed layers and renamings. */
  readonly layers: Set<Layer | Renaming>;
  /** The numbers of removed ones. */
  readonly removedLayers: Set<number>;
}

const COUNT_MAX = 10_000;
const BYTE_COUNT_MAX = 4 << 20;

/**
 * The renamed ids of all libraries: the last 10,000, up to 4 MiB. Edits that were pending at the time were renamed at
 * once.
 */
export class Renamings {
  /** The renamings, oldest first. */
  private readonly ordered = new Set<Renaming>();
  /** The renamings of a temporary id, at most one for each type. */
  private readonly byName = new Map<string, Renaming[]>();
  private byteCount = 0;

  /** True if no id was renamed. */
  get isEmpty(): boolean { return this.ordered.size === 0; }

  /** The number of renamed ids. */
  get size(): number { return this.ordered.size; }

  /** Returns the renaming of an entity's temporary id; null if there is none, or a newer entity uses the id. */
  find(temporary: string, type: string, library: Library): Renaming | null {
    const all = this.all(temporary, library);
    const found = all.find((one) => one.type === type) ?? all.find((one) => one.type === null);
    return found === undefined || found.isEnded ? null : found;
  }

  /**
   * Returns the renaming of a temporary id in the input of a request. `types`: the types under which the edit itself
   * names the id. If it names none, the id is renamed only if just one entity had it, since a wrong entity would be
   * worse than none.
   */
  findNamed(temporary: string, types: ReadonlySet<string>, library: Library): Renaming | null {
    const all = this.all(temporary, library).filter(({ type }) => types.size === 0 || type === null || types.has(type));
    const isOne = all.length > 0 && all.every(({ real, isEnded }) => real === all[0].real && !isEnded);
    return isOne ? all[0] : null;
  }

  /** True if the id was renamed and a newer entity uses it. `type`: null if no layer names the id. */
  isEnded({ temporary, real }: RealId, type: string | null, library: Library): boolean {
    return this.all(temporary, library).some(
      (one) => (one.type === null || one.type === type) && one.real === real && one.isEnded);
  }

  /** True if the id was renamed, under any type. */
  isKnown({ temporary, real }: RealId, library: Library): boolean {
    return this.all(temporary, library).some((one) => one.real === real);
  }

  private all(temporary: string, library: Library): readonly Renaming[] {
    return this.byName.get(nameOf(temporary, library)) ?? [];
  }

  /** Adds a renaming, whose number is above all others. Replaces one of the same id and type. */
  learn(renaming: Renaming, changes: LayerChanges | null): void {
    const known = this.all(renaming.temporary, renaming.library).find(({ type }) => type === renaming.type);
    if (known !== undefined) {
      if (known.real === renaming.real && known.json === renaming.json) return;
      this.remove(known, changes);
    }
    this.restore(renaming);
    changes?.layers.add(renaming);
    for (const oldest of this.ordered) {
      if (this.ordered.size <= COUNT_MAX && this.byteCount <= BYTE_COUNT_MAX) break;
      this.remove(oldest, changes);
    }
  }

  /** Records that an edit adds a new entity under a temporary id: the id is no longer renamed. */
  end(temporary: string, type: string, library: Library, changes: LayerChanges | null): void {
    for (const known of this.all(temporary, library)) {
      if (known.isEnded || known.type !== type && known.type !== null) continue;
      known.isEnded = true;
      changes?.layers.add(known);
    }
  }

  /** Restores a renaming from the journal, in ascending order of numbers. */
  restore(renaming: Renaming): void {
    this.ordered.add(renaming);
    this.byteCount += byteCountOf(renaming);
    const name = nameOf(renaming.temporary, renaming.library);
    this.byName.set(name, [...this.byName.get(name) ?? [], renaming]);
  }

  private remove(renaming: Renaming, changes: LayerChanges | null): void {
    this.ordered.delete(renaming);
    this.byteCount -= byteCountOf(renaming);
    const name = nameOf(renaming.temporary, renaming.library);
    const rest = (this.byName.get(name) ?? []).filter((one) => one !== renaming);
    if (rest.length === 0) this.byName.delete(name);
    else this.byName.set(name, rest);
    changes?.layers.delete(renaming);
    changes?.removedLayers.add(renaming.number);
  }
}

/** Returns a key that is unique to one temporary id of one library. */
function nameOf(temporary: string, library: Library): string { return `${JSON.stringify(library.name)}/${temporary}`; }

function byteCountOf({ temporary, real, json }: Renaming): number {
  return 64 + byteLength(temporary) + byteLength(real) + byteLength(json);
}
