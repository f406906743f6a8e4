// The writing tab's side: performs the requests of following tabs, and sends them their notifications.

import type { NormalizedCache } from "../cache/cache.js";
import type { Sink } from "../engine/notifications.js";
import { memberOf } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import { textOf } from "../out/value.js";
import { perform } from "./inspected.js";
import { tabLock } from "./message.js";
import type { TabMessage } from "./message.js";
import { observing } from "./subscription.js";

interface Follower {
  readonly subscriptions: Set<number>;
  readonly sink: Sink;
}

/** Serves the tabs that follow this one, the writing tab. */
export class Leader {
  private readonly followers = new Map<string, Follower>();
  private readonly endEdits: () => void;
  private isEnded = false;

  /** Announces this tab as the writer and starts serving; `post` sends a message to all tabs. */
  constructor(
    private readonly cache: NormalizedCache, private readonly name: string, private readonly tab: string,
    private readonly post: (message: TabMessage) => void,
  ) {
    this.endEdits = cache.port.onEdits(() => this.tellEdits());
    this.post({ is: "lead", from: tab });
    this.tellEdits();
  }

  /** Stops serving, and cancels all observations of other tabs. */
  end(): void {
    this.isEnded = true;
    this.endEdits();
    for (const tab of [...this.followers.keys()]) this.forget(tab);
  }

  /** Handles a message of another tab. */
  take(message: TabMessage): void {
    switch (message.is) {
      case "hello":
        this.post({ is: "lead", from: this.tab });
        this.tellEdits();
        break;
      case "bye": this.forget(message.from); break;
      case "call": if (message.to === this.tab) this.perform(message); break;
      case "listen": if (message.to === this.tab) this.cache.engine.addSink(this.follower(message.from).sink); break;
      case "lead": case "answer": case "refusal": case "tell": case "edits":
    }
  }

  private follower(tab: string): Follower {
    let follower = this.followers.get(tab);
    if (follower === undefined) {
      const sink: Sink = ({ method, params }) => this.post({ is: "tell", to: tab, method, json: textOf(params) });
      this.followers.set(tab, follower = { subscriptions: new Set(), sink });
      // A killed tab sends no message, but its lock is released.
      void navigator.locks.request(tabLock(this.name, tab), () => this.forget(tab));
    }
    return follower;
  }

  private forget(tab: string): void {
    const follower = this.followers.get(tab);
    if (follower === undefined) return;
    this.followers.delete(tab);
    this.cache.engine.sinks.delete(follower.sink);
    for (const subscription of follower.subscriptions) {
      this.cache.port.perform("observe.cancel", `{"subscription":${subscription}}`, () => undefined, () => undefined);
    }
  }

  private perform({ from, id, method, json }: Extract<TabMessage, { is: "call"; }>): void {
    const follower = this.follower(from);
    if (method === null) {
      // Lines are acknowledged once they are durable: until then the other tab keeps them.
      this.cache.engine.ingestText(json);
      this.cache.engine.flusher.wait(false, (error) => this.answer(from, id, error ?? {}));
      return this.cache.engine.noteChanged();
    }
    perform(this.cache, method, json, follower.sink, (outcome) => {
      if (!(outcome instanceof CacheError)) this.noteObserver(follower, from, method, json, textOf(outcome));
      this.answer(from, id, outcome);
    });
  }

  private noteObserver(follower: Follower, tab: string, method: string, json: string, answer: string): void {
    if (method === "observe.cancel") follower.subscriptions.delete(Number(memberOf(json, "subscription")));
    if (!observing.includes(method)) return;
    const subscription = Number(memberOf(answer, "subscription"));
    follower.subscriptions.add(subscription);
    if (this.followers.get(tab) === follower) return;
    this.cache.port.perform("observe.cancel", `{"subscription":${subscription}}`, () => undefined, () => undefined);
  }

  private answer(to: string, id: number, outcome: Parameters<Parameters<NormalizedCache["port"]["perform"]>[3]>[0]): void {
    if (this.isEnded) return;
    if (outcome instanceof CacheError) {
      this.post({ is: "refusal", to, id, code: outcome.code, message: outcome.message, reasons: { ...outcome.reasons } });
    } else {
      this.post({ is: "answer", to, id, json: textOf(outcome) });
    }
  }

  private tellEdits(): void {
    const { port } = this.cache;
    const pending = [...this.followers.values()].flatMap(({ subscriptions }) => [...subscriptions].flatMap((subscription) => {
      // Views tell their observers themselves.
      const isPending = port.isPending(subscription);
      return isPending === null ? [] : [[subscription, isPending] as const];
    }));
    this.post({ is: "edits", from: this.tab, json: textOf(port.edits(null)), pending });
  }
}
