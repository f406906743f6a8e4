import type { Place } from "../model/address";
import type { Json } from "../model/json";
import { list, member, number, stringify, text } from "../model/json";
import { button, fill, h, say, set } from "../ui/dom";
import { ago, cut, duration, plural } from "../ui/format";
import { ask } from "../ui/question";
import type { Page } from "./page";
import type { View } from "./view";

const INTERVAL = 1_000;
const EDIT_COUNT_MAX = 500;

/**
 * The Pending edits view: what edits change, the progress of their requests, and buttons to commit or roll them back.
 */
export class PendingView implements View {
  readonly name = "Pending edits";
  isShown = false;
  readonly element: HTMLElement;
  private readonly note = h("p", { class: "muted note", role: "status" });
  private readonly cards = h("div", { class: "cards" });
  private edits: readonly Json[] = [];
  private requests = new Map<string, Json>();
  /** When each edit was made, in milliseconds since 1970, as far as requested. */
  private madeAt = new Map<string, number | null>();
  private timer = 0;
  private drawn = "";
  private wanted: string | null = null;

  /** Creates the view. */
  constructor(private readonly app: Page) { this.element = h("div", { class: "view" }, this.note, this.cards); }

  /** The edit that was opened from another view or an address. */
  private named = "";

  get place(): Place { return { edit: this.named }; }

  go({ edit = "" }: Place): void {
    if (edit !== "") return this.openEdit(edit);
    this.named = "";
    for (const card of this.cards.children) set(card, "data-changed", false);
  }

  show(): void {
    this.isShown = true;
    this.timer = window.setInterval(() => void this.ask(), INTERVAL);
    void this.ask();
  }

  hide(): void {
    this.isShown = false;
    window.clearInterval(this.timer);
  }

  /** Scrolls to an edit. */
  openEdit(pendingId: string): void {
    this.wanted = pendingId;
    this.named = pendingId;
    void this.ask();
  }

  private async ask(): Promise<void> {
    try {
      const [edits, requests] = await Promise.all([this.app.link.call("optimistic.list"), this.app.link.call("outbox.list")]);
      this.edits = list(edits, "pending");
      this.requests = new Map(list(requests, "outbox").map((request) => [text(request, "pending_id") ?? "", request]));
      this.app.frames.request(this);
      await this.askAges();
    } catch (error) {
      this.app.tellError(error);
    }
  }

  /**
   * Requests once for each edit when it was made; `entity.get` with `base` of an entity that it changes returns this.
   */
  private async askAges(): Promise<void> {
    const names = new Set(this.edits.map((edit) => text(edit, "pending_id") ?? ""));
    for (const name of this.madeAt.keys()) if (!names.has(name)) this.madeAt.delete(name);
    const fresh = this.edits.filter((edit) => !this.madeAt.has(text(edit, "pending_id") ?? "")).slice(0, 50);
    await Promise.all(fresh.map(async (edit) => {
      const name = text(edit, "pending_id") ?? "";
      const key = keyOf(list(edit, "changes")[0] ?? null);
      const place = { resource_type: key.slice(0, key.indexOf(":")), id: key.slice(key.indexOf(":") + 1), library_id: text(edit, "library_id") ?? "" };
      const base = await this.app.link.call("entity.get", { ...place, base: true, fields: [] });
      const layer = list(base, "layers").find((found) => text(found, "pending_id") === name);
      this.madeAt.set(name, number(layer ?? null, "created_at"));
    }));
    this.app.frames.request(this);
  }

  draw(): void {
    say(this.note, this.edits.length === 0 ? "Nothing is pending: what is shown is what the servers said."
      : `${plural(this.edits.length, "edit")} that the server has not confirmed${this.edits.length > EDIT_COUNT_MAX ? `; the first ${EDIT_COUNT_MAX}` : ""}`);
    const parts = [...this.edits, ...this.requests.values()].map(stringify).concat(this.edits.map((edit) => this.age(edit)));
    const content = parts.join() + String(this.app.isReadOnly);
    if (content !== this.drawn) {
      this.drawn = content;
      const home = this.cards.getRootNode() as Document | ShadowRoot;
      const focused = home.activeElement?.id;
      fill(this.cards, ...this.edits.slice(0, EDIT_COUNT_MAX).map((edit, index) => this.card(edit, index)));
      if (focused !== undefined && focused !== "") home.getElementById(focused)?.focus();
    }
    if (this.wanted !== null) {
      const card = [...this.cards.children].find((found) => (found as HTMLElement).dataset.edit === this.wanted);
      card?.scrollIntoView({ block: "nearest" });
      if (card !== undefined) set(card, "data-changed", true);
      this.wanted = null;
    }
  }

  private age(edit: Json): string {
    const at = this.madeAt.get(text(edit, "pending_id") ?? "");
    return at === undefined || at === null ? "" : `made ${ago(at)}`;
  }

  private card(edit: Json, index: number): HTMLElement {
    const name = text(edit, "pending_id") ?? "";
    const libraryId = text(edit, "library_id") ?? "";
    const request = this.requests.get(name) ?? null;
    const state = text(edit, "state") ?? "";
    const requestState = text(request, "state");
    const nextAttempt = number(request, "next_attempt_at");
    const failure = text(member(request, "error") ?? null, "message");
    const dependencies = list(edit, "depends_on");
    return h("article", { class: "card", "data-edit": name, "aria-label": name },
      h("div", { class: "card-head" }, h("h2", {}, name), h("div", { class: "actions" },
        ...(this.app.isReadOnly ? [] : [
          requestState === "failed" || requestState === "waiting" ? button("Send again", () => void this.send("optimistic.retry", name, libraryId),
            { id: `retry-${index}` }) : null,
          button("Commit", () => void this.commit(name, libraryId), { id: `commit-${index}` }),
          button("Roll back", () => void this.rollBack(name, libraryId), { class: "button danger", id: `rollback-${index}` }),
        ]))),
      h("p", { class: "badges" }, h("span", { class: "badge", "data-state": state }, state),
        requestState === null ? h("span", { class: "muted" }, "sent by the host") : h("span", { class: "badge", "data-state": requestState },
          `request ${requestState}`),
        requestState === null ? null : h("span", { class: "muted" }, plural(number(request, "attempt") ?? 0, "attempt")),
        nextAttempt === null ? null : h("span", { class: "muted" }, `next in ${duration(Math.max(0, nextAttempt - Date.now()))}`),
        h("span", { class: "muted" }, this.age(edit)), h("span", { class: "muted" }, `library ${this.app.facts.libraryName(libraryId)}`),
        dependencies.length === 0 ? null : h("span", { class: "muted" }, `needs ${dependencies.slice(0, 10).map(String).join(", ")}`)),
      failure === null ? null : h("p", { "data-bad": true }, failure),
      ...list(edit, "changes").slice(0, 50).map((change) => this.operation(change, libraryId)));
  }

  private operation(change: Json, libraryId: string): HTMLElement {
    const key = keyOf(change);
    const value = member(change, "fields") ?? member(change, "resource") ?? member(change, "field");
    const unset = list(change, "unset");
    return h("div", { class: "layer" }, button(key, () => this.app.openEntity(libraryId, key), { class: "link" }), " ", h("b", {}, text(change, "op") ?? ""),
      value === undefined ? null : h("code", { class: "operation" }, cut(stringify(value), 600)), unset.length === 0 ? null
      : h("code", { class: "operation" }, `without ${unset.map(String).join(", ")}`));
  }

  private async commit(name: string, libraryId: string): Promise<void> {
    const text = "The cache takes the edit for confirmed by the server, as it is, and shows it until the server says otherwise.";
    const isAgreed = await ask(`Commit ${name}?`, text, "Commit");
    if (isAgreed) await this.send("optimistic.commit", name, libraryId);
  }

  private async rollBack(name: string, libraryId: string): Promise<void> {
    const isAgreed = await ask(`Roll back ${name}?`, "The edit, and every edit that depends on it, is removed. Its request is not sent any more.", "Roll back");
    if (isAgreed) await this.send("optimistic.rollback", name, libraryId);
  }

  private async send(method: string, name: string, libraryId: string): Promise<void> {
    try {
      await this.app.link.call(method, { pending_id: name, library_id: libraryId });
    } catch (error) {
      this.app.tellError(error);
    }
    await this.ask();
  }
}

/** Returns the key of the entity that an operation changes. */
function keyOf(change: Json): string {
  const id = member(change, "id") ?? member(member(change, "resource") ?? null, "id");
  return `${text(change, "resource_type")}:${typeof id === "string" ? id : stringify(id ?? null)}`;
}
