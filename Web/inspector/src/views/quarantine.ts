import type { Place } from "../model/address";
import type { Json } from "../model/json";
import { flag, list, member, number, text } from "../model/json";
import { button, h, labelled, say, setChoices, show } from "../ui/dom";
import { bytes, count, cut, moment, plural } from "../ui/format";
import { WindowedList } from "../ui/windowed";
import { fillRow } from "./entities";
import type { Page } from "./page";
import { Split } from "./split";
import type { View } from "./view";

const PAGE_COUNT = 500;
const INTERVAL = 3_000;
const RECORD_COUNT_MAX = 10_000;
const REASONS = [
  "not_json", "invalid_utf8", "too_long", "too_deep", "missing_id", "bad_type", "bad_sequence", "bad_shape", "batch_too_large", "id_too_long",
  "too_many_libraries", "too_large",
];

/** The Quarantine view: lines that could not be used, each with the faulty place and the reason. */
export class QuarantineView implements View {
  readonly name = "Quarantine";
  isShown = false;
  readonly element: HTMLElement;
  private readonly reason = h("select");
  private readonly list = new WindowedList(44, "Lines in quarantine", "Nothing is in quarantine.");
  private readonly note = h("p", { class: "muted note", role: "status" });
  private readonly split: Split;
  private readonly retryAll = button("Retry all", () => void this.retry(null));
  private records: readonly Json[] = [];
  private chosen: number | null = null;
  /** The record that the address names, until it is loaded. */
  private wanted: number | null = null;
  private timer = 0;
  private isAsking = false;

  /** Creates the view with nothing chosen. */
  constructor(private readonly app: Page) {
    setChoices(this.reason, [{ value: "", label: "every reason" }, ...REASONS.map((reason) => ({ value: reason, label: reason }))]);
    this.split = new Split([this.note, ...this.list.parts], "Choose a line to see what is wrong with it.", () => {
      this.chosen = null;
      this.list.choose(null);
      this.app.moved();
    });
    this.reason.addEventListener("change", () => void this.ask());
    this.list.onChoose = (index) => {
      this.open(this.records[index]);
      this.app.moved();
    };
    const bar = h("form", { class: "bar", "aria-label": "Quarantine", on: { submit: (event) => event.preventDefault() } }, labelled("Reason", this.reason),
      this.retryAll);
    this.element = h("div", { class: "view" }, bar, this.split.element);
  }

  get place(): Place { return { reason: this.reason.value, number: String(this.chosen ?? this.wanted ?? "") }; }

  go({ reason = "", number: wanted }: Place): void {
    this.reason.value = reason;
    this.wanted = wanted === undefined ? null : Number(wanted);
    this.chosen = null;
    this.list.choose(null);
    this.split.clear();
    void this.ask();
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

  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const reason = this.reason.value === "" ? undefined : this.reason.value;
      const isSame = this.records.every((record) => reason === undefined || text(record, "reason") === reason);
      // Records change one by one: only those after the last known one are requested, and all of them now and then.
      let found: Json[] = [];
      for (let after: number | null = 0; after !== null && found.length < RECORD_COUNT_MAX;) {
        const page: Json = await this.app.link.call("quarantine.list", { after, limit: PAGE_COUNT, reason });
        found = found.concat(list(page, "quarantine"));
        after = number(page, "next");
      }
      if (!isSame || found.length !== this.records.length || number(found[found.length - 1] ?? null, "number") !== number(this.records[0] ?? null, "number")) {
        this.records = found.reverse();
        this.app.frames.request(this);
      }
    } catch (error) {
      this.app.tellError(error);
    }
    this.isAsking = false;
    this.draw();
  }

  draw(): void {
    say(this.note, `${plural(this.records.length, "line")} in quarantine, the newest first`);
    show(this.retryAll, !this.app.isReadOnly && this.records.length > 0);
    this.list.setRows({
      count: this.records.length, key: (index) => String(number(this.records[index], "number")),
      fill: (element, index) => {
        const record = this.records[index];
        fillRow(element, `${text(record, "reason")} in line ${count(number(record, "line"))}`,
          cut(text(record, "text") ?? `${bytes(number(record, "byte_count"))} that are not text`, 160));
      },
    });
    const named = this.records.find((record) => this.wanted !== null && number(record, "number") === this.wanted);
    if (named !== undefined) {
      this.wanted = null;
      this.open(named);
      this.list.choose(String(this.chosen));
    }
    if (this.chosen !== null && !this.records.some((record) => number(record, "number") === this.chosen)) {
      this.chosen = null;
      this.split.clear();
    }
  }

  private open(record: Json): void {
    const recordNumber = number(record, "number");
    this.chosen = recordNumber;
    const rows: [string, string][] = [
      ["Number", String(recordNumber)], ["Reason", text(record, "reason") ?? ""], ["Line", count(number(record, "line"))],
      ["Byte", count(number(record, "offset"))],
      ["Size", bytes(number(record, "byte_count"))], ["Received", moment(number(record, "received_at"))],
      ["Library", this.app.facts.libraryName(text(record, "library_id"))],
      ["Sequence", number(record, "sequence") === null ? "–" : String(number(record, "sequence"))],
      ["Kind", { line: "a whole line", member: "a member of a batch", upstream: "an event of an upstream" }[text(record, "kind") ?? ""] ?? "–"],
    ];
    const actions = h("div", { class: "actions" });
    if (!this.app.isReadOnly && recordNumber !== null && text(record, "kind") === "line") actions.append(button("Retry",
      () => void this.retry([recordNumber])));
    this.split.fill(h("article", {},
      h("div", { class: "card-head" }, h("h2", {}, text(record, "message") ?? ""), actions),
      h("section", { class: "card" }, h("h3", {}, flag(record, "complete") ? "The line" : "The beginning of the line"), marked(record)),
      h("dl", { class: "facts" }, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))))));
  }

  private async retry(numbers: number[] | null): Promise<void> {
    try {
      const result = await this.app.link.call("quarantine.retry", numbers === null ? { all: true } : { numbers });
      const [applied, superseded, remaining] = ["applied", "superseded", "remaining"].map((name) => number(result, name) ?? 0);
      this.app.tell(`${count(applied)} applied, ${count(superseded)} older than what is stored, ${count(remaining)} still in quarantine.`);
      await this.ask();
    } catch (error) {
      this.app.tellError(error);
    }
  }
}

/** Returns an element that shows a line with its faulty place marked. Places are offsets in bytes. */
function marked(record: Json): HTMLElement {
  const whole = text(record, "text");
  if (whole === null) return h("pre", { class: "source", tabindex: "0" }, text(record, "base64") ?? "");
  const place = member(record, "place") ?? null;
  const offset = number(place, "offset");
  if (offset === null) return h("pre", { class: "source", tabindex: "0" }, whole);
  const encoded = new TextEncoder().encode(whole);
  const end = Math.min(encoded.length, offset + (number(place, "count") ?? 0));
  const part = (from: number, to: number): string => new TextDecoder().decode(encoded.subarray(from, to));
  const wrong = part(offset, end);
  return h("pre", { class: "source", tabindex: "0" }, part(0, offset), h("mark", {}, wrong === "" ? "⟵ it ends here" : wrong), part(end, encoded.length));
}
