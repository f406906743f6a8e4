import { keptEvents } from "../link/kept";
import { differences } from "../model/diff";
import type { Json } from "../model/json";
import { flag, isEqual, list, member, number, parse, stringify, text } from "../model/json";
import { fieldChanges } from "../ui/changes";
import { copyButton } from "../ui/copy";
import { button, fill, h, say, show } from "../ui/dom";
import { bytes, clock, count } from "../ui/format";
import { jsonView } from "../ui/json-view";
import type { Page } from "./page";

const WRITE_COUNT_MAX = 100;
const FIELD_COUNT_MAX = 100;

/** Shows one event: the entities that it names, what it wrote, and its line as received. */
export class EventDetail {
  /** The element of the details. */
  readonly element: HTMLElement;
  private readonly title = h("h2");
  private readonly note = h("p", { class: "muted", role: "status" });
  private readonly named = h("ul", { class: "plain" });
  private readonly written = h("div");
  private readonly source = h("div");
  private readonly sourceHead = h("div", { class: "card-head" });
  private readonly sourceCard: HTMLElement;
  private readonly namedCard: HTMLElement;
  private readonly facts = h("dl", { class: "facts" });
  private generation = 0;

  /** Creates details that show nothing yet. */
  constructor(private readonly app: Page) {
    this.namedCard = h("section", { class: "card" }, h("h3", {}, "What it names"), this.named);
    this.sourceCard = h("section", { class: "card" }, this.sourceHead, this.source);
    this.element = h("article", {}, this.title, this.note, this.written, this.sourceCard, this.namedCard, this.facts);
  }

  /** Shows an event of the log, and requests its content. */
  async open(event: Json): Promise<void> {
    this.begin(titleOf(event), "");
    this.fillFacts(event);
    const kept = number(event, "number");
    if (kept === null) this.miss("Its content is not kept.");
    else await this.load(kept);
  }

  /** Shows the kept event with a number. */
  async openNumber(kept: number): Promise<void> {
    this.begin("An event without a sequence", "Looking for it …");
    await this.load(kept);
  }

  private async load(kept: number): Promise<void> {
    const { generation } = this;
    try {
      const page = await keptEvents(this.app.link, { before: kept + 1, limit: 1 });
      if (generation !== this.generation) return;
      const found = page.events.find((one) => number(one, "number") === kept);
      if (found === undefined) return this.miss(`Its content has left the last ${bytes(page.byteCountMax)} of events.`);
      say(this.title, titleOf(found));
      say(this.note, "");
      this.fillFacts(found);
      await this.fillKept(found, generation);
    } catch (error) {
      this.miss(error instanceof Error ? error.message : String(error));
    }
  }

  /** Shows a title and a note while an event is being searched. */
  begin(title: string, note: string): void {
    this.generation += 1;
    say(this.title, title);
    say(this.note, note);
    fill(this.written);
    fill(this.source);
    show(this.sourceCard, false);
    show(this.namedCard, false);
    fill(this.facts);
  }

  /** Shows that the event was not found. */
  miss(note: string): void { say(this.note, note); }

  /** Shows an event of a recording, which has no entry in the log. */
  fillRecorded(event: Json, note: string): void {
    say(this.note, note);
    this.fillSource(stringify(event));
  }

  private async fillKept(event: Json, generation: number): Promise<void> {
    this.fillWrites(event);
    let line = text(event, "text");
    const sequence = number(event, "sequence");
    if (line === null && text(event, "base64") === null && sequence !== null) {
      // The line of an event that was held is in the entry with the bin `held`.
      const held = await keptEvents(this.app.link, { library_id: text(event, "library_id") ?? undefined, sequence, bins: ["held"], limit: 1 });
      if (generation !== this.generation) return;
      line = text(held.events[0] ?? null, "text");
    }
    if (line !== null) this.fillSource(line);
    else if (text(event, "base64") !== null) this.fillSource(text(event, "base64") ?? "");
    if (!flag(event, "complete")) say(this.note, line === null ? `Its line of ${bytes(number(event, "byte_count"))} is too long to be kept.`
      : "It wrote more than is kept.");
  }

  private fillSource(line: string): void {
    let shown: HTMLElement;
    try {
      shown = jsonView(parse(line), 6);
    } catch {
      shown = h("pre", { class: "source", tabindex: "0" }, line);
    }
    fill(this.sourceHead, h("h3", {}, "The event as it came"), copyButton("Copy", () => line));
    fill(this.source, shown);
    show(this.sourceCard, true);
  }

  private fillWrites(event: Json): void {
    const writes = list(event, "writes");
    const libraryId = text(event, "library_id") ?? "";
    fill(this.written, ...writes.slice(0, WRITE_COUNT_MAX).map((write) => {
      const [before, after] = [member(write, "before") ?? null, member(write, "after") ?? null];
      const key = text(write, "key") ?? "";
      const what = before === null ? "new" : after === null ? "removed" : isEqual(before, after) ? "unchanged" : "changed";
      const fields = after === null ? [] : differences(before ?? undefined, after);
      return h("section", { class: "card write" }, h("div", { class: "card-head" },
        h("h3", {}, button(key, () => this.app.openEntity(libraryId, key), { class: "link" })), h("span", { class: "badge", "data-state": what }, what)),
        after === null ? h("details", {}, h("summary", {}, "As it was"), jsonView(before, 3)) : null, ...fieldChanges(fields.slice(0, FIELD_COUNT_MAX)),
        fields.length > FIELD_COUNT_MAX ? h("p", { class: "muted" }, `and ${count(fields.length - FIELD_COUNT_MAX)} more fields`) : null);
    }), writes.length > WRITE_COUNT_MAX ? h("p", { class: "muted" }, `and ${count(writes.length - WRITE_COUNT_MAX)} more entities`) : null,
      writes.length === 0 ? h("p", { class: "muted" }, "It changed no entity.") : null);
  }

  private fillFacts(event: Json): void {
    const libraryId = text(event, "library_id");
    const keys = list(event, "keys").map(String);
    const resources = number(event, "resources") ?? 0;
    const rows: [string, string][] = [
      ["Bin", text(event, "bin") ?? ""], ["Kind", text(event, "kind") ?? ""], ["Library", this.app.facts.libraryName(libraryId)],
      ["Sequence", number(event, "sequence") === null ? "–" : String(number(event, "sequence"))], ["Type", text(event, "resource_type") ?? "–"],
      ["Counted", clock(number(event, "at") ?? 0)], ["Line", number(event, "line") === null ? "brought by an upstream" : count(number(event, "line"))],
      ["Reason", text(event, "reason") ?? "–"], ["Settles the edit", text(event, "mutation_id") ?? "–"],
    ];
    fill(this.named, ...keys.map((key) => h("li", {}, button(key, () => this.app.openEntity(libraryId ?? "", key), { class: "link" }))),
      resources > keys.length && keys.length > 0 ? h("li", { class: "muted" }, `and ${count(resources - keys.length)} more`) : null,
      keys.length === 0 ? h("li", { class: "muted" }, "It names no entity.") : null);
    show(this.namedCard, true);
    fill(this.facts, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name),
      h("dd", name === "Library" ? { title: libraryId ?? "" } : {}, value))));
  }
}

function titleOf(event: Json): string {
  const sequence = number(event, "sequence");
  return `${sequence === null ? "" : `Sequence ${sequence}: `}${text(event, "kind")}, ${text(event, "bin")}`;
}
