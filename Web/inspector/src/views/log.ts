import type { App } from "../app";
import type { Observation } from "../link/link";
import { LinkError } from "../link/link";
import type { Json } from "../model/json";
import { list, number, text } from "../model/json";
import { BINS } from "../model/facts";
import { findEvent } from "../model/recording";
import { button, fill, h, labelled, say, set, setChoices, toggle } from "../ui/dom";
import { clock, count, library, plural } from "../ui/format";
import { jsonView } from "../ui/json-view";
import { WindowedList } from "../ui/windowed";
import { Split } from "./split";
import type { View } from "./view";

/** The events that are kept: the newest ones. */
const ENTRY_COUNT_MAX = 20_000;

interface Entry {
  number: number;
  event: Json;
  library: string | null;
  sequence: number | null;
}

/** The events as they come. */
export class LogView implements View {
  readonly name = "Log";
  isShown = false;
  readonly element: HTMLElement;
  private readonly libraryChoice = h("select");
  private readonly typeChoice = h("select");
  private readonly binChoice = h("select");
  private readonly list = new WindowedList(32, "Events", "No event came yet.");
  private readonly note = h("p", { class: "muted note", role: "status" });
  private readonly split: Split;
  private readonly pause = toggle("Pause", false, (isOn) => this.setPaused(isOn));
  private observation: Observation | null = null;
  /** The newest last. */
  private entries: Entry[] = [];
  private waiting: Entry[] = [];
  private lastNumber = 0;
  private missed = 0;
  private isPaused = false;
  private unfollow: () => void = () => undefined;

  constructor(private readonly app: App) {
    this.split = new Split([this.note, ...this.list.parts], "Choose an event to see what it changed.", () => this.list.choose(null));
    setChoices(this.binChoice, [{ value: "", label: "every bin" }, ...BINS.map((bin) => ({ value: bin, label: bin }))]);
    for (const choice of [this.libraryChoice, this.typeChoice, this.binChoice]) choice.addEventListener("change", () => this.begin());
    this.list.onChoose = (index) => this.open(this.entries[this.entries.length - 1 - index]);
    const bar = h("form", { class: "bar", "aria-label": "Log", on: { submit: (event) => event.preventDefault() } },
      labelled("Library", this.libraryChoice), labelled("Type", this.typeChoice), labelled("Bin", this.binChoice), this.pause,
      button("Empty the view", () => {
        this.entries = [];
        this.waiting = [];
        this.missed = 0;
        this.draw();
      }));
    this.element = h("div", { class: "view log" }, bar, this.split.element);
  }

  show(): void {
    this.isShown = true;
    this.unfollow = this.app.facts.follow(() => this.setFilters(), true);
    this.setFilters();
    this.listen();
    this.draw();
  }

  /** It goes on while another view is open: who comes back sees what happened meanwhile. */
  hide(): void {
    this.isShown = false;
    this.unfollow();
  }

  /** Begins to hear events, so that what is seen elsewhere leads to the event that wrote it. */
  listen(): void { if (this.observation === null) this.begin(); }

  openEvent(libraryId: string, sequence: number): void {
    const index = this.indexOf(libraryId, sequence);
    if (index < 0) return void this.openRecorded(libraryId, sequence);
    const entry = this.entries[index];
    this.draw();
    this.list.choose(String(entry.number));
    this.list.reveal(this.entries.length - 1 - index);
    this.open(entry);
  }

  /** Shows an event that came before this page was opened, or so many events ago, from the recording. */
  private async openRecorded(libraryId: string, sequence: number): Promise<void> {
    const title = h("h2", {}, `Sequence ${sequence}`);
    const note = h("p", { role: "status" }, "It came before this page was opened. Looking in the recording …");
    const body = h("article", {}, title, note);
    this.list.choose(null);
    this.split.fill(body);
    try {
      if (this.app.link.download === undefined) throw new LinkError("not_found", "Nothing is recorded here.");
      const found = await findEvent(await this.app.link.download("/recording"), libraryId, sequence);
      if (found === null) throw new LinkError("not_found", "The recording does not hold it: it began later, or the event was fed without a sequence.");
      say(note, `${found.step === "answer" ? "An upstream brought it" : "It was read"} at ${clock(found.at)}, as the recording says.`);
      body.append(h("section", { class: "card" }, h("h3", {}, "The event"), jsonView(found.event, 5)));
    } catch (error) {
      say(note, `It came before this page was opened. ${error instanceof Error ? error.message : ""}`);
    }
  }

  private indexOf(libraryId: string, sequence: number): number {
    for (let index = this.entries.length - 1; index >= 0; index -= 1) {
      const entry = this.entries[index];
      if (entry.sequence === sequence && entry.library === libraryId && text(entry.event, "bin") !== "duplicate") return index;
    }
    return -1;
  }

  private setFilters(): void {
    const { libraries, types } = this.app.facts;
    setChoices(this.libraryChoice, [{ value: "*", label: "every library" }, ...libraries.slice(0,
      1_000).map(({ id }) => ({ value: `=${id}`, label: library(id) }))]);
    setChoices(this.typeChoice, [{ value: "", label: "every type" },
    ...[...new Set(types.map(({ type }) => type))].sort().map((type) => ({ value: type, label: type }))]);
  }

  private begin(): void {
    this.observation?.end();
    const params: Record<string, unknown> = {};
    if (this.libraryChoice.value.startsWith("=")) params.library_id = this.libraryChoice.value.slice(1);
    if (this.typeChoice.value !== "") params.types = [this.typeChoice.value];
    if (this.binChoice.value !== "") params.bins = [this.binChoice.value];
    this.observation = this.app.link.observe("log.observe", params, {
      begun: () => this.app.frames.request(this),
      told: (_, told) => this.take(told),
      failed: (error) => {
        this.observation = null;
        this.list.setEmptyText(error.code === "read_only" ? "The database is only read: events are heard where it is written." : error.message);
        if (error.code === "read_only") this.app.facts.becomeReadOnly();
      },
    });
  }

  private take(told: Json): void {
    this.missed += number(told, "missed") ?? 0;
    const into = this.isPaused ? this.waiting : this.entries;
    for (const event of list(told, "events")) {
      this.lastNumber += 1;
      into.push({ number: this.lastNumber, event, library: text(event, "library_id"), sequence: number(event, "sequence") });
    }
    if (into.length > ENTRY_COUNT_MAX + 2_000) into.splice(0, into.length - ENTRY_COUNT_MAX);
    this.app.frames.request(this);
  }

  private setPaused(isPaused: boolean): void {
    this.isPaused = isPaused;
    if (!isPaused) {
      this.entries = this.entries.concat(this.waiting).slice(-ENTRY_COUNT_MAX);
      this.waiting = [];
    }
    this.draw();
  }

  draw(): void {
    const { entries } = this;
    say(this.note, [plural(entries.length, "event"), this.isPaused ? `paused, ${count(this.waiting.length)} more came` : "the newest first",
    this.missed > 0 ? `${count(this.missed)} left out because they came too fast` : ""].filter((part) => part !== "").join(" · "));
    const isAtStart = this.list.isAtStart;
    const top = this.list.element.scrollTop;
    const before = this.drawnCount;
    this.list.setRows({
      count: entries.length, key: (index) => String(entries[entries.length - 1 - index].number),
      fill: (element, index) => fillEvent(element, entries[entries.length - 1 - index].event),
    });
    // Who reads further down keeps the lines in sight while new ones come above.
    if (!isAtStart && !this.isPaused) this.list.element.scrollTop = top + Math.max(0, this.lastNumber - before) * 32;
    this.drawnCount = this.lastNumber;
  }

  private drawnCount = 0;

  private open(entry: Entry | undefined): void {
    if (entry === undefined) return;
    const { event } = entry;
    const libraryId = text(event, "library_id");
    const keys = list(event, "keys").map(String);
    const resources = number(event, "resources") ?? 0;
    const rows: [string, string][] = [
      ["Bin", text(event, "bin") ?? ""], ["Kind", text(event, "kind") ?? ""], ["Library", library(libraryId)],
      ["Sequence", number(event, "sequence") === null ? "–" : String(number(event, "sequence"))], ["Type", text(event, "resource_type") ?? "–"],
      ["Counted", clock(number(event, "at") ?? 0)], ["Line", number(event, "line") === null ? "brought by an upstream" : count(number(event, "line"))],
      ["Reason", text(event, "reason") ?? "–"], ["Settles the edit", text(event, "mutation_id") ?? "–"],
    ];
    const changed = h("ul", { class: "plain" }, ...keys.map((key) => h("li", {}, button(key, () => this.app.openEntity(libraryId ?? "", key),
      { class: "link" }))));
    if (resources > keys.length) changed.append(h("li", { class: "muted" }, `and ${count(resources - keys.length)} more`));
    if (keys.length === 0) fill(changed, h("li", { class: "muted" }, "It names no entity."));
    this.split.fill(h("article", {}, h("h2", {}, `${text(event, "kind")}, ${text(event, "bin")}`),
      h("section", { class: "card" }, h("h3", {}, "What it names"), changed),
      h("dl", { class: "facts" }, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))))));
  }
}

function fillEvent(element: HTMLElement, event: Json): void {
  if (element.childElementCount !== 5) {
    element.replaceChildren(...["time", "bin", "sequence", "kind", "summary"].map((name) => h("span", { class: `cell-${name}` })));
    element.classList.add("event");
  }
  const cells = element.children;
  const bin = text(event, "bin") ?? "";
  say(cells[0], clock(number(event, "at") ?? 0));
  say(cells[1], bin);
  set(cells[1], "data-bin", bin);
  say(cells[2], number(event, "sequence") === null ? "–" : String(number(event, "sequence")));
  say(cells[3], text(event, "reason") ?? text(event, "kind") ?? "");
  const keys = list(event, "keys");
  const more = (number(event, "resources") ?? 0) - keys.length;
  const libraryId = text(event, "library_id");
  say(cells[4], `${keys.map(String).join(", ")}${more > 0 ? ` and ${more} more` : ""}${libraryId === null || libraryId === "" ? "" : ` · ${libraryId}`}`);
}
