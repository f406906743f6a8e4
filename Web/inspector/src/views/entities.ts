import type { App } from "../app";
import { JsonError, list, parse, stringify, text } from "../model/json";
import type { Json } from "../model/json";
import { afterPause, button, h, labelled, say, set, setChoices } from "../ui/dom";
import { count, cut, library, plural } from "../ui/format";
import { WindowedList } from "../ui/windowed";
import { EntityDetail } from "./entity-detail";
import { Split } from "./split";
import type { View } from "./view";

const PAGE_COUNT = 500;
/** The rows that are kept at most; a search that finds more has to be narrowed. */
const ROW_COUNT_MAX = 100_000;
const SUMMARY_LENGTH = 160;
const OPERATORS = ["eq", "ne", "lt", "lte", "gt", "gte", "prefix", "exists", "in"];

/** Entities by type, key and condition; one of them in detail. */
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
  private keys: string[] = [];
  /** Whether the rows are those of an earlier search. */
  private isNew = false;
  private summaries: string[] = [];
  private next: string | null = null;
  private isLoading = false;
  private search = 0;
  private unfollow: () => void = () => undefined;

  constructor(private readonly app: App) {
    this.detail = new EntityDetail(app);
    this.split = new Split([this.note, ...this.list.parts], "Choose an entity to see what is stored, who wrote it, and where it is shown.", () => {
      this.detail.close();
      this.list.choose(null);
    });
    const search = afterPause(250, () => void this.find());
    for (const input of [this.part, this.field, this.value, this.order]) input.addEventListener("input", search);
    for (const select of [this.typeChoice, this.operator, this.direction]) select.addEventListener("change", search);
    this.operator.addEventListener("change", () => {
      this.value.placeholder = this.operator.value === "in" ? "[1, 2]"
        : this.operator.value === "exists" ? "true" : "\"text\" or 3";
    });
    this.list.onChoose = (index) => this.choose(this.keys[index]);
    this.list.onEnd = () => { if (this.next !== null) void this.load(); };
    const bar = h("form", { class: "bar", role: "search", "aria-label": "Entities", on: { submit: (event) => event.preventDefault() } },
      labelled("Type", this.typeChoice), labelled("Key", this.part),
      h("fieldset", { class: "condition" }, h("legend", {}, "Where"), labelled("Field", this.field), labelled("Test", this.operator),
        labelled("Value", this.value)),
      h("fieldset", { class: "condition order" }, h("legend", {}, "Order"), labelled("Order by", this.order), this.direction),
      button("Search again", () => void this.find()));
    this.element = h("div", { class: "view" }, bar, this.split.element);
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
      label: `${found.type}${found.library === "" ? "" : ` in ${library(found.library)}`} (${count(found.count)})`,
    }));
    const hadNone = this.typeChoice.options.length === 0;
    setChoices(this.typeChoice, choices);
    if (hadNone && choices.length > 0) void this.find();
    this.list.draw();
  }

  openEntity(libraryId: string, key: string): void {
    const type = key.slice(0, key.indexOf(":"));
    const value = JSON.stringify([libraryId, type]);
    if (![...this.typeChoice.options].some((option) => option.value === value)) this.typeChoice.append(h("option", { value }, type));
    if (this.typeChoice.value !== value) {
      this.typeChoice.value = value;
      void this.find();
    }
    this.choose(key);
    this.list.choose(key);
  }

  private choose(key: string): void {
    const [libraryId] = this.scope;
    this.split.fill(this.detail.element);
    this.detail.open(libraryId, key);
  }

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
    await this.load();
  }

  /** The params of the search; a text that says why there are none. */
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
        // Most people mean a string when they write a word.
        if (!(error instanceof JsonError)) throw error;
        value = this.value.value;
      }
      params.where = { path: this.field.value, [this.operator.value]: value };
    }
    if (this.order.value.startsWith("/")) params.order = [{ path: this.order.value, direction: this.direction.value }];
    return params;
  }

  private async load(): Promise<void> {
    if (this.isLoading || !this.isNew && this.keys.length >= ROW_COUNT_MAX) return;
    const params = this.params();
    if (typeof params === "string") return this.tell(params, true);
    this.isLoading = true;
    const search = this.search;
    try {
      const page = await this.app.link.call("entity.find", this.next === null ? params : { ...params, after: this.next });
      if (search !== this.search) return;
      this.beginAnew();
      const entities = list(page, "entities");
      list(page, "keys").forEach((key, index) => {
        this.keys.push(String(key));
        this.summaries.push(cut(stringify(entities[index]), SUMMARY_LENGTH));
      });
      this.next = text(page, "next");
      const more = this.next === null ? "" : this.keys.length >= ROW_COUNT_MAX ? ", and more: narrow the search" : " so far";
      this.tell(plural(this.keys.length, "entity", "entities") + more, false);
    } catch (error) {
      if (search !== this.search) return;
      this.beginAnew();
      this.tell(error instanceof Error ? error.message : String(error), true);
    }
    this.isLoading = false;
    this.list.setEmptyText(this.typeChoice.value === "" ? "No entity is known yet." : "No entity matches.");
    this.list.setRows({
      count: this.keys.length, key: (index) => this.keys[index],
      fill: (element, index) => fillRow(element, this.keys[index], this.summaries[index]),
    });
  }

  /** Drops the rows of the last search. They stay until there are others, so that whoever clicks meets what is shown. */
  private beginAnew(): void {
    if (!this.isNew) return;
    this.isNew = false;
    this.keys = [];
    this.summaries = [];
    this.list.scrollToStart();
  }

  private tell(note: string, isError: boolean): void {
    say(this.note, note);
    set(this.note, "data-bad", isError);
  }
}

/** Fills a row of two lines: a name, and what is known of it. */
export function fillRow(element: HTMLElement, title: string, summary: string): void {
  if (element.childElementCount !== 2) element.replaceChildren(h("span", { class: "title" }), h("span", { class: "summary" }));
  say(element.children[0], title);
  say(element.children[1], summary);
}
