import type { Place } from "../model/address";
import { JsonError, list, member, parse, stringify, text } from "../model/json";
import type { Json } from "../model/json";
import type { Row } from "../model/rows";
import { renewed } from "../model/rows";
import { afterPause, button, choose, h, labelled, say, set, setChoices } from "../ui/dom";
import { count, cut, plural } from "../ui/format";
import { WindowedList } from "../ui/windowed";
import { EntityDetail } from "./entity-detail";
import type { Page } from "./page";
import { Split } from "./split";
import type { View } from "./view";

const PAGE_COUNT = 500;
/** Maximum number of rows; a search that finds more must be narrowed. */
const ROW_COUNT_MAX = 100_000;
const SUMMARY_LENGTH = 160;
/** Maximum number of libraries that are searched for a whole key. */
const LOOKUP_COUNT_MAX = 50;
/** How long a changed row is marked, in milliseconds. */
const MARK_TIME = 1_000;
const OPERATORS = ["eq", "ne", "lt", "lte", "gt", "gte", "prefix", "exists", "in"];

/** The Entities view: entities by type, key and condition, and one of them in detail. */
export class EntitiesView implements View {
  readonly name = "Entities";
  isShown = false;
  readonly element: HTMLElement;
  private readonly typeChoice = h("select");
  private readonly part = h("input", { type: "search", placeholder: "part of a key", spellcheck: "false", autocomplete: "off" });
  private readonly field = h("input", { type: "text", placeholder: "/name", spellcheck: "false", autocomplete: "off" });
  private readonly operator = h("select", {}, ...OPERATORS.map((name) => h("option", { value: name }, name)));
  private readonly value = h("input", { type: "text", placeholder: "\"text\" or 3", spellcheck: "false", autocomplete: "off" });
  private readonly order = h("input", { type: "text", placeholder: "/name", spellcheck: "false", autocomplete: "off" });
  private readonly direction = h("select", { "aria-label": "Direction" }, h("option", { value: "asc" }, "rising"), h("option", { value: "desc" }, "falling"));
  private readonly list = new WindowedList(44, "Entities", "No entity is known yet.");
  private readonly note = h("p", { class: "muted note", role: "status" });
  private readonly split: Split;
  private readonly detail: EntityDetail;
  private rows: Row[] = [];
  /** The entities whose key is exactly the entered text, in any type and library. */
  private exact: Row[] = [];
  /** True while the rows are those of an earlier search. */
  private isNew = false;
  private next: string | null = null;
  /** The counters of the cache when the rows were read; the rows are read again when these change. */
  private readAt = "";
  private readonly renewal = { isRunning: false, notBefore: 0 };
  private isLoading = false;
  private search = 0;
  private unfollow: () => void = () => undefined;

  /** Creates the view with nothing chosen. */
  constructor(private readonly app: Page) {
    this.detail = new EntityDetail(app);
    this.split = new Split([this.note, ...this.list.parts], "Choose an entity to see what is stored, who wrote it, and where it is shown.", () => {
      this.detail.close();
      this.list.choose(null);
      this.app.moved();
    });
    const search = afterPause(250, () => void this.find());
    for (const input of [this.part, this.field, this.value, this.order]) input.addEventListener("input", search);
    for (const select of [this.typeChoice, this.operator, this.direction]) select.addEventListener("change", search);
    this.operator.addEventListener("change", () => {
      this.value.placeholder = this.operator.value === "in" ? "[1, 2]"
        : this.operator.value === "exists" ? "true" : "\"text\" or 3";
    });
    this.list.onChoose = (index) => this.choose(this.shown(index));
    this.list.onEnd = () => { if (this.next !== null) void this.load(); };
    const bar = h("form", { class: "bar", role: "search", "aria-label": "Entities", on: { submit: (event) => event.preventDefault() } },
      labelled("Type", this.typeChoice), labelled("Key", this.part),
      h("fieldset", { class: "condition" }, h("legend", {}, "Where"), labelled("Field", this.field), labelled("Test", this.operator),
        labelled("Value", this.value)),
      h("fieldset", { class: "condition order" }, h("legend", {}, "Order"), labelled("Order by", this.order), this.direction),
      button("Search again", () => void this.find()));
    this.element = h("div", { class: "view" }, bar, this.split.element);
  }

  get place(): Place {
    const [library, type] = this.typeChoice.value === "" ? ["", ""] : this.scope;
    const { place } = this.detail;
    return {
      type, library, find: this.part.value, field: this.field.value, test: this.value.value === "" ? "" : this.operator.value, value: this.value.value,
      order: this.order.value, direction: this.order.value === "" ? "" : this.direction.value, key: place?.key ?? "", in: place?.library ?? "",
    };
  }

  go({ type, library = "", find = "", field = "", test = "eq", value = "", order = "", direction = "asc", key, in: home = "" }: Place): void {
    if (type !== undefined) choose(this.typeChoice, JSON.stringify([library, type]), type);
    [this.part.value, this.field.value, this.operator.value, this.value.value, this.order.value, this.direction.value] =
      [find, field, test, value, order, direction];
    if (this.typeChoice.value !== "") void this.find();
    if (key !== undefined) return this.openEntity(home, key);
    this.detail.close();
    this.list.choose(null);
    this.split.clear();
  }

  show(): void {
    this.isShown = true;
    this.unfollow = this.app.facts.follow(() => this.app.frames.request(this), true);
    this.detail.resume();
    this.draw();
  }

  hide(): void {
    this.isShown = false;
    this.unfollow();
    this.detail.pause();
  }

  draw(): void {
    const choices = this.app.facts.types.map((found) => ({
      value: JSON.stringify([found.library, found.type]),
      label: `${found.type}${found.library === "" ? "" : ` in ${this.app.facts.libraryName(found.library)}`} (${count(found.count)})`,
    }));
    const hadNone = this.typeChoice.options.length === 0;
    setChoices(this.typeChoice, choices);
    if (hadNone && choices.length > 0) void this.find();
    this.list.draw();
    void this.renew();
  }

  /** Selects an entity, whether or not the search finds it. */
  openEntity(libraryId: string, key: string): void {
    this.choose({ library: libraryId, key });
    this.list.choose(rowName({ library: libraryId, key }));
  }

  private choose({ library, key }: { library: string; key: string; }): void {
    this.split.fill(this.detail.element);
    this.detail.open(library, key);
    this.app.moved();
  }

  private shown(index: number): Row { return index < this.exact.length ? this.exact[index] : this.rows[index - this.exact.length]; }

  private get scope(): [string, string] {
    if (this.typeChoice.value === "") return ["", ""];
    const scope = parse(this.typeChoice.value);
    return Array.isArray(scope) ? [String(scope[0]), String(scope[1])] : ["", ""];
  }

  // MARK: Searching

  private async find(): Promise<void> {
    this.search += 1;
    this.isLoading = false;
    this.isNew = true;
    this.next = null;
    void this.findExact();
    await this.load();
  }

  /** Finds an entity whose whole key was entered. */
  private async findExact(): Promise<void> {
    const { search } = this;
    const key = this.part.value.trim();
    const [, type, id] = /^([A-Za-z0-9_.-]{1,128}):(.+)$/s.exec(key) ?? [];
    const { facts } = this.app;
    const named = facts.types.filter((found) => found.type === type).map((found) => found.library);
    const libraries = type === undefined ? [] : [...new Set(named.length > 0 ? named : facts.libraries.map((found) => found.id))].slice(0, LOOKUP_COUNT_MAX);
    const found = await Promise.all(libraries.map(async (library): Promise<Row | null> => {
      try {
        const base = await this.app.link.call("entity.get", { library_id: library, resource_type: type, id, base: true });
        const entity = member(base, "entity") ?? null;
        const isKnown = entity !== null || text(base, "miss") !== "absent" || list(base, "layers").length > 0;
        return isKnown ? { library, key, changedAt: 0, summary: entity === null ? text(base, "miss") ?? "" : cut(stringify(entity), SUMMARY_LENGTH) } : null;
      } catch {
        // Text that is not a key finds nothing.
        return null;
      }
    }));
    if (search !== this.search) return;
    this.exact = found.filter((row): row is Row => row !== null);
    this.setRows();
  }

  /** Returns the params of the search, or a text that says why there are none. */
  private params(): object | string {
    const [libraryId, type] = this.scope;
    if (type === "") return "";
    const params: Record<string, unknown> = { library_id: libraryId, resource_type: type, limit: PAGE_COUNT };
    if (this.part.value !== "") params.matching = this.part.value;
    if (this.field.value !== "" && this.value.value !== "") {
      if (!this.field.value.startsWith("/")) return "A field is a JSON Pointer: begin it with a slash, as in /name.";
      let value: Json;
      try {
        value = parse(this.value.value);
      } catch (error) {
        // A plain word is meant as a string.
        if (!(error instanceof JsonError)) throw error;
        value = this.value.value;
      }
      params.where = { path: this.field.value, [this.operator.value]: value };
    }
    if (this.order.value.startsWith("/")) params.order = [{ path: this.order.value, direction: this.direction.value }];
    return params;
  }

  private async load(): Promise<void> {
    if (this.isLoading || !this.isNew && this.rows.length >= ROW_COUNT_MAX) return;
    const params = this.params();
    if (typeof params === "string") return this.tell(params, true);
    this.isLoading = true;
    const search = this.search;
    this.readAt = this.counts();
    try {
      const page = await this.app.link.call("entity.find", this.next === null ? params : { ...params, after: this.next });
      if (search !== this.search) return;
      this.beginAnew();
      this.rows.push(...this.rowsOf(page));
      this.next = text(page, "next");
      this.tellCount();
    } catch (error) {
      if (search !== this.search) return;
      this.beginAnew();
      this.tell(error instanceof Error ? error.message : String(error), true);
    }
    this.isLoading = false;
    this.setRows();
  }

  private rowsOf(page: Json): Row[] {
    const [library] = this.scope;
    const entities = list(page, "entities");
    return list(page, "keys").map((key, index) => ({ library, key: String(key), summary: cut(stringify(entities[index]), SUMMARY_LENGTH), changedAt: 0 }));
  }

  private tellCount(): void {
    const more = this.next === null ? "" : this.rows.length >= ROW_COUNT_MAX ? ", and more: narrow the search" : " so far";
    this.tell(plural(this.rows.length, "entity", "entities") + more, false);
  }

  private setRows(): void {
    const found = new Set(this.rows.map(rowName));
    this.exact = this.exact.filter((row) => !found.has(rowName(row)));
    this.list.setEmptyText(this.typeChoice.value === "" ? "No entity is known yet." : "No entity matches.");
    const [library, type] = this.scope;
    const now = performance.now();
    this.list.setRows({
      count: this.exact.length + this.rows.length, key: (index) => rowName(this.shown(index)),
      fill: (element, index) => {
        const row = this.shown(index);
        const isElsewhere = row.library !== library || !row.key.startsWith(`${type}:`);
        fillRow(element, row.key, isElsewhere && index < this.exact.length ? `in ${this.app.facts.libraryName(row.library)} · ${row.summary}` : row.summary);
        set(element, "data-changed", row.changedAt > 0 && now - row.changedAt < MARK_TIME);
      },
    });
  }

  /**
   * Drops the rows of the last search. They stay until there are new ones, so that a click meets the row that is shown.
   */
  private beginAnew(): void {
    if (!this.isNew) return;
    this.isNew = false;
    this.rows = [];
    this.list.scrollToStart();
  }

  // MARK: Following

  /** Returns the counters that change with every write. */
  private counts(): string {
    const { stats } = this.app.facts;
    return ["entities", "pending", "stored_bytes", "evictions", "events", "reconciled"].map((name) => stringify(member(stats, name) ?? null)).join();
  }

  /**
   * Reads the visible rows again if the cache has changed since they were read. Slow searches are repeated less often,
   * so that they take at most a tenth of the time.
   */
  private async renew(): Promise<void> {
    const params = this.params();
    const start = performance.now();
    if (this.renewal.isRunning || this.isLoading || this.isNew || typeof params === "string" || start < this.renewal.notBefore) return;
    const counts = this.counts();
    if (counts === this.readAt) return;
    this.renewal.isRunning = true;
    const { search } = this;
    const { first, last } = this.list.window;
    const from = Math.max(0, first - this.exact.length);
    const after = from === 0 ? undefined : this.rows[from - 1]?.key;
    try {
      const page = await this.app.link.call("entity.find", { ...params, after, limit: Math.min(1_000, Math.max(PAGE_COUNT, last - first)) });
      if (search === this.search && !this.isLoading) {
        const next = text(page, "next");
        const top = this.list.element.scrollTop;
        const { rows, hasRest } = renewed(this.rows, from, this.rowsOf(page), next === null, performance.now());
        this.rows = rows;
        if (!hasRest) this.next = next;
        this.readAt = counts;
        this.tellCount();
        this.setRows();
        this.list.element.scrollTop = top;
        window.setTimeout(() => { if (this.isShown) this.setRows(); }, MARK_TIME + 20);
      }
    } catch {
      // The entity before the rows no longer exists: the rows are read from the start.
      if (search === this.search && after !== undefined) void this.find();
    }
    this.renewal.notBefore = performance.now() + Math.max(500, 10 * (performance.now() - start));
    this.renewal.isRunning = false;
  }

  private tell(note: string, isError: boolean): void {
    say(this.note, note);
    set(this.note, "data-bad", isError);
  }
}

function rowName({ library, key }: { library: string; key: string; }): string { return `${library} ${key}`; }

/** Fills a row with two lines: a title and a summary. */
export function fillRow(element: HTMLElement, title: string, summary: string): void {
  if (element.childElementCount !== 2) element.replaceChildren(h("span", { class: "title" }), h("span", { class: "summary" }));
  say(element.children[0], title);
  say(element.children[1], summary);
}
