import type { CacheClock } from "../engine/clock.js";
import type { Notification, Sink } from "../engine/notifications.js";
import type { JsonValue, NumberMode } from "../json/exact.js";
import type { CacheError } from "../model/errors.js";
import type { Out } from "../out/value.js";
import { edits } from "../parts/loaders.js";
import type { CacheCalls } from "./calls.js";
import type { Engine } from "./engine.js";

/** Access to a cache for components and other tabs: the cache of this page, or that of the leading tab. */
export interface CachePort {
  /** The time source. */
  readonly clock: CacheClock;
  /** Returns a number from 0 to 1. */
  random(): number;
  /**
   * Performs a method with params as compact JSON. `sink` receives the notifications of observations that it starts.
   */
  perform(method: string, json: string, sink: Sink, reply: (outcome: Out | CacheError) => void): void;
  /**
   * Subscribes a sink to notifications about libraries, commits and the outbox. Returns a function that unsubscribes
   * it.
   */
  onAll(sink: Sink): () => void;
  /** Calls `listener` after each change of pending edits. Returns a function that ends it. */
  onEdits(listener: () => void): () => void;
  /** A number that grows with each change of a pending edit. */
  readonly editVersion: number;
  /** Returns the result of `optimistic.list`, for one library or (null) for all. */
  edits(library: string | null): Out;
  /** True if a pending edit affects the observed data; null when unknown. */
  isPending(subscription: number): boolean | null;
}

/** Receives the params of a notification, as Protocol/sessions.md defines them. */
export type NotificationHandler = (params: { readonly [name: string]: JsonValue; }) => void;

/** What components need from a cache: `NormalizedCache`, or the cache of another tab. */
export interface CacheHandle {
  /** The access to the cache. */
  readonly port: CachePort;
  /** How numbers that a JavaScript number cannot hold are returned. */
  readonly mode: NumberMode;
  /** The methods of the cache as typed functions. */
  readonly calls: CacheCalls;
  /** Subscribes `handler` to the notifications of one name. Returns a function that unsubscribes it. */
  on(method: Notification["method"], handler: NotificationHandler): () => void;
}

/** Returns the port of a cache in this page. */
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
