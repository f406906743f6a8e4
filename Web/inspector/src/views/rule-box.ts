import type { Json } from "../model/json";
import { JsonError, parse } from "../model/json";
import { lineAndColumn, placeOf } from "../model/place";
import type { Span } from "../model/place";
import { fill, h, labelled, say, show } from "../ui/dom";

const EXAMPLE = "{\"from\": \"photo\", \"limit\": 20}";
/** The beginning of a message about a rule: a JSON Pointer into it, or nothing for the whole. */
const POINTER = /^(\/\S*) of the view |^the view /;

/** A box to write a rule in, which marks the place of an error. */
export class RuleBox {
  /** The element of the box. */
  readonly element: HTMLElement;
  /** The control with the rule as text. */
  readonly area = h("textarea", { rows: "8", spellcheck: "false", placeholder: EXAMPLE });
  private readonly problem = h("p", { role: "alert", "data-bad": true, hidden: true });
  private readonly source = h("pre", { class: "source", tabindex: "0", hidden: true, "aria-label": "The rule, with the error marked" });

  /** Creates an empty box. `onTry` is called when the user wants to see the rule's rows. */
  constructor(onTry: () => void) {
    this.element = h("form", {
      class: "card request", "aria-label": "Try a rule", on: {
        submit: (event) => {
          event.preventDefault();
          onTry();
        }
      }
    }, h("h2", {}, "Try a rule"), labelled("Rule as JSON", this.area), this.problem, this.source,
      h("div", { class: "actions" }, h("button", { type: "submit", class: "button main" }, "Show its rows")));
  }

  /** Returns the rule; null after a message about what is no JSON. */
  read(): Json {
    this.clear();
    try {
      return parse(this.area.value);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      this.fail(error.message, { start: error.offset, end: error.offset + 1 });
      return null;
    }
  }

  /** Shows an error of the cache. Returns whether it is about the rule. */
  refuse(message: string): boolean {
    const pointer = POINTER.exec(message);
    if (pointer !== null) this.fail(message, placeOf(this.area.value, pointer[1] ?? ""));
    return pointer !== null;
  }

  /** Removes the message. */
  clear(): void {
    show(this.problem, false);
    show(this.source, false);
  }

  private fail(message: string, place: Span | null): void {
    const text = this.area.value;
    say(this.problem, place === null ? message : `${message} (${lineAndColumn(text, place.start)})`);
    show(this.problem, true);
    show(this.source, place !== null);
    if (place === null) return;
    const wrong = text.slice(place.start, place.end);
    fill(this.source, text.slice(0, place.start), h("mark", {}, wrong === "" ? "⟵ it ends here" : wrong), text.slice(place.end));
  }
}
