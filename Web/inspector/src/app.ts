import { Facts } from "./link/facts";
import type { PageHistory } from "./link/history";
import type { Link, LinkState } from "./link/link";
import { LinkError } from "./link/link";
import { addressOf, placeAt } from "./model/address";
import type { Json } from "./model/json";
import { afterPause, fill, freshId, h, say, set, show } from "./ui/dom";
import { Frames } from "./ui/frames";
import { AskView } from "./views/ask";
import { EntitiesView } from "./views/entities";
import { LogView } from "./views/log";
import { NowView } from "./views/now";
import { PendingView } from "./views/pending";
import { QuarantineView } from "./views/quarantine";
import { QueriesView } from "./views/queries";
import type { Page } from "./views/page";
import type { View } from "./views/view";
import { ViewsView } from "./views/views";

const STATES: Record<LinkState, string> = {
  connecting: "Connecting …", connected: "Connected", lost: "Connection lost, trying again …", refused: "Not admitted",
};

/** The inspector's page: its tabs, the state of its connection, and what all views share. */
export class App implements Page {
  /** Schedules redraws. */
  readonly frames = new Frames();
  /** The counters of the cache. */
  readonly facts: Facts;
  private readonly views: View[];
  private readonly tabs: HTMLButtonElement[] = [];
  private readonly panels: HTMLElement[] = [];
  private readonly status = h("p", { class: "status", role: "status" });
  private readonly notice = h("p", { class: "notice", role: "alert", hidden: true });
  private readonly readOnlyMark = h("span", { class: "badge", hidden: true }, "read only");
  private readonly entities: EntitiesView;
  private readonly queries: QueriesView;
  private readonly pending: PendingView;
  private readonly log: LogView;
  private current = -1;
  private noticeTimer = 0;

  /** True while an address is being applied: its steps are not added to the history. */
  private isMoving = false;

  /** Builds the page in an element. */
  constructor(readonly root: HTMLElement, readonly link: Link, private readonly history: PageHistory) {
    this.facts = new Facts(link);
    this.entities = new EntitiesView(this);
    this.queries = new QueriesView(this);
    this.pending = new PendingView(this);
    this.log = new LogView(this);
    this.views = [
      new NowView(this), this.entities, this.queries, new ViewsView(this), this.pending, new QuarantineView(this), this.log, new AskView(this),
    ];
    this.build();
    link.onState((state) => this.tellState(state));
    this.tellState(link.state);
    this.facts.onReadOnly = () => show(this.readOnlyMark, true);
    this.facts.start();
    this.log.listen();
    this.follow();
    history.onMove(() => this.follow());
    // The text in a filter is part of the address, but not a step of its own.
    const moved = afterPause(400, () => this.moved(false));
    for (const type of ["input", "change"]) root.addEventListener(type, moved);
  }

  /** Writes the current view into the address, as a new step that Back undoes, or in place of the current one. */
  moved(isStep = true): void {
    if (this.isMoving || this.current < 0) return;
    const view = this.views[this.current];
    this.history.go(addressOf(view.name, view.place), isStep);
  }

  /** Shows the view that the address names. */
  private follow(): void {
    const { index, place } = placeAt(this.history.address, this.views.map(({ name }) => name));
    this.moving(() => {
      this.open(index, false);
      this.views[index].go(place);
    });
  }

  /** Performs `act` as one step of the history, however many views it changes. */
  private moving(act: () => void): void {
    const before = this.isMoving;
    this.isMoving = true;
    act();
    this.isMoving = before;
  }

  private lead(view: View, act: () => void): void {
    this.moving(() => {
      this.open(this.views.indexOf(view), true);
      act();
    });
    this.moved();
  }

  /** Ends the observations of the open view, before the page closes. */
  end(): void { if (this.current >= 0) this.views[this.current].hide(); }

  /** True if the cache can only be read. */
  get isReadOnly(): boolean { return this.facts.isReadOnly; }

  /** Opens the Entities view on an entity. */
  openEntity(library: string, key: string): void {
    this.lead(this.entities, () => this.entities.openEntity(library, key));
  }

  /** Opens the Queries view on a query. */
  openQuery(library: string, method: string, input: string): void {
    this.lead(this.queries, () => this.queries.openQuery(library, method, input));
  }

  /** Opens the Pending edits view on an edit. */
  openPending(pendingId: string): void {
    this.lead(this.pending, () => this.pending.openEdit(pendingId));
  }

  /** Opens the Log view on the event at a sequence. */
  openEvent(library: string, sequence: number): void {
    this.lead(this.log, () => void this.log.openEvent(library, sequence));
  }

  /** Opens the Log view on an event that the cache keeps. */
  openKept(event: Json): void {
    this.lead(this.log, () => this.log.openKept(event));
  }

  /** Shows a one-line message about what was done, or what failed. */
  tell(text: string): void {
    say(this.notice, text);
    show(this.notice, true);
    window.clearTimeout(this.noticeTimer);
    this.noticeTimer = window.setTimeout(() => show(this.notice, false), 8_000);
  }

  /** Shows an error as a one-line message. */
  tellError(error: unknown): void {
    if (error instanceof LinkError && error.code === "read_only") this.facts.becomeReadOnly();
    this.tell(error instanceof Error ? error.message : String(error));
  }

  private build(): void {
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
    this.views.forEach((view, index) => {
      const tabId = freshId("tab");
      const panelId = freshId("panel");
      const tab = h("button", {
        type: "button", role: "tab", id: tabId, "aria-controls": panelId, "aria-selected": "false", tabindex: "-1",
        on: { click: () => this.open(index, false) },
      }, view.name);
      const panel = h("section", { class: "panel", role: "tabpanel", id: panelId, "aria-labelledby": tabId, hidden: true }, view.element);
      this.tabs.push(tab);
      this.panels.push(panel);
      list.append(tab);
    });
    list.addEventListener("keydown", (event) => this.press(event));
    fill(this.root,
      h("header", { class: "top" }, h("h1", {}, "Tidemark"), list, h("div", { class: "top-end" }, this.readOnlyMark, this.status)),
      this.notice, h("main", {}, ...this.panels));
  }

  private press(event: KeyboardEvent): void {
    const count = this.views.length;
    const next: Record<string, number> = { ArrowRight: (this.current + 1) % count, ArrowLeft: (this.current + count - 1) % count, Home: 0, End: count - 1 };
    if (!(event.key in next)) return;
    event.preventDefault();
    this.open(next[event.key], true);
  }

  private open(index: number, movesFocus: boolean): void {
    if (index !== this.current) {
      if (this.current >= 0) {
        this.views[this.current].hide();
        show(this.panels[this.current], false);
      }
      this.current = index;
      if (this.link.state !== "refused") show(this.notice, false);
      this.tabs.forEach((tab, number) => {
        set(tab, "aria-selected", String(number === index));
        set(tab, "tabindex", number === index ? "0" : "-1");
      });
      show(this.panels[index], true);
      this.views[index].show();
      this.moved();
    }
    this.tabs[index].scrollIntoView({ block: "nearest", inline: "nearest" });
    if (movesFocus) this.tabs[index].focus();
  }

  private tellState(state: LinkState): void {
    say(this.status, STATES[state]);
    set(this.status, "data-state", state);
    if (state === "refused") {
      this.tell("The server does not admit this page: open it with the address that `tidemark serve` prints, which ends in #token=…");
      window.clearTimeout(this.noticeTimer);
    }
  }
}
