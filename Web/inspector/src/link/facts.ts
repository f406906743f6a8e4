import type { Json } from "../model/json";
import { isArray, list, number, object, stringify, text } from "../model/json";
import { shortName, shortNames } from "../model/names";
import type { Link } from "./link";
import { LinkError } from "./link";

/** The bins in which events are counted. */
export const BINS = ["applied", "reconciled", "duplicate", "ignored", "held", "quarantined"] as const;
/** The name of a bin. */
export type Bin = (typeof BINS)[number];

/** The events of one second, by bin. */
export type Sample = Record<Bin, number>;

/** A library with its position and lost ranges, as text. */
export interface LibraryFact {
  /** The name of the library. */
  id: string;
  /** The name of its log; empty if it has none. */
  epoch: string;
  /** The cursor; null before the first position is known. */
  cursor: string | null;
  /** The state of the library. */
  state: string;
  /** The lost ranges, as text. */
  lost: string[];
}

/** The number of stored entities of a type in a library. */
export interface TypeFact {
  /** The name of the library. */
  library: string;
  /** The name of the type. */
  type: string;
  /** The number of stored entities. */
  count: number;
}

/** Maximum number of samples: ten minutes. */
export const SAMPLE_COUNT_MAX = 600;
const FACETS_INTERVAL = 5_000;

/** The counters of the cache, requested once a second. */
export class Facts {
  /** The result of `cache.stats`; null before the first answer. */
  stats: Json = null;
  /** The libraries. */
  libraries: LibraryFact[] = [];
  /** The types; requested only while a view needs them. */
  types: TypeFact[] = [];
  /** One sample for each second since the page was opened, the newest last. At most `SAMPLE_COUNT_MAX`. */
  readonly samples: Sample[] = [];
  /** True if the cache refuses to be changed. */
  isReadOnly = false;
  /** Called when the cache turns out to be read-only. */
  onReadOnly: () => void = () => undefined;
  private last: { at: number; counts: Sample; } | null = null;
  private readonly handlers = new Set<() => void>();
  private facetsAt = 0;
  private wantsFacets = 0;
  /** The short names of the libraries. */
  private names = new Map<string, string>();

  /** Creates facts without data; `start` begins the requests. */
  constructor(private readonly link: Link) { }

  /** Starts requesting counters once a second. */
  start(): void { void this.run(); }

  /**
   * Calls the handler after each change, until the returned function is called. `wantsFacets` also requests counts by
   * type.
   */
  follow(handler: () => void, wantsFacets = false): () => void {
    this.handlers.add(handler);
    if (wantsFacets) {
      this.wantsFacets += 1;
      void this.askFacets();
    }
    return () => {
      if (this.handlers.delete(handler) && wantsFacets) this.wantsFacets -= 1;
    };
  }

  /** Records that the cache is read-only. */
  becomeReadOnly(): void {
    if (this.isReadOnly) return;
    this.isReadOnly = true;
    this.onReadOnly();
    this.tell();
  }

  /** Returns a short, unique name of a library. */
  libraryName(id: string | null): string { return id === null ? "unknown" : this.names.get(id) ?? shortName(id); }

  private tell(): void { for (const handler of [...this.handlers]) handler(); }

  private async run(): Promise<void> {
    for (; ;) {
      const start = performance.now();
      if (this.link.state === "refused") return;
      try {
        this.take(await this.link.call("cache.stats"));
        if (this.wantsFacets > 0 && start - this.facetsAt > FACETS_INTERVAL) await this.askFacets();
        this.tell();
      } catch {
        // The page already shows the state of the connection.
        this.last = null;
      }
      await new Promise((resolve) => { setTimeout(resolve, Math.max(100, 1_000 - (performance.now() - start))); });
    }
  }

  private async askFacets(): Promise<void> {
    this.facetsAt = performance.now();
    try {
      const facets = await this.link.call("facets");
      this.types = list(facets, "types").map((type) => ({
        library: text(type, "library_id") ?? "", type: text(type, "resource_type") ?? "", count: number(type, "entities") ?? 0,
      }));
      this.tell();
    } catch (error) {
      if (error instanceof LinkError && error.code === "read_only") this.becomeReadOnly();
    }
  }

  private take(stats: Json): void {
    this.stats = stats;
    this.libraries = object(stats, "libraries").members.map(([id, place]) => ({
      id, epoch: text(place, "epoch") ?? "", cursor: number(place, "sequence") === null ? null : String(number(place, "sequence")),
      state: text(place, "state") ?? "", lost: list(place, "lost").map((range) => isArray(range) ? range.map(stringify).join("–") : ""),
    }));
    if (this.libraries.length !== this.names.size || this.libraries.some(({ id }) => !this.names.has(id))) {
      this.names = shortNames(this.libraries.map(({ id }) => id));
    }
    const events = object(stats, "events");
    const counts = Object.fromEntries(BINS.map((bin) => [bin, number(bin === "reconciled" ? stats : events, bin) ?? 0])) as Sample;
    const at = performance.now();
    if (this.last !== null) {
      const seconds = Math.max(0.5, (at - this.last.at) / 1_000);
      const before = this.last.counts;
      this.samples.push(Object.fromEntries(BINS.map((bin) => [bin, Math.max(0, counts[bin] - before[bin]) / seconds])) as Sample);
      if (this.samples.length > SAMPLE_COUNT_MAX) this.samples.shift();
    }
    this.last = { at, counts };
  }
}
