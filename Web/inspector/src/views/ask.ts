import type { MethodForm, ParamForm } from "../generated/methods";
import { METHODS } from "../generated/methods";
import type { Observation } from "../link/link";
import type { Place } from "../model/address";
import { methodCurl } from "../model/curl";
import type { Json } from "../model/json";
import { JsonObject, NumberText, parse, stringify } from "../model/json";
import { writtenValue } from "../model/written";
import { copyButton } from "../ui/copy";
import { button, fill, h, labelled, say, set, setChoices, show, toggle } from "../ui/dom";
import { clock, duration } from "../ui/format";
import { jsonView } from "../ui/json-view";
import { ask } from "../ui/question";
import type { Page } from "./page";
import type { View } from "./view";

/** Methods that change the cache: they need confirmation, and are not offered if the database is read-only. */
const CHANGING = new Set([
  "cache.clear", "cache.remove", "cache.transaction", "graphql.mutate", "graphql.write", "graphql.write_fragment", "http.invalidate", "optimistic.commit",
  "optimistic.rollback", "optimistic.update", "query.put", "view.define", "view.drop",
]);
const TOLD_COUNT_MAX = 100;

/** The Ask view: a console for every method, with a form generated from its schema. */
export class AskView implements View {
  readonly name = "Ask";
  isShown = false;
  readonly element: HTMLElement;
  private readonly method = h("select");
  private readonly form = h("div", { class: "form" });
  private readonly raw = h("textarea", { rows: "8", spellcheck: "false", "aria-label": "Params as JSON" });
  private readonly rawSwitch = toggle("Write JSON", false, (isOn) => this.setRaw(isOn));
  private readonly problem = h("p", { role: "alert", "data-bad": true, hidden: true });
  private readonly result = h("div", { class: "answer" }, h("p", { class: "empty" }, "The answer appears here."));
  private readonly told = h("ol", { class: "told", "aria-label": "Notifications" });
  private readonly curlButton = copyButton("Copy as curl", () => this.curl());
  private readonly endButton = button("Stop observing", () => this.endObservation(), { hidden: true });
  private controls = new Map<string, { param: ParamForm; control: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement; }>();
  private observation: Observation | null = null;
  private isReadOnly = false;

  /** Creates the view. */
  constructor(private readonly app: Page) {
    this.method.addEventListener("change", () => this.choose());
    this.setMethods();
    const request = h("form", { class: "card request", "aria-label": "Request", on: { submit: (event) => this.submit(event) } },
      h("div", { class: "card-head" }, h("h2", {}, "Request"), this.rawSwitch), labelled("Method", this.method), this.form, this.raw, this.problem,
      h("div", { class: "actions" }, h("button", { type: "submit", class: "button main" }, "Ask"), this.curlButton, this.endButton));
    show(this.raw, false);
    show(this.curlButton, this.app.link.server !== undefined);
    this.element = h("div", { class: "view ask" }, request, h("section", { class: "card", "aria-live": "polite", "aria-label": "Answer" },
      h("h2", {}, "Answer"), this.result, this.told));
    this.choose();
  }

  get place(): Place { return { method: this.method.value, params: this.raw.hidden ? "" : this.raw.value }; }

  go({ method, params }: Place): void {
    if (method !== undefined && method !== this.method.value && METHODS.some(({ name }) => name === method)) {
      this.method.value = method;
      this.choose();
    }
    if (params === undefined) return;
    set(this.rawSwitch, "aria-checked", "true");
    this.setRaw(true);
    this.raw.value = params;
  }

  show(): void {
    this.isShown = true;
    if (this.isReadOnly !== this.app.isReadOnly) {
      this.isReadOnly = this.app.isReadOnly;
      this.setMethods();
    }
  }

  hide(): void { this.isShown = false; }

  draw(): void {
    // Everything is drawn at once.
  }

  private setMethods(): void {
    const methods = METHODS.filter(({ name }) => !this.isReadOnly || !CHANGING.has(name));
    setChoices(this.method, methods.map(({ name }) => ({ value: name, label: name })));
    if (this.method.value === "" || this.controls.size === 0) this.method.value = "cache.stats";
  }

  private get chosen(): MethodForm { return METHODS.find(({ name }) => name === this.method.value) ?? METHODS[0]; }

  private choose(): void {
    this.controls = new Map();
    fill(this.form, ...this.chosen.params.map((param) => {
      const control = controlOf(param);
      this.controls.set(param.name, { param, control });
      return labelled(param.name + (param.isRequired ? " (needed)" : ""), control);
    }));
    if (this.chosen.params.length === 0) this.form.append(h("p", { class: "muted" }, "It takes no params."));
    this.raw.value = "{}";
    this.fail(null);
  }

  private setRaw(isRaw: boolean): void {
    if (isRaw) {
      try {
        this.raw.value = stringify(this.params(false));
      } catch (error) {
        this.fail(error);
      }
    }
    show(this.raw, isRaw);
    show(this.form, !isRaw);
  }

  private fail(error: unknown): void {
    say(this.problem, error === null ? "" : error instanceof Error ? error.message : String(error));
    show(this.problem, error !== null);
  }

  /** Returns the params in the form. Throws an error if they are wrong. */
  private params(isRaw: boolean): JsonObject {
    if (isRaw) {
      const value = parse(this.raw.value);
      if (value instanceof JsonObject) return value;
      throw new Error("Params are an object: write {…}.");
    }
    const members: [string, Json][] = [];
    for (const [name, { param, control }] of this.controls) {
      const written = control.value;
      if (written === "") continue;
      members.push([name, valueOf(param, written)]);
    }
    return new JsonObject(members);
  }

  private submit(event: Event): void {
    event.preventDefault();
    this.fail(null);
    try {
      void this.run(this.method.value, this.params(!this.raw.hidden));
    } catch (error) {
      this.fail(error);
    }
  }

  private curl(): string {
    try {
      return methodCurl(this.app.link.server ?? "", this.method.value, stringify(this.params(!this.raw.hidden)));
    } catch (error) {
      this.fail(error);
      return "";
    }
  }

  private async run(method: string, params: JsonObject): Promise<void> {
    if (CHANGING.has(method) && !await ask(`Send ${method}?`, `It changes the cache: ${stringify(params).slice(0, 300)}`, "Send")) return;
    this.endObservation();
    fill(this.told);
    if (method.endsWith(".observe")) return this.observe(method, params);
    const start = performance.now();
    try {
      const result = await this.app.link.call(method, params);
      this.answer(`Answered in ${duration(performance.now() - start)}`, jsonView(result));
    } catch (error) {
      this.answer("Refused", h("p", { "data-bad": true }, error instanceof Error ? error.message : String(error)));
    }
  }

  private answer(head: string, body: HTMLElement): void { fill(this.result, h("p", { class: "muted" }, head), body); }

  private observe(method: string, params: JsonObject): void {
    show(this.endButton, true);
    this.observation = this.app.link.observe(method, params, {
      begun: (result) => this.answer("Observed", jsonView(result)),
      told: (name, told) => {
        this.told.prepend(h("li", {}, h("p", { class: "muted" }, `${clock(Date.now())} ${name}`), jsonView(told)));
        while (this.told.childElementCount > TOLD_COUNT_MAX) this.told.lastElementChild?.remove();
      },
      failed: (error) => {
        this.endObservation();
        this.answer("Refused", h("p", { "data-bad": true }, error.message));
      },
    });
  }

  private endObservation(): void {
    this.observation?.end();
    this.observation = null;
    show(this.endButton, false);
  }
}

function controlOf(param: ParamForm): HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement {
  const required = param.isRequired && param.kind !== "text";
  switch (param.kind) {
    case "flag":
    case "choice": {
      const choices = param.kind === "flag" ? ["true", "false"] : param.choices ?? [];
      return h("select", { required }, h("option", { value: "" }, "–"), ...choices.map((value) => h("option", { value }, value)));
    }
    case "json": {
      const area = h("textarea", { rows: "2", spellcheck: "false", placeholder: "JSON, or a word", required });
      set(area, "autocomplete", "off");
      return area;
    }
    default:
      return h("input", {
        type: "text", spellcheck: "false", autocomplete: "off", inputmode: param.kind === "text" ? "text" : "decimal", required,
        placeholder: param.kind === "text" ? "" : "a number"
      });
  }
}

/** Parses the text in a control. */
function valueOf(param: ParamForm, written: string): Json {
  switch (param.kind) {
    case "text":
    case "choice": return written;
    case "flag": return written === "true";
    case "integer":
    case "number": {
      const value = parse(written);
      if (value instanceof NumberText) return value;
      throw new Error(`${param.name} is a number.`);
    }
    default: return writtenValue(param.name, written);
  }
}
