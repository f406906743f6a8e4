import { LinkError } from "../link/link";
import type { Json } from "../model/json";
import { flag, isEqual, list, number, text } from "../model/json";
import type { ViewRow } from "../model/patch";
import type { SentencePart } from "../model/why";
import { rowName, rowsOf, whyNot } from "../model/why";
import { button, fill, h, labelled, say, show } from "../ui/dom";
import { bytes, count } from "../ui/format";
import { jsonView } from "../ui/json-view";
import type { Page } from "./page";
import { paramsOf } from "./view-use";
import type { ViewUse } from "./view-use";

/** Maximum number of rows that are named for an entity. */
const ROW_COUNT_MAX = 50;

/** How a view is answered, which entities it lacks, who is behind a row, and why an entity is in it or not. */
export class ViewExplanation {
  /** The card of the question about an entity. */
  readonly question: HTMLElement;
  /** The card of the selected row; hidden without one. */
  readonly rowCard: HTMLElement;
  /** The card of the plan and of the missing entities. */
  readonly plan: HTMLElement;
  /** The control with the key of the entity that is asked for. */
  readonly entity = h("input", { type: "text", placeholder: "type:id", spellcheck: "false", autocomplete: "off" });
  /** Called when the user asks about an entity. */
  onAsk: () => void = () => undefined;
  private readonly answer = h("div", { "aria-live": "polite" });
  private readonly steps = h("tbody");
  private readonly missing = h("div");
  private readonly value = h("div");
  private readonly behind = h("ul", { class: "plain" });
  private readonly rowTitle = h("h3");
  private use: ViewUse | null = null;
  private row: ViewRow | null = null;
  private drawnRow: Json = null;
  private askedRow: Json = null;
  /** The number of the newest request for the plan: an older answer is not shown. */
  private planNumber = 0;

  /** Creates the cards, without content. */
  constructor(private readonly app: Page) {
    this.question = h("section", { class: "card" }, h("h3", {}, "Why is an entity in it, or not?"),
      h("form", {
        class: "why", "aria-label": "Why", on: {
          submit: (event) => {
            event.preventDefault();
            this.onAsk();
            void this.askEntity();
          }
        }
      }, labelled("Entity", this.entity), h("button", { type: "submit", class: "button main" }, "Explain")), this.answer);
    this.rowCard = h("section", { class: "card", hidden: true }, this.rowTitle, this.value, h("h4", {}, "Entities behind it"), this.behind);
    this.plan = h("section", { class: "card" },
      h("div", { class: "card-head" }, h("h3", {}, "Plan"), button("Count again", () => void this.askPlan(), { class: "button small" })),
      h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Plan" }, h("table", {}, h("thead", {},
        h("tr", {}, ...["Step", "Source", "Found by", "Rows", "Bytes"].map((name) => h("th", { scope: "col" }, name)))), this.steps)),
      this.missing);
  }

  /** Explains another use of a view. */
  open(use: ViewUse): void {
    this.use = use;
    fill(this.steps);
    fill(this.missing);
    fill(this.answer);
    this.showRow(null);
  }

  /** Requests the plan, and the answer about the entity in the box. */
  ask(): void {
    void this.askPlan();
    if (this.entity.value.trim() !== "") void this.askEntity();
  }

  private async explain(params: object): Promise<Json | null> {
    const { use } = this;
    if (use === null) return null;
    const result = await this.app.link.call("view.explain", { ...paramsOf(use), ...params });
    return use === this.use ? result : null;
  }

  private async askPlan(): Promise<void> {
    this.planNumber += 1;
    const own = this.planNumber;
    try {
      const result = await this.explain({});
      if (result !== null && own === this.planNumber) this.drawPlan(result);
    } catch (error) {
      this.app.tellError(error);
    }
  }

  private drawPlan(result: Json): void {
    fill(this.steps, ...list(result, "plan").map((step) => h("tr", {}, h("th", { scope: "row" }, text(step, "op") ?? ""),
      h("td", {}, text(step, "source") ?? "–"), h("td", {}, text(step, "index") ?? "–"),
      h("td", { class: "digits" }, count(number(step, "rows"))), h("td", { class: "digits" }, bytes(number(step, "bytes"))))));
    const missing = list(result, "missing");
    if (missing.length === 0) return fill(this.missing);
    fill(this.missing, h("h4", {}, missing.length < 100 ? "Missing: asked for, and not in the cache" : "Missing: the first hundred that are not in the cache"),
      h("ul", { class: "plain" }, ...missing.map((key) => h("li", {}, this.link(String(key))))));
  }

  private async askEntity(): Promise<void> {
    const key = this.entity.value.trim();
    const mark = key.indexOf(":");
    if (mark < 1 || mark === key.length - 1) return fill(this.answer, h("p", { "data-bad": true }, "Write the entity's key: its type, a colon and its id."));
    try {
      const result = await this.explain({ entity: { resource_type: key.slice(0, mark), id: key.slice(mark + 1) } });
      if (result === null || this.entity.value.trim() !== key) return;
      this.drawPlan(result);
      fill(this.answer, ...flag(result, "in") ? this.found(key, rowsOf(result)) : [this.sentence(whyNot(key, result))]);
    } catch (error) {
      fill(this.answer, h("p", { "data-bad": true }, error instanceof Error ? error.message : String(error)));
    }
  }

  private found(key: string, rows: readonly Json[]): HTMLElement[] {
    const named = rows.slice(0, ROW_COUNT_MAX);
    return [
      this.sentence([{ key }, ` is in ${rows.length === 1 ? "one row" : `${count(rows.length)} rows`}:`]),
      h("ul", { class: "plain" }, ...named.map((row) => h("li", {}, rowName(row)))),
      ...rows.length > named.length ? [h("p", { class: "muted" }, `and ${count(rows.length - named.length)} more`)] : [],
    ];
  }

  private sentence(parts: readonly SentencePart[]): HTMLElement {
    return h("p", { class: "reason" }, ...parts.map((part) => typeof part === "string" ? part
      : "key" in part ? this.link(part.key) : h("code", {}, part.value)));
  }

  private link(key: string): HTMLElement {
    return button(key, () => this.app.openEntity(this.use?.library ?? "", key), { class: "link" });
  }

  // MARK: The selected row

  /** Shows a row and the entities behind it; null shows none. */
  showRow(row: ViewRow | null): void {
    show(this.rowCard, row !== null);
    this.row = row;
    if (row === null) {
      this.drawnRow = null;
      this.askedRow = null;
      return;
    }
    say(this.rowTitle, rowName(row.key));
    if (!isEqual(this.drawnRow ?? undefined, row.value)) fill(this.value, jsonView(row.value));
    this.drawnRow = row.value;
    if (isEqual(this.askedRow ?? undefined, row.key)) return;
    this.askedRow = row.key;
    fill(this.behind);
    void this.askRow(row.key);
  }

  private async askRow(key: Json): Promise<void> {
    try {
      const result = await this.explain({ row: key });
      if (result === null || this.row === null || !isEqual(this.row.key, key)) return;
      fill(this.behind, ...list(result, "entities").map((entity) => {
        const sequence = number(entity, "sequence");
        const wrote = sequence === null ? "written without a sequence"
          : button(`sequence ${sequence}`, () => this.app.openEvent(this.use?.library ?? "", sequence), { class: "link" });
        return h("li", {}, this.link(text(entity, "key") ?? ""), " ", wrote);
      }));
    } catch (error) {
      if (!(error instanceof LinkError) || error.code !== "not_found") return this.app.tellError(error);
      fill(this.behind, h("li", { class: "muted" }, "Only rows of the rule's own window are explained, and this one is outside it."));
    }
  }
}
