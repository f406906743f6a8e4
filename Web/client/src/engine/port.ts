import type { CacheError } from "../model/errors.js";
import type { NumberMode } from "../json/exact.js";
import { edits } from "../parts/index.js";
import type { Out } from "../out/value.js";
import type { CacheCalls } from "./calls.js";
import type { CacheClock } from "./clock.js";
import type { Engine } from "./engine.js";
import type { Sink } from "./notifications.js";

/** A cache as components and other tabs reach it: the one of this page, or that of the tab which writes. */
export interface CachePort {
  readonly clock: CacheClock;
  /** Returns a number in 0 … 1. */
  random(): number;
  /** Performs a method with compact JSON; `sink` hears what its observations tell. */
  perform(method: string, json: string, sink: Sink, reply: (outcome: Out | CacheError) => void): void;
  /** Lets a sink hear of libraries, commits and the outbox. Returns a function that ends it. */
  onAll(sink: Sink): () => void;
  /** Calls `listener` when pending edits changed. Returns a function that ends it. */
  onEdits(listener: () => void): () => void;
  /** Grows with each change of a pending edit. */
  readonly editVersion: number;
  /** What `optimistic.list` answers. */
  edits(library: string | null): Out;
  /** Whether a pending edit concerns what is observed; null where that is not known. */
  isPending(subscription: number): boolean | null;
}

/** What components need of a cache. */
export interface CacheHandle {
  readonly port: CachePort;
  readonly mode: NumberMode;
  readonly calls: CacheCalls;
}

/** The port of the cache of this page. */
export function enginePort(engine: Engine): CachePort {
  return {
    clock: engine.clock,
    random: engine.random,
    perform(method, json, sink, reply) {
      engine.whenRoom(json.length, () => engine.methods.perform(method, json, sink, reply), reply);
    },
    onAll(sink) {
      engine.addSink(sink);
      return () => { engine.sinks.delete(sink); };
    },
    onEdits(listener) {
      engine.layerListeners.add(listener);
      return () => { engine.layerListeners.delete(listener); };
    },
    get editVersion() { return engine.state.layers.version; },
    edits: (library) => engine.state.layers.isEmpty ? { pending: [] } : edits.code.pendingOut(engine.state, library),
    isPending(subscription) {
      const observer = engine.observers.get(subscription);
      if (observer === null) return null;
      return observer.of === "query" ? observer.query.isPending : observer.node.overlay !== null;
    },
  };
}
