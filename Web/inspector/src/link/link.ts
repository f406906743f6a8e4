import type { Json } from "../model/json";

/** An error that the other end answered with, or that kept it from answering. */
export class LinkError extends Error {
  constructor(readonly code: string, message: string) { super(message); }
}

/** The states of a connection. `refused` is final: the token is missing or wrong. */
export type LinkState = "connecting" | "connected" | "lost" | "refused";

/** What an observer has of its observation. */
export interface Observation {
  end(): void;
}

/** What is told to whoever observes. */
export interface ObservationHandlers {
  /** The answer to the request: once in the beginning, and again after the stream began anew. */
  begun(result: Json): void;
  /** The params of one notification. */
  told(method: string, params: Json): void;
  failed(error: LinkError): void;
}

/**
 * The cache that is inspected: over HTTP, or one in this page. It is all that the views know of it.
 *
 * For a cache in the page `call` and `observe` pass methods and params on, `told` and `onNotification` bring what the cache tells, `state` is
 * `connected`, `get` answers null, and `download` is absent. A cache that refuses a method with the code `read_only` has no buttons that change it,
 * and is asked again each second.
 */
export interface Link {
  readonly state: LinkState;
  /** The address of the server; absent where there is none. */
  readonly server?: string;
  /** The observations that this page has now: the cache counts them among its observers. */
  readonly observationCount: number;
  call(method: string, params?: object): Promise<Json>;
  observe(method: string, params: object, handlers: ObservationHandlers): Observation;
  /** Returns what `GET path` gives as text; null where there is no such thing. */
  get(path: string): Promise<string | null>;
  /** Returns the file at a path; absent where nothing can be saved. Throws a `LinkError` that says why there is none. */
  download?(path: string): Promise<Blob>;
  onState(handler: (state: LinkState) => void): void;
  /** Calls the handler with notifications that nobody asked for: of libraries, of pending edits. */
  onNotification(handler: (method: string, params: Json) => void): void;
}
