import type { Json } from "../model/json";
import { json, number, parse, stringify } from "../model/json";
import type { Link, LinkState, Observation, ObservationHandlers } from "./link";
import { LinkError } from "./link";

/** Access to a cache in this page: requests, results and notifications as JSON text. */
export interface Inspectable {
  /**
   * Performs a request. `tell` receives the notifications of an observation that it starts, with their names and
   * params.
   */
  perform(
    method: string, params: string, tell: (method: string, params: string) => void,
    reply: (result: string, error: { readonly code: string; readonly message: string; } | null) => void,
  ): void;
  /**
   * Calls the handler with notifications about libraries, commits and pending edits. Returns a function that ends it.
   */
  onNotification(handler: (method: string, params: string) => void): () => void;
}

/** A link to a cache in the same page. */
export class CacheLink implements Link {
  state: LinkState = "connected";
  observationCount = 0;
  private readonly ends = new Set<() => void>();

  /** Creates a link to a cache. */
  constructor(private readonly cache: Inspectable) { }

  call(method: string, params: object = {}): Promise<Json> { return this.ask(method, params, () => undefined); }

  observe(method: string, params: object, handlers: ObservationHandlers): Observation {
    let subscription: number | null = null;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.ends.delete(end);
      if (subscription !== null) this.cancel(subscription);
    };
    this.ends.add(end);
    this.ask(method, params, (name, told) => { if (!isOver) handlers.told(name, parse(told)); }).then(
      (result) => {
        subscription = number(result, "subscription");
        this.observationCount += 1;
        if (!isOver) handlers.begun(result);
        else if (subscription !== null) this.cancel(subscription);
      },
      (error: unknown) => { if (!isOver) handlers.failed(error instanceof LinkError ? error : new LinkError("failed", String(error))); });
    return { end };
  }

  /** Returns null: a cache in a page serves no paths. */
  get(): Promise<string | null> { return Promise.resolve(null); }

  onState(): void { /* It stays connected. */ }

  onNotification(handler: (method: string, params: Json) => void): void {
    this.ends.add(this.cache.onNotification((method, params) => handler(method, parse(params))));
  }

  /** Ends all observations. */
  end(): void {
    this.state = "refused";
    for (const end of [...this.ends]) end();
    this.ends.clear();
  }

  private cancel(subscription: number): void {
    this.observationCount -= 1;
    // The observation may have ended already.
    this.ask("observe.cancel", { subscription }, () => undefined).catch(() => undefined);
  }

  private ask(method: string, params: object, tell: (method: string, params: string) => void): Promise<Json> {
    return new Promise((resolve, reject) => this.cache.perform(method, stringify(json(params)), tell, (result, error) => {
      if (error === null) resolve(parse(result));
      else reject(new LinkError(error.code, error.message));
    }));
  }
}
