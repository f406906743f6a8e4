// One cache for all tabs of a page: one tab writes, the others follow it, and one of them takes over when it closes.

import { NormalizedCache } from "../cache/cache.js";
import { cacheCalls } from "../cache/calls.js";
import type { CacheCalls } from "../cache/calls.js";
import { optionNames } from "../cache/options.js";
import type { CacheHandle, CachePort, NotificationHandler } from "../cache/port.js";
import { systemClock } from "../engine/clock.js";
import type { CacheClock } from "../engine/clock.js";
import type { Notification, Sink } from "../engine/notifications.js";
import { IndexedDBJournal } from "../journal/indexed-db.js";
import { stringifyExact } from "../json/exact.js";
import type { JsonValue, NumberMode } from "../json/exact.js";
import { elementsOf, memberOf, quoted } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import type { ErrorCode, Reasons } from "../model/errors.js";
import { refuseUnknown } from "../model/options.js";
import { Raw } from "../out/raw.js";
import { textOf, valueOf } from "../out/value.js";
import type { Out } from "../out/value.js";
import { perform } from "./inspected.js";
import { Leader } from "./leader.js";
import { channelName, tabLock } from "./message.js";
import type { TabMessage } from "./message.js";
import type { SharedCacheOptions } from "./options.js";
import { observing, paramsOf, renumbering } from "./subscription.js";
import { Subscriptions } from "./subscriptions.js";

export type { SharedCacheOptions } from "./options.js";

interface Call {
  readonly id: number;
  readonly method: string | null;
  readonly json: string;
  readonly sink: Sink;
  readonly reply: (outcome: Out | CacheError) => void;
  /** How often the call was sent: the writing tab of an earlier attempt may have performed it. */
  sendCount: number;
}

/** Maximum number of lines and requests that wait for an answer. */
const CALL_COUNT_MAX = 100_000;
const toAll: readonly string[] = ["library.state", "durable", "outbox.changed"];

/** A cache that the tabs of one origin share. Needs Web Locks, BroadcastChannel and IndexedDB. */
export class SharedCache implements CacheHandle {
  /** The methods of Protocol/sessions.md as typed functions. */
  readonly calls: CacheCalls;
  readonly mode: NumberMode;
  readonly port: CachePort;
  /** Resolves once this tab writes or follows one that does. Rejects if the database cannot be used. */
  readonly ready: Promise<void>;
  private readonly name: string;
  private readonly tab = `${Date.now().toString(36)}-${Math.floor(Math.random() * 2 ** 52).toString(36)}`;
  private readonly clock: CacheClock;
  private readonly channel: BroadcastChannel;
  private readonly journal: IndexedDBJournal;
  private readonly cache: NormalizedCache;
  private leader: Leader | null = null;
  /** True if this tab writes the database. */
  private isLeading = false;
  private isClosed = false;
  private failure: CacheError | null = null;
  /** The writing tab that this one follows. */
  private followed: string | null = null;
  private readonly waiting = new Map<number, Call>();
  private readonly subscriptions: Subscriptions;
  private readonly handlers = new Map<string, Set<NotificationHandler>>();
  private readonly editListeners = new Set<() => void>();
  /** Receivers of notifications about libraries, commits and the outbox, besides the handlers. */
  private readonly sinks = new Set<Sink>();
  private editText = "{\"pending\":[]}";
  private editVersion = 0;
  private isListening = false;
  private lastId = 0;
  private releaseTab: () => void = () => undefined;
  private endSource: () => void = () => undefined;
  private becomeReady: () => void = () => undefined;
  private failReady: (error: Error) => void = () => undefined;

  constructor(private readonly options: SharedCacheOptions = {}) {
    refuseUnknown(options, [...optionNames.filter((name) => name !== "journal"), "name", "lead"]);
    this.name = options.name ?? "tidemark";
    this.mode = options.numbers ?? "text";
    this.clock = options.clock ?? systemClock();
    this.subscriptions = new Subscriptions(this.clock, () => this.nextId(), (id, method, json) => this.sendResuming(id, method, json));
    this.calls = cacheCalls((method, params) => this.call(method, params));
    this.port = this.ownPort();
    this.ready = new Promise((resolve, reject) => {
      this.becomeReady = resolve;
      this.failReady = reject;
    });
    this.ready.catch(() => undefined);
    this.channel = new BroadcastChannel(channelName(this.name));
    this.channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.take(data);
    this.journal = new IndexedDBJournal({ name: this.name, onTaken: () => this.loseDatabase() });
    // Opening the journal waits for the lock: until then another tab writes.
    const { name: _name, lead: _lead, ...rest } = options;
    this.cache = new NormalizedCache({ ...rest, clock: this.clock, journal: this.journal });
    this.cache.ready.then(() => this.lead(), (error: unknown) => this.fail(error));
    void navigator.locks.request(tabLock(this.name, this.tab), () => {
      if (this.isClosed) return undefined;
      this.post({ is: "hello", from: this.tab });
      return new Promise<void>((resolve) => { this.releaseTab = resolve; });
    });
  }

  /** True if this tab writes the database. */
  get isWriter(): boolean { return this.isLeading; }

  /** Applies events: lines of text, or one event as a value. A following tab keeps them until they are durable. */
  ingest(input: string | object): void {
    const text = typeof input === "string" ? input : stringifyExact(input);
    if (this.isLeading) this.cache.ingest(text);
    else this.begin(null, text, () => undefined, () => undefined);
  }

  /** Calls a method of Protocol/sessions.md by name. Rejects with a `CacheError`. */
  call(method: string, params?: object): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      this.begin(method, params === undefined ? "{}" : stringifyExact(params), this.sink, (outcome) =>
        outcome instanceof CacheError ? reject(outcome) : resolve(valueOf(outcome, this.mode)));
    });
  }

  /** Subscribes `handler` to the notifications of one name. Returns a function that unsubscribes it. */
  on(method: Notification["method"], handler: NotificationHandler): () => void {
    if (toAll.includes(method)) this.beginListening();
    const handlers = this.handlers.get(method) ?? new Set();
    this.handlers.set(method, handlers.add(handler));
    return () => { handlers.delete(handler); };
  }

  /** Resolves once every change made so far is durable. */
  async flush(): Promise<void> {
    await this.call("cache.flush");
  }

  /** Closes the cache in this tab; another tab takes over. Waiting requests are refused. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.endSource();
    this.subscriptions.end();
    this.leader?.end();
    if (!this.isLeading) this.post({ is: "bye", from: this.tab });
    this.releaseTab();
    try {
      if (this.isLeading) await this.cache.close();
      else await this.journal.close();
    } finally {
      this.channel.close();
      this.refuseAll(new CacheError("storage_failed", "the cache is closed: open another one"));
    }
  }

  private beginListening(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.listen();
  }

  private readonly sink: Sink = ({ method, params }) => {
    const handlers = this.handlers.get(method);
    if (handlers === undefined || handlers.size === 0) return;
    const value = valueOf(params, this.mode) as { readonly [name: string]: JsonValue; };
    for (const handler of [...handlers]) handler(value);
  };

  private ownPort(): CachePort {
    const version = (): number => this.editVersion;
    return {
      clock: this.clock, random: this.options.random ?? Math.random,
      perform: (method, json, sink, reply) => this.begin(method, json, sink, reply),
      onAll: (sink) => {
        this.beginListening();
        this.sinks.add(sink);
        return () => { this.sinks.delete(sink); };
      },
      onEdits: (listener) => {
        this.editListeners.add(listener);
        return () => { this.editListeners.delete(listener); };
      },
      get editVersion() { return version(); },
      edits: (library) => {
        const edits = elementsOf(memberOf(this.editText, "pending") ?? "[]");
        return { pending: edits.filter((edit) => library === null || memberOf(edit, "library_id") === quoted(library)).map((edit) => new Raw(edit)) };
      },
      isPending: (subscription) => this.subscriptions.isPending(subscription),
    };
  }

  // Requests

  private begin(method: string | null, json: string, sink: Sink, reply: Call["reply"]): void {
    if (this.failure !== null || this.isClosed) {
      return reply(this.failure ?? new CacheError("storage_failed", "the cache is closed: open another one"));
    }
    if (this.waiting.size >= CALL_COUNT_MAX) {
      return reply(new CacheError("limit_exceeded", `${CALL_COUNT_MAX} requests wait for another tab: ask again later`));
    }
    const call: Call = { id: this.nextId(), method, json, sink, reply, sendCount: 0 };
    this.waiting.set(call.id, call);
    this.send(call);
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  private send(call: Call): void {
    const json = call.method !== null && renumbering.includes(call.method) ? this.subscriptions.remoteParams(call.json) : call.json;
    if (!this.isLeading && this.followed === null) return;
    call.sendCount += 1;
    if (this.isLeading) {
      if (call.method === null) {
        this.cache.ingest(json);
        return this.answered(call.id, {});
      }
      return perform(this.cache, call.method, json, this.hear, (outcome) => this.answered(call.id, outcome));
    }
    if (this.followed !== null) this.post({ is: "call", from: this.tab, to: this.followed, id: call.id, method: call.method, json });
  }

  private answered(id: number, outcome: Out | CacheError): void {
    if (this.subscriptions.answered(id, outcome)) return;
    const call = this.waiting.get(id);
    if (call === undefined) return;
    this.waiting.delete(id);
    if (outcome instanceof CacheError) return call.reply(call.sendCount > 1 ? repeated(call, outcome) : outcome);
    if (call.method !== null && observing.includes(call.method)) {
      return call.reply(this.subscriptions.add(call.method, call.json, call.sink, textOf(outcome)));
    }
    if (call.method === "observe.cancel") this.subscriptions.cancel(call.json);
    if (call.method === "view.move") this.subscriptions.move(call.json);
    call.reply(outcome);
  }

  // Notifications

  private readonly hear: Sink = ({ method, params }) => this.told(method, textOf(params));

  private told(method: Notification["method"], params: string): void {
    const number = memberOf(params, "subscription");
    if (number !== null) return this.subscriptions.tell(Number(number), method, params);
    const notification = { method, params: paramsOf(params, null) };
    this.sink(notification);
    if (toAll.includes(method)) for (const sink of this.sinks) sink(notification);
  }

  private take(message: TabMessage): void {
    if (this.isClosed) return;
    if (this.leader !== null) return this.leader.take(message);
    switch (message.is) {
      case "lead": if (message.from !== this.followed) this.follow(message.from); break;
      case "answer": if (message.to === this.tab) this.answered(message.id, new Raw(message.json)); break;
      case "refusal":
        if (message.to === this.tab) {
          this.answered(message.id, new CacheError(message.code as ErrorCode, message.message, message.reasons as Reasons));
        }
        break;
      case "tell": if (message.to === this.tab) this.told(message.method as Notification["method"], message.json); break;
      case "edits": if (message.from === this.followed) this.showEdits(message.json, message.pending); break;
      case "hello": case "bye": case "call": case "listen":
    }
  }

  private showEdits(json: string, pending: readonly (readonly [number, boolean])[]): void {
    this.editText = json;
    this.editVersion += 1;
    for (const [remote, isPending] of pending) this.subscriptions.setPending(remote, isPending);
    for (const listener of [...this.editListeners]) listener();
  }

  // Leadership

  /** Follows another tab, which has all acknowledged changes: repeats requests and restarts observations. */
  private follow(tab: string): void {
    this.followed = tab;
    this.goOn();
  }

  /** Makes this tab the writer. */
  private lead(): void {
    if (this.isClosed) return;
    this.isLeading = true;
    this.followed = null;
    this.leader = new Leader(this.cache, this.name, this.tab, (message) => this.post(message));
    this.cache.port.onEdits(() => this.showOwnEdits());
    // Sources first: repeated requests may need the connections that they open.
    try {
      this.endSource = this.options.lead?.(this.cache) ?? (() => undefined);
    } finally {
      this.goOn();
      this.showOwnEdits();
    }
  }

  private showOwnEdits(): void {
    const { port } = this.cache;
    this.showEdits(textOf(port.edits(null)), this.subscriptions.remotes.map((remote) => [remote, port.isPending(remote) === true] as const));
  }

  private goOn(): void {
    this.becomeReady();
    if (this.isListening) this.listen();
    this.subscriptions.resumeAll();
    for (const call of [...this.waiting.values()]) this.send(call);
  }

  private sendResuming(id: number, method: string, json: string): void {
    if (this.isLeading) perform(this.cache, method, json, this.hear, (outcome) => this.answered(id, outcome));
    else if (this.followed !== null) this.post({ is: "call", from: this.tab, to: this.followed, id, method, json });
  }

  private listen(): void {
    if (this.isLeading) this.cache.engine.addSink(this.hear);
    else if (this.followed !== null) this.post({ is: "listen", from: this.tab, to: this.followed });
  }

  /** Another page took over the database: this tab continues from memory, alone. */
  private loseDatabase(): void {
    this.leader?.end();
    this.channel.onmessage = null;
  }

  private fail(error: unknown): void {
    if (this.isClosed) return;
    const message = error instanceof Error ? error.message : String(error);
    this.failure = new CacheError("storage_failed", message);
    this.refuseAll(this.failure);
    this.failReady(error instanceof Error ? error : new Error(message));
  }

  private refuseAll(error: CacheError): void {
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    for (const call of calls) call.reply(error);
  }

  private post(message: TabMessage): void { this.channel.postMessage(message); }
}

/** Returns the outcome of a request sent twice: an edit that exists or has settled was performed before. */
function repeated(call: Call, error: CacheError): Out | CacheError {
  if (call.method === "optimistic.update" && error.code === "duplicate_pending") {
    return { pending_id: new Raw(memberOf(call.json, "pending_id") ?? "null") };
  }
  const isDone = error.code === "unknown_pending" && (call.method === "optimistic.commit" || call.method === "optimistic.rollback");
  return isDone ? {} : error;
}
