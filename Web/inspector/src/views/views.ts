import { LinkError } from "../link/link";
import type { Place } from "../model/address";
import type { Json } from "../model/json";
import { JsonObject, list, member, number, parse, stringify, text } from "../model/json";
import { parametersOf } from "../model/why";
import { writtenValue } from "../model/written";
import { button, choose, fill, h, labelled, say, set, setChoices, show } from "../ui/dom";
import { bytes, count, plural } from "../ui/format";
import { jsonView } from "../ui/json-view";
import { WindowedList } from "../ui/windowed";
import { fillRow } from "./entities";
import type { Page } from "./page";
import { RuleBox } from "./rule-box";
import { Split } from "./split";
import type { View } from "./view";
import { ViewExplanation } from "./view-explanation";
import { ViewRows } from "./view-rows";
import type { ViewUse } from "./view-use";

const INTERVAL = 2_000;
/** Maximum length of a rule that is part of an address. */
const RULE_LENGTH_MAX = 8_000;
const NOTHING = new JsonObject([]);

/** What is selected: a defined view, or the rule in the box. */
type Chosen = { readonly name: string; } | "rule" | null;

/** The Views view: the defined views of a library, and one view or a rule with its live rows, plan and explanations. */
export class ViewsView implements View {
  readonly name = "Views";
  isShown = false;
  readonly element: HTMLElement;
  private readonly libraryChoice = h("select");
  private readonly note = h("p", { class: "muted note", role: "status" });
  private readonly list = new WindowedList(44, "Views", "No view is defined in this library.");
  private readonly split: Split;
  private readonly title = h("h2");
  private readonly facts = h("dl", { class: "facts" });
  private readonly rule = h("div");
  private readonly ruleCard = h("section", { class: "card" }, h("h3", {}, "Rule"), this.rule);
  private readonly form = h("div", { class: "form" });
  private readonly formProblem = h("p", { role: "alert", "data-bad": true, hidden: true });
  private readonly formCard: HTMLElement;
  private readonly box: RuleBox;
  private readonly rows: ViewRows;
  private readonly explanation: ViewExplanation;
  private readonly detail: HTMLElement;
  private controls = new Map<string, HTMLInputElement>();
  private views: readonly Json[] = [];
  /** The views of the list on screen. */
  private drawn: readonly Json[] = [];
  private chosen: Chosen = null;
  private wanted: Place | null = null;
  private timer = 0;
  private isAsking = false;
  private drawnRule = "";

  /** Creates the view with nothing chosen. */
  constructor(private readonly app: Page) {
    this.rows = new ViewRows(app);
    this.explanation = new ViewExplanation(app);
    this.box = new RuleBox(() => {
      this.openRule({});
      this.app.moved();
    });
    this.rows.onRow = (row) => this.explanation.showRow(row);
    this.rows.onMove = () => this.app.moved();
    this.rows.onBegun = () => this.explanation.ask();
    this.rows.onRefused = (message) => { if (this.chosen === "rule") this.box.refuse(message); };
    this.explanation.onAsk = () => this.app.moved();
    this.formCard = h("form", {
      class: "card request", "aria-label": "Parameters", on: {
        submit: (event) => {
          event.preventDefault();
          this.use({});
          this.app.moved();
        }
      }
    }, h("h3", {}, "Parameters"), this.form, this.formProblem,
      h("div", { class: "actions" }, h("button", { type: "submit", class: "button main" }, "Show")));
    this.detail = h("article", { class: "viewing" }, this.title, this.facts, this.box.element, this.formCard, this.rows.element, this.explanation.rowCard,
      this.explanation.question, this.explanation.plan, this.ruleCard);
    this.split = new Split([this.note, ...this.list.parts], "Choose a view to see its rows move, or try a rule.", () => {
      this.close();
      this.app.moved();
    });
    this.libraryChoice.addEventListener("change", () => {
      this.close();
      this.split.clear();
      void this.ask();
    });
    this.list.onChoose = (index) => {
      this.open(text(this.drawn[index], "name") ?? "", {});
      this.app.moved();
    };
    const bar = h("form", { class: "bar", "aria-label": "Views", on: { submit: (event) => event.preventDefault() } },
      labelled("Library", this.libraryChoice), button("Try a rule", () => {
        this.openBox();
        this.app.moved();
      }));
    this.element = h("div", { class: "view views" }, bar, this.split.element);
  }

  get place(): Place {
    const library = this.library;
    if (this.wanted !== null) return this.wanted;
    if (this.chosen === null) return { library };
    const written = [...this.controls].filter(([, { value }]) => value !== "").map(([name, { value }]): [string, Json] => [name, value]);
    const rule = this.chosen === "rule" ? this.box.area.value : "";
    return {
      library, ...(this.chosen === "rule" ? { try: "yes", rule: rule.length > RULE_LENGTH_MAX ? "" : rule } : { view: this.chosen.name }),
      params: written.length === 0 ? "" : stringify(new JsonObject(written)), offset: this.rows.offset === 0 ? "" : String(this.rows.offset),
      limit: this.rows.limit === 0 ? "" : String(this.rows.limit), row: this.rows.row, entity: this.explanation.entity.value.trim(),
    };
  }

  go(place: Place): void {
    const { library = "", view, rule = "" } = place;
    choose(this.libraryChoice, library, this.app.facts.libraryName(library));
    this.explanation.entity.value = place.entity ?? "";
    if (view !== undefined) {
      this.wanted = place;
    } else if (place.try !== undefined) {
      this.openBox();
      this.box.area.value = rule;
      if (rule !== "") this.openRule(place);
    } else {
      this.close();
      this.split.clear();
    }
    void this.ask();
  }

  show(): void {
    this.isShown = true;
    this.setLibraries();
    this.timer = window.setInterval(() => void this.ask(), INTERVAL);
    this.rows.isShown = true;
    this.rows.resume();
    void this.ask();
  }

  hide(): void {
    this.isShown = false;
    this.rows.isShown = false;
    window.clearInterval(this.timer);
    this.rows.end();
  }

  private get library(): string { return this.libraryChoice.value; }

  private setLibraries(): void {
    const names = this.app.facts.libraries.map(({ id }) => id);
    if (!names.includes("")) names.unshift("");
    setChoices(this.libraryChoice, names.map((id) => ({ value: id, label: this.app.facts.libraryName(id) })));
  }

  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const { library } = this;
    try {
      const found = list(await this.app.link.call("view.list", { library_id: library }), "views");
      if (library === this.library) this.views = found;
      const { wanted } = this;
      this.wanted = null;
      if (wanted !== null && library === this.library) this.open(wanted.view, wanted);
      else this.wanted = wanted;
    } catch (error) {
      this.refused(error);
    }
    this.isAsking = false;
    this.app.frames.request(this);
    if (library !== this.library) void this.ask();
  }

  private refused(error: unknown): void {
    const code = error instanceof LinkError ? error.code : "";
    if (code !== "-32601" && code !== "read_only") return this.app.tellError(error);
    window.clearInterval(this.timer);
    if (code === "read_only") this.app.facts.becomeReadOnly();
    const readOnly = "A server that only reads answers no views: ask the one that writes the database.";
    this.list.setEmptyText(code === "read_only" ? readOnly : "This cache has no views.");
  }

  draw(): void {
    this.setLibraries();
    say(this.note, plural(this.views.length, "defined view"));
    const { views } = this;
    this.drawn = views;
    this.list.setRows({
      count: views.length, key: (index) => text(views[index], "name") ?? "",
      fill: (element, index) => fillRow(element, text(views[index], "name") ?? "", this.summary(views[index])),
    });
    this.drawFacts();
  }

  private summary(view: Json): string {
    const params = list(view, "params").map(String);
    const rows = number(view, "rows");
    return [
      params.length === 0 ? "" : `with ${params.join(", ")}`, rows === null ? "" : plural(rows, "row"), plural(this.observersOf(view), "observer"),
      bytes(number(view, "bytes")), text(view, "state") ?? "",
    ].filter((part) => part !== "").join(" · ");
  }

  /** Returns the number of observers of a view, without this page. */
  private observersOf(view: Json): number {
    const own = this.rows.isObserving(this.library, text(view, "name") ?? "") ? 1 : 0;
    return Math.max(0, (number(view, "observers") ?? 0) - own);
  }

  // MARK: The chosen view

  private get view(): Json { return typeof this.chosen === "object" ? this.views.find((view) => text(view, "name") === this.chosenName) ?? null : null; }

  private get chosenName(): string { return typeof this.chosen === "object" && this.chosen !== null ? this.chosen.name : ""; }

  private open(name: string, place: Place): void {
    this.rows.close();
    this.chosen = { name };
    this.list.choose(name);
    this.drawnRule = "";
    show(this.box.element, false);
    if (this.view === null) {
      this.app.tell("The view is not defined any more.");
      this.close();
      return this.split.clear();
    }
    this.setForm(list(this.view, "params").map(String), place);
    this.split.fill(this.detail);
    this.drawFacts();
    this.use(place);
  }

  /** Shows the box to write a rule in. */
  private openBox(): void {
    this.close();
    this.chosen = "rule";
    say(this.title, "");
    this.box.clear();
    show(this.box.element, true);
    this.setForm([], {});
    this.showParts(false);
    this.split.fill(this.detail);
  }

  /** Shows the rows of the rule in the box. */
  private openRule(place: Place): void {
    const rule = this.box.read();
    if (rule === null) return this.showParts(false);
    this.setForm(parametersOf(rule), place);
    this.use(place);
  }

  private close(): void {
    this.rows.close();
    this.chosen = null;
    this.list.choose(null);
  }

  private setForm(names: readonly string[], { params }: Place): void {
    const given = params === undefined ? NOTHING : readObject(params);
    const before = this.controls;
    const properties = { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "JSON, or a word" };
    this.controls = new Map(names.map((name) => [name, h("input", properties)]));
    for (const [name, control] of this.controls) control.value = text(given, name) ?? (params === undefined ? before.get(name)?.value : undefined) ?? "";
    fill(this.form, ...[...this.controls].map(([name, control]) => labelled(name, control)));
    show(this.formCard, names.length > 0);
    show(this.formProblem, false);
  }

  /** Observes the chosen view with the parameters of the form; without them if one is missing. */
  private use({ offset, limit, row = "" }: Place): void {
    const members: [string, Json][] = [];
    try {
      for (const [name, { value }] of this.controls) if (value !== "") members.push([name, writtenValue(name, value)]);
    } catch (error) {
      return this.refuse(error instanceof Error ? error.message : String(error));
    }
    const missing = [...this.controls.keys()].filter((name) => !members.some(([given]) => given === name));
    if (missing.length > 0) return this.refuse(`Write ${missing.length === 1 ? "a value" : "values"} for ${missing.join(", ")} to see the rows.`);
    show(this.formProblem, false);
    const rule = this.chosen === "rule" ? this.box.read() : member(this.view, "view") ?? null;
    if (rule === null) return this.showParts(false);
    const use: ViewUse = { library: this.library, view: this.chosen === "rule" ? rule : this.chosenName, rule, params: new JsonObject(members) };
    this.showParts(true);
    this.explanation.open(use);
    this.rows.open(use, whole(offset), whole(limit), row);
  }

  private refuse(message: string): void {
    this.rows.close();
    this.showParts(false);
    say(this.formProblem, message);
    show(this.formProblem, true);
  }

  private showParts(isUsed: boolean): void {
    for (const part of [this.rows.element, this.explanation.question, this.explanation.plan]) show(part, isUsed);
    if (!isUsed) this.explanation.showRow(null);
    show(this.ruleCard, this.chosen !== "rule");
    show(this.facts, this.chosen !== "rule");
    show(this.title, this.chosen !== "rule");
  }

  private drawFacts(): void {
    const { view } = this;
    if (view === null) return;
    say(this.title, this.chosenName);
    const rule = stringify(member(view, "view") ?? null);
    if (rule !== this.drawnRule) {
      // Another rule under the name may have other parameters.
      if (this.drawnRule !== "") this.setForm(list(view, "params").map(String), {});
      this.drawnRule = rule;
      fill(this.rule, jsonView(member(view, "view") ?? null, 4));
    }
    const params = list(view, "params").map(String);
    const rows: [string, string][] = [
      ["Parameters", params.length === 0 ? "none" : params.join(", ")], ["Observers", count(this.observersOf(view))],
      ["Rows", params.length > 0 ? "by parameters" : count(number(view, "rows"))], ["Size", bytes(number(view, "bytes"))],
      ["State", text(view, "state") ?? "–"],
    ];
    fill(this.facts, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    set(this.facts, "data-state", text(view, "state"));
  }
}

function whole(written: string | undefined): number | null { return written !== undefined && /^\d{1,15}$/.test(written) ? Number(written) : null; }

function readObject(written: string): JsonObject {
  try {
    const value = parse(written);
    return value instanceof JsonObject ? value : NOTHING;
  } catch {
    // An address that somebody wrote by hand.
    return NOTHING;
  }
}
