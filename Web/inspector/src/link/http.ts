import type { Json } from "../model/json";
import { json, member, number, parse, stringify, text } from "../model/json";
import type { Link, LinkState, Observation, ObservationHandlers } from "./link";
import { LinkError } from "./link";
import { SseReader } from "./sse";

const DELAY_BASE = 250;
const DELAY_MAX = 15_000;
/** Maximum number of notifications that wait for the answer to their own request. */
const EARLY_COUNT_MAX = 1_000;

interface Observer {
  method: string;
  params: object;
  handlers: ObservationHandlers;
  subscription: number | null;
  isOver: boolean;
}

/**
 * A link to the server of this page: sends requests by POST, and receives notifications on one stream of server-sent
 * events.
 */
export class HttpLink implements Link {
  state: LinkState = "connecting";
  private stream: string | null = null;
  private lastEventId: string | null = null;
  private lastId = 0;
  private streamWaiters: (() => void)[] = [];
  private readonly observers = new Set<Observer>();
  private readonly bySubscription = new Map<number, Observer>();
  private early: { subscription: number; method: string; params: Json; }[] = [];
  private openingCount = 0;
  /** True if the server is read-only, and has no stream. */
  private isReadOnly = false;
  private readonly stateHandlers: ((state: LinkState) => void)[] = [];
  private readonly notificationHandlers: ((method: string, params: Json) => void)[] = [];

  /** Creates a link to the server at a URL; `start` connects. */
  constructor(private readonly base: string, private readonly token: string) { }

  get server(): string { return location.origin; }

  get observationCount(): number { return this.bySubscription.size; }

  /** Connects, and reconnects until the server refuses. */
  start(): void { void this.run(); }

  onState(handler: (state: LinkState) => void): void { this.stateHandlers.push(handler); }

  onNotification(handler: (method: string, params: Json) => void): void { this.notificationHandlers.push(handler); }

  async call(method: string, params: object = {}): Promise<Json> { return this.ask(method, params, this.stream); }

  async get(path: string): Promise<string | null> {
    const response = await fetch(this.base + path, { headers: this.headers });
    return response.ok ? response.text() : null;
  }

  async download(path: string): Promise<Blob> {
    let response: Response;
    try {
      response = await fetch(this.base + path, { headers: this.headers, cache: "no-store" });
      if (response.ok) return await response.blob();
    } catch {
      throw new LinkError("offline", "the server does not answer");
    }
    const error = member(parse(await response.text()), "error");
    throw new LinkError(text(member(error, "data"), "code") ?? String(response.status), text(error, "message") ?? "refused");
  }

  observe(method: string, params: object, handlers: ObservationHandlers): Observation {
    const observer: Observer = { method, params, handlers, subscription: null, isOver: false };
    this.observers.add(observer);
    void this.begin(observer);
    return { end: () => this.end(observer) };
  }

  private get headers(): Record<string, string> { return { Authorization: `Bearer ${this.token}` }; }

  private async ask(method: string, params: object, stream: string | null): Promise<Json> {
    this.lastId += 1;
    const headers: Record<string, string> = { ...this.headers, "Content-Type": "application/json" };
    if (stream !== null) headers["Tidemark-Stream"] = stream;
    const body = stringify(json({ jsonrpc: "2.0", id: this.lastId, method, params }));
    let response: Response;
    try {
      response = await fetch(`${this.base}/rpc`, { method: "POST", body, headers });
    } catch {
      if (this.isReadOnly) this.become("lost");
      throw new LinkError("offline", "the server does not answer");
    }
    if (response.status === 401) this.become("refused");
    else if (this.isReadOnly) this.become("connected");
    let answer: Json;
    try {
      answer = parse(await response.text());
    } catch {
      throw new LinkError("unreadable", `the server answered ${response.status}, and not in JSON`);
    }
    const error = member(answer, "error");
    if (error === undefined || error === null) return member(answer, "result") ?? null;
    throw new LinkError(text(member(error, "data"), "code") ?? String(number(error, "code") ?? response.status), text(error, "message") ?? "refused");
  }

  // MARK: Observers

  private async begin(observer: Observer): Promise<void> {
    const stream = await this.nextStream();
    if (observer.isOver) return;
    if (this.isReadOnly) return observer.handlers.failed(new LinkError("read_only", "the database is only read"));
    if (stream === null) return;
    this.openingCount += 1;
    try {
      const result = await this.ask(observer.method, observer.params, stream);
      const subscription = number(result, "subscription");
      if (observer.isOver) {
        if (subscription !== null) void this.cancel(subscription);
      } else if (stream === this.stream) {
        observer.subscription = subscription;
        observer.handlers.begun(result);
        if (subscription !== null) this.bySubscription.set(subscription, observer);
        for (const { method, params } of this.early.filter((told) => told.subscription === subscription)) observer.handlers.told(method, params);
      }
    } catch (error) {
      if (!observer.isOver) observer.handlers.failed(error instanceof LinkError ? error : new LinkError("failed", String(error)));
    }
    this.openingCount -= 1;
    if (this.openingCount === 0) this.early = [];
  }

  private end(observer: Observer): void {
    if (observer.isOver) return;
    observer.isOver = true;
    this.observers.delete(observer);
    if (observer.subscription === null) return;
    this.bySubscription.delete(observer.subscription);
    void this.cancel(observer.subscription);
  }

  private async cancel(subscription: number): Promise<void> {
    try {
      await this.call("observe.cancel", { subscription });
    } catch {
      // The observation has ended with its stream.
    }
  }

  private async nextStream(): Promise<string | null> {
    while (this.stream === null && this.state !== "refused" && !this.isReadOnly) await new Promise<void>((resolve) => this.streamWaiters.push(resolve));
    return this.stream;
  }

  // MARK: The stream

  private become(state: LinkState): void {
    if (this.state === state || this.state === "refused") return;
    this.state = state;
    if (state === "refused") for (const wake of this.streamWaiters.splice(0)) wake();
    for (const handler of this.stateHandlers) handler(state);
  }

  /** Reads the stream, and reconnects after each interruption with a growing pause. */
  private async run(): Promise<void> {
    let failureCount = 0;
    while (this.state !== "refused" && !this.isReadOnly) {
      try {
        await this.read(() => { failureCount = 0; });
      } catch {
        // An interruption is not an error: the next attempt resumes where this one ended.
      }
      if (this.isReadOnly) return;
      this.become("lost");
      const delay = Math.min(DELAY_BASE * 2 ** failureCount, DELAY_MAX) * (0.5 + Math.random() / 2);
      failureCount += 1;
      await new Promise((resolve) => { setTimeout(resolve, delay); });
    }
  }

  private async read(succeeded: () => void): Promise<void> {
    const query = this.stream === null ? "" : `?stream=${encodeURIComponent(this.stream)}`;
    const headers = this.lastEventId === null ? this.headers : { ...this.headers, "Last-Event-ID": this.lastEventId };
    const response = await fetch(`${this.base}/stream${query}`, { headers, cache: "no-store" });
    if (response.status === 401) return this.become("refused");
    if (response.status === 403 && text(member(member(parse(await response.text()), "error"), "data"), "code") === "read_only") {
      this.isReadOnly = true;
      this.become("connected");
      for (const wake of this.streamWaiters.splice(0)) wake();
      return;
    }
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    succeeded();
    this.become("connected");
    const reader = response.body.getReader();
    const events = new SseReader((event, data, id) => this.take(event, data, id));
    const decoder = new TextDecoder();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) events.append(decoder.decode(piece.value, { stream: true }));
  }

  private take(event: string, data: string, id: string | null): void {
    if (id !== null) this.lastEventId = id;
    if (event === "hello") {
      this.hello(text(parse(data), "stream"));
    } else if (event === "gone") {
      this.stream = null;
      this.lastEventId = null;
      this.bySubscription.clear();
      this.early = [];
    } else if (event === "message") {
      const message = parse(data);
      this.hear(text(message, "method") ?? "", member(message, "params") ?? null);
    }
  }

  private hello(stream: string | null): void {
    const isNew = stream !== this.stream;
    this.stream = stream;
    if (isNew) {
      this.bySubscription.clear();
      for (const observer of [...this.observers]) {
        if (observer.subscription === null) continue;
        observer.subscription = null;
        void this.begin(observer);
      }
    }
    for (const wake of this.streamWaiters.splice(0)) wake();
  }

  private hear(method: string, params: Json): void {
    const subscription = number(params, "subscription");
    if (subscription === null) {
      for (const handler of this.notificationHandlers) handler(method, params);
      return;
    }
    const observer = this.bySubscription.get(subscription);
    if (observer !== undefined) observer.handlers.told(method, params);
    else if (this.openingCount > 0 && this.early.length < EARLY_COUNT_MAX) this.early.push({ subscription, method, params });
  }
}
