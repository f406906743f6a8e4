import { LinkError } from "../link/link";
import type { Json } from "../model/json";
import { flag, list, member, number, parse, stringify, text } from "../model/json";
import { fill, h, labelled, say, setChoices, show } from "../ui/dom";
import { bytes, count } from "../ui/format";
import { jsonView } from "../ui/json-view";
import type { Page } from "./page";

const TITLES = ["Scope", "Clients", "In use", "Entities", "Lines", "Bytes", "Waiting", "Lag"];

/** The scopes of a server: clients, entities, lines and lag, and whether the holder of a token sees an entity. */
export class ScopesCard {
  /** The element of the card. */
  readonly element: HTMLElement;
  private readonly rows = h("tbody");
  private readonly scope = h("select");
  private readonly claims = h("input", { type: "text", value: "{\"sub\":\"\"}", spellcheck: "false", autocomplete: "off" });
  private readonly params = h("input", { type: "text", value: "{}", spellcheck: "false", autocomplete: "off" });
  private readonly entity = h("input", { type: "text", placeholder: "type:id", spellcheck: "false", autocomplete: "off" });
  private readonly answer = h("div", { "aria-live": "polite" });

  /** Creates the card, which is hidden. */
  constructor(private readonly app: Page) {
    this.element = h("section", { class: "card wide scopes", hidden: true }, h("h2", {}, "Scopes"),
      h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Scopes" },
        h("table", {}, h("thead", {}, h("tr", {}, ...TITLES.map((title) => h("th", { scope: "col" }, title)))), this.rows)),
      h("form", {
        class: "why", "aria-label": "Who sees what", on: {
          submit: (event) => {
            event.preventDefault();
            void this.explain();
          }
        }
      }, labelled("Scope", this.scope), labelled("Claims", this.claims), labelled("Parameters", this.params), labelled("Entity", this.entity),
        h("button", { type: "submit", class: "button main" }, "Explain")), this.answer);
  }

  /** Requests and shows the numbers of a server that has scopes. */
  async ask(): Promise<void> {
    const answer = await this.app.link.get("/scopes");
    if (answer !== null) this.draw(list(parse(answer), "scopes"));
  }

  private draw(scopes: readonly Json[]): void {
    show(this.element, true);
    while (this.rows.childElementCount > scopes.length) this.rows.lastElementChild?.remove();
    scopes.forEach((scope, index) => {
      const row = this.rows.children[index]
        ?? this.rows.appendChild(h("tr", {}, h("th", { scope: "row" }), ...TITLES.slice(1).map(() => h("td", { class: "digits" }))));
      const cells = [
        text(scope, "name") ?? "", ...["clients", "instances", "entities", "lines"].map((name) => count(number(scope, name))),
        bytes(number(scope, "bytes")), bytes(number(scope, "waiting_bytes")), count(number(scope, "lag")),
      ];
      cells.forEach((cell, place) => say(row.children[place], cell));
    });
    setChoices(this.scope, scopes.map((scope) => ({ value: text(scope, "name") ?? "", label: text(scope, "name") ?? "" })));
  }

  private async explain(): Promise<void> {
    const asked = { scope: this.scope.value, entity: this.entity.value.trim(), claims: this.claims.value, params: this.params.value };
    const query = Object.entries(asked).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    try {
      const file = await this.app.link.download?.(`/scopes?${query}`);
      if (file !== undefined) this.tell(parse(await file.text()));
    } catch (error) {
      fill(this.answer, h("p", { "data-bad": true }, error instanceof LinkError ? error.message : "The server does not answer."));
    }
  }

  private tell(answer: Json): void {
    const entity = text(answer, "entity") ?? "";
    if (flag(answer, "in")) return fill(this.answer, h("p", {}, `${entity} is in the scope. Its clients are sent:`), jsonView(member(answer, "sent") ?? null));
    const why = member(answer, "why");
    const [status, at, value] = [number(why, "status"), text(why, "at"), member(why, "value")];
    fill(this.answer,
      h("p", {}, `${entity} is not in the scope${status === null ? "" : `, which answers ${status}`}: ${text(why, "text") ?? ""}.`),
      at === null ? null : h("p", { class: "muted" }, "The place in the file: ", h("code", {}, at)),
      value === undefined ? null : h("p", { class: "muted" }, "The value there: ", h("code", {}, stringify(value))));
  }
}
