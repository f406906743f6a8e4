import type { Json } from "../model/json";

/** An error that the cache returned, or that prevented it from answering. */
export class LinkError extends Error {
  /** Creates an error with a code of the protocol and a message. */
  constructor(readonly code: string, message: string) { super(message); }
}

/** The state of a connection. `refused` is final: the token is missing or wrong. */
export type LinkState = "connecting" | "connected" | "lost" | "refused";

/** A running observation. */
export interface Observation {
  /** Ends the observation. */
  end(): void;
}

/** The callbacks of an observation. */
export interface ObservationHandlers {
  /** Called with the answer to the request: at the start, and again after the stream began anew. */
  begun(result: Json): void;
  /** Called with the name and params of each notification. */
  told(method: string, params: Json): void;
  /** Called when the request fails. */
  failed(error: LinkError): void;
}

/**
 * The inspected cache: over HTTP, or in this page. The views use nothing else of it.
 *
 * For a cache in the page, `call` and `observe` pass on methods and params, `told` and `onNotification` deliver its
 * notifications, `state` is `connected`, `get` returns null, and `download` is absent. For a cache that refuses a
 * method with the code `read_only`, buttons that change it are hidden, and its data is requested once a second.
 */
export interface Link {
  /** The state of the connection. */
  readonly state: LinkState;
  /** The address of the server; absent if there is none. */
  readonly server?: string;
  /** The number of this page's observations, which the cache counts among its observers. */
  readonly observationCount: number;
  /** Calls a method of Protocol/sessions.md. Rejects with a `LinkError`. */
  call(method: string, params?: object): Promise<Json>;
  /** Starts an observation. */
  observe(method: string, params: object, handlers: ObservationHandlers): Observation;
  /** Returns the text at `GET path`; null if there is none. */
  get(path: string): Promise<string | null>;
  /**
   * Returns the file at a path; absent if nothing can be downloaded. Rejects with a `LinkError` that gives the reason.
   */
  download?(path: string): Promise<Blob>;
  /** Calls the handler when the state of the connection changes. */
  onState(handler: (state: LinkState) => void): void;
  /**
   * Calls the handler with notifications that belong to no observation, such as those about libraries and pending
   * edits.
   */
  onNotification(handler: (method: string, params: Json) => void): void;
}
