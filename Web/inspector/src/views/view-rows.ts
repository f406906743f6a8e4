import type { Observation } from "../link/link";
import type { Json } from "../model/json";
import { flag, list, number, stringify, text } from "../model/json";
import { patchRows } from "../model/patch";
import type { ViewRow } from "../model/patch";
import { rowName } from "../model/why";
import { button, choose, h, labelled, say, set, setChoices } from "../ui/dom";
import { count, cut, plural } from "../ui/format";
import { WindowedList } from "../ui/windowed";
import { fillRow } from "./entities";
import type { Page } from "./page";
import { firstLimit, paramsOf } from "./view-use";
import type { ViewUse } from "./view-use";

/** How long a changed row is marked, in milliseconds. */
const MARK_TIME = 1_000;
const LIMITS = [20, 100, 1_000];
const ENDED: Record<string, string> = {
  dropped: "The view was dropped.", redefined: "The view was defined anew, with other parameters.",
  limit_exceeded: "The result became too large.",
};

/** The rows of a view, live, and the window of them that is observed. */
export class ViewRows {
  /** The element with the rows. */
  readonly element: HTMLElement;
  /** Called when the user selects a row, and when the selected row changes. */
  onRow: (row: ViewRow | null) => void = () => undefined;
  /** Called when the user moves the window. */
  onMove: () => void = () => undefined;
  /** Called when the observation begins. */
  onBegun: () => void = () => undefined;
  /** Called with the message if the cache refuses to observe the view. */
  onRefused: (message: string) => void = () => undefined;
  /** The number of rows before the window. */
  offset = 0;
  /** The number of rows in the window. */
  limit = 0;
  isShown = false;
  private readonly note = h("p", { class: "muted", role: "status" });
  private readonly list = new WindowedList(44, "Rows of the view", "The view has no rows.");
  private readonly earlier = button("Earlier", () => this.step(-1));
  private readonly later = button("Later", () => this.step(1));
  private readonly size = h("select");
  private rows: ViewRow[] = [];
  /** The rows of the list on screen, which may be scrolled and clicked before it is drawn again. */
  private drawn: readonly ViewRow[] = [];
  private use: ViewUse | null = null;
  private observation: Observation | null = null;
  private subscription: number | null = null;
  private facts: Json = null;
  private ended = "";
  /** The key of the selected row as JSON; empty for none. */
  private chosen = "";

  /** Creates the element without rows. */
  constructor(private readonly app: Page) {
    this.list.onChoose = (index) => this.choose(stringify(this.drawn[index].key));
    this.size.addEventListener("change", () => {
      this.limit = Number(this.size.value);
      this.move();
    });
    this.element = h("section", { class: "card live", "aria-label": "Rows" },
      h("div", { class: "card-head" }, h("h3", {}, "Rows, live"),
        h("div", { class: "actions" }, labelled("Rows at once", this.size), this.earlier, this.later)),
      this.note, ...this.list.parts);
  }

  /** The key of the selected row as JSON; empty for none. */
  get row(): string { return this.chosen; }

  /** True if this page observes the view under its name, so that `view.list` counts it. */
  isObserving(library: string, name: string): boolean {
    return this.subscription !== null && this.use !== null && this.use.library === library && this.use.view === name;
  }

  /** Observes a use of a view. `offset` and `limit` are null for those of the rule; `row` is the key of a row. */
  open(use: ViewUse, offset: number | null, limit: number | null, row: string): void {
    this.end();
    this.use = use;
    this.offset = offset ?? number(use.rule, "offset") ?? 0;
    this.limit = limit ?? firstLimit(use.rule);
    this.chosen = row;
    this.rows = [];
    this.facts = null;
    this.ended = "";
    const sizes = [...new Set([...LIMITS, firstLimit(use.rule)])].sort((left, right) => left - right);
    setChoices(this.size, sizes.map((size) => ({ value: String(size), label: count(size) })));
    choose(this.size, String(this.limit), count(this.limit));
    this.list.choose(row === "" ? null : row);
    say(this.note, "It is asked for …");
    this.draw();
    this.observe();
  }

  /** Ends the observation, and keeps what it observed for `resume`. */
  end(): void {
    this.observation?.end();
    this.observation = null;
    this.subscription = null;
  }

  /** Forgets the view. */
  close(): void {
    this.end();
    this.use = null;
    this.chosen = "";
  }

  /** Observes again what `end` ended. */
  resume(): void { if (this.use !== null && this.observation === null && this.ended === "") this.observe(); }

  private choose(row: string): void {
    this.chosen = row;
    this.tellRow();
    this.onMove();
  }

  private tellRow(): void { this.onRow(this.rows.find(({ key }) => stringify(key) === this.chosen) ?? null); }

  // MARK: Observing

  private get params(): object { return { ...paramsOf(this.use as ViewUse), offset: this.offset, limit: this.limit, keys: true }; }

  private observe(): void {
    const asked = { offset: this.offset, limit: this.limit };
    this.observation = this.app.link.observe("view.observe", this.params, {
      begun: (result) => {
        this.subscription = number(result, "subscription");
        this.take(result, 0);
        this.tellRow();
        this.onBegun();
        // The window was moved before the answer, or before the connection was lost.
        if (this.offset !== asked.offset || this.limit !== asked.limit) this.move(false);
      },
      told: (method, told) => {
        if (method === "view.ended") return this.fail(ENDED[text(told, "reason") ?? ""] ?? "The observation ended.");
        const now = performance.now();
        const changedCount = patchRows(this.rows, list(told, "patch"), list(told, "keys"), now);
        this.facts = told;
        if (changedCount > 0) window.setTimeout(() => this.app.frames.request(this), MARK_TIME + 20);
        if (changedCount > 0 && this.chosen !== "") this.tellRow();
        this.app.frames.request(this);
      },
      failed: (error) => {
        this.onRefused(error.message);
        this.fail(error.message);
      },
    });
  }

  private fail(message: string): void {
    this.ended = message;
    this.end();
    this.app.frames.request(this);
  }

  private take(result: Json, now: number): void {
    const keys = list(result, "keys");
    const before = new Map(this.rows.map((row) => [stringify(row.key), row]));
    this.rows = list(result, "rows").map((value, index): ViewRow => {
      const old = before.get(stringify(keys[index] ?? null));
      const isSame = old !== undefined && stringify(old.value) === stringify(value);
      return { value, key: keys[index] ?? null, changedAt: isSame ? old.changedAt : now };
    });
    this.facts = result;
    this.app.frames.request(this);
  }

  // MARK: The window

  private step(direction: number): void {
    this.offset = Math.max(0, this.offset + direction * this.limit);
    this.list.scrollToStart();
    this.move();
  }

  private move(isStep = true): void {
    if (isStep) this.onMove();
    this.draw();
    if (this.subscription === null) return;
    this.app.link.call("view.move", { subscription: this.subscription, offset: this.offset, limit: this.limit })
      .catch((error: unknown) => this.app.tellError(error));
  }

  draw(): void {
    const { facts, offset, limit, ended } = this;
    const [total, missing] = [number(facts, "total"), number(facts, "missing") ?? 0];
    if (ended !== "") say(this.note, ended);
    else if (facts !== null) {
      say(this.note, [
        this.rows.length === 0 ? "no rows here" : `rows ${count(offset + 1)} to ${count(offset + this.rows.length)}`,
        total === null ? "" : `${count(total)} in all`,
        `as of sequence ${number(facts, "as_of") ?? "–"}`, missing === 0 ? "" : `${plural(missing, "entity", "entities")} missing`,
        flag(facts, "stale") ? "stale" : "", flag(facts, "pending") ? "with pending edits" : "",
      ].filter((part) => part !== "").join(" · "));
    }
    set(this.note, "data-bad", ended !== "");
    this.earlier.disabled = offset === 0 || ended !== "";
    this.later.disabled = this.rows.length < limit || ended !== "" || (total !== null && offset + this.rows.length >= total);
    const now = performance.now();
    const rows = [...this.rows];
    this.drawn = rows;
    this.list.setRows({
      count: rows.length, key: (index) => stringify(rows[index].key),
      fill: (element, index) => {
        const row = rows[index];
        fillRow(element, rowName(row.key), cut(stringify(row.value), 300));
        set(element, "data-changed", row.changedAt > 0 && now - row.changedAt < MARK_TIME);
      },
    });
  }
}
