import { BINS } from "../link/facts";
import { keptEvents } from "../link/kept";
import type { Observation } from "../link/link";
import { LinkError } from "../link/link";
import type { Place } from "../model/address";
import type { Json } from "../model/json";
import { list, number, text } from "../model/json";
import { findEvent } from "../model/recording";
import { afterPause, button, choose, h, labelled, say, set, setChoices, toggle } from "../ui/dom";
import { bytes, clock, count, plural } from "../ui/format";
import { WindowedList } from "../ui/windowed";
import { EventDetail } from "./event-detail";
import type { Page } from "./page";
import { Split } from "./split";
import type { View } from "./view";

/** Maximum number of events shown, the newest ones. */
const ENTRY_COUNT_MAX = 20_000;
const PAGE_COUNT = 500;
const ROW_HEIGHT = 32;

interface Entry {
  /** A unique name. */
  id: string;
  /** The number under which the cache keeps the event; null if it does not. */
  kept: number | null;
  event: Json;
}

/** The Log view: live events, and earlier ones that the cache still keeps. */
export class LogView implements View {
  readonly name = "Log";
  isShown = false;
  readonly element: HTMLElement;
  private readonly libraryChoice = h("select");
  private readonly typeChoice = h("select");
  private readonly binChoice = h("select");
  private readonly part = h("input", { type: "search", placeholder: "part of a key", spellcheck: "false", autocomplete: "off" });
  private readonly list = new WindowedList(ROW_HEIGHT, "Events", "No event came yet.");
  private readonly note = h("p", { class: "muted note", role: "status" });
  private readonly split: Split;
  private readonly detail: EventDetail;
  private readonly pause = toggle("Pause", false, (isOn) => this.setPaused(isOn));
  private observation: Observation | null = null;
  /** The entries, newest last. */
  private entries: Entry[] = [];
  private waiting: Entry[] = [];
  private lastId = 0;
  private missed = 0;
  private isPaused = false;
  /** The `before` of the next page of older events; null if there are none, or none are wanted. */
  private older: number | null = null;
  private isAskingOlder = false;
  /** True if older events are wanted; false after the view was cleared. */
  private wantsHistory = true;
  private generation = 0;
  /** The number of entries added at the top since the last draw. */
  private newCount = 0;
  /** The selected event, as a part of the address. */
  private chosen: Place = {};
  private unfollow: () => void = () => undefined;

  /** Creates the view with nothing chosen. */
  constructor(private readonly app: Page) {
    this.detail = new EventDetail(app);
    this.split = new Split([this.note, ...this.list.parts], "Choose an event to see its content, and what it changed.", () => {
      this.clear();
      this.app.moved();
    });
    setChoices(this.binChoice, [{ value: "", label: "every bin" }, ...BINS.map((bin) => ({ value: bin, label: bin }))]);
    for (const choice of [this.libraryChoice, this.typeChoice, this.binChoice]) choice.addEventListener("change", () => this.begin());
    this.part.addEventListener("input", afterPause(250, () => this.begin()));
    this.list.onChoose = (index) => {
      this.open(this.at(index));
      this.app.moved();
    };
    this.list.onEnd = () => void this.askOlder();
    const bar = h("form", { class: "bar", role: "search", "aria-label": "Log", on: { submit: (event) => event.preventDefault() } },
      labelled("Key", this.part), labelled("Library", this.libraryChoice), labelled("Type", this.typeChoice), labelled("Bin", this.binChoice), this.pause,
      button("Empty the view", () => {
        this.generation += 1;
        this.wantsHistory = false;
        this.empty();
      }));
    this.element = h("div", { class: "view log" }, bar, this.split.element);
  }

  get place(): Place {
    const library = this.libraryChoice.value.startsWith("=") ? this.libraryChoice.value : "";
    return { find: this.part.value, library, type: this.typeChoice.value, bin: this.binChoice.value, ...this.chosen };
  }

  go({ find = "", library = "*", type = "", bin = "", event, sequence, in: home = "" }: Place): void {
    this.part.value = find;
    choose(this.libraryChoice, library, library === "*" ? "every library" : this.app.facts.libraryName(library.slice(1)));
    choose(this.typeChoice, type, type === "" ? "every type" : type);
    this.binChoice.value = bin;
    this.begin();
    if (sequence !== undefined) return void this.openEvent(home, Number(sequence));
    if (event !== undefined) return this.openNumber(Number(event));
    this.clear();
    this.split.clear();
  }

  show(): void {
    this.isShown = true;
    this.unfollow = this.app.facts.follow(() => this.setFilters(), true);
    this.setFilters();
    this.listen();
    this.draw();
  }

  /** Hides the view. It keeps observing, so that it shows what happened in the meantime when it is shown again. */
  hide(): void {
    this.isShown = false;
    this.unfollow();
  }

  /** Starts observing, so that other views can link to the event that wrote a value. */
  listen(): void { if (this.observation === null) this.begin(); }

  /** Shows the event at a sequence of a library's log: as the cache keeps it, or else from a recording. */
  async openEvent(libraryId: string, sequence: number): Promise<void> {
    this.list.choose(null);
    this.chosen = { sequence: String(sequence), in: libraryId };
    this.detail.begin(`Sequence ${sequence}`, "Looking for it …");
    this.split.fill(this.detail.element);
    try {
      const page = await keptEvents(this.app.link, { library_id: libraryId, sequence, limit: 20 });
      // Duplicates change nothing: prefer the event that wrote the value.
      const found = page.events.find((event) => list(event, "writes").length > 0) ?? page.events.find((event) => text(event, "bin") !== "duplicate")
        ?? this.entries.find(({ event }) => number(event, "sequence") === sequence && text(event, "library_id") === libraryId)?.event;
      if (found !== undefined) this.openFound(found);
      else await this.openRecorded(libraryId, sequence, page.byteCountMax);
    } catch (error) {
      this.detail.miss(error instanceof Error ? error.message : String(error));
    }
  }

  /** Shows an event that the cache keeps. */
  openKept(event: Json): void {
    this.remember(event);
    this.split.fill(this.detail.element);
    this.openFound(event);
  }

  /** Shows an event without a sequence. */
  private openNumber(kept: number): void {
    this.chosen = { event: String(kept) };
    this.split.fill(this.detail.element);
    void this.detail.openNumber(kept);
  }

  /**
   * Records the selection for the address: by sequence if possible, as numbers are reassigned when the server restarts.
   */
  private remember(event: Json): void {
    const [sequence, libraryId] = [number(event, "sequence"), text(event, "library_id")];
    this.chosen = sequence !== null && libraryId !== null ? { sequence: String(sequence), in: libraryId } : { event: String(number(event, "number") ?? "") };
  }

  private clear(): void {
    this.chosen = {};
    this.list.choose(null);
  }

  private openFound(event: Json): void {
    const kept = number(event, "number");
    const index = this.entries.findIndex((entry) => entry.kept !== null && entry.kept === kept);
    if (index >= 0) {
      this.draw();
      this.list.choose(this.entries[index].id);
      this.list.reveal(this.entries.length - 1 - index);
    }
    void this.detail.open(event);
  }

  private async openRecorded(libraryId: string, sequence: number, keptByteCount: number): Promise<void> {
    const gone = keptByteCount > 0 ? `It is not among the last ${bytes(keptByteCount)} of events.` : "No events are kept here.";
    if (this.app.link.download === undefined) return this.detail.miss(gone);
    try {
      const found = await findEvent(await this.app.link.download("/recording"), libraryId, sequence);
      if (found === null) return this.detail.miss(`${gone} The recording does not hold it either.`);
      this.detail.fillRecorded(found.event,
        `${found.step === "answer" ? "An upstream brought it" : "It was read"} at ${clock(found.at)}, as the recording says.`);
    } catch (error) {
      this.detail.miss(error instanceof LinkError && error.code === "not_found" ? `${gone} Start the server with --record FILE to keep more.`
        : `${gone} ${error instanceof Error ? error.message : ""}`);
    }
  }

  private setFilters(): void {
    const { libraries, types } = this.app.facts;
    setChoices(this.libraryChoice, [{ value: "*", label: "every library" }, ...libraries.slice(0,
      1_000).map(({ id }) => ({ value: `=${id}`, label: this.app.facts.libraryName(id) }))]);
    setChoices(this.typeChoice, [{ value: "", label: "every type" },
    ...[...new Set(types.map(({ type }) => type))].sort().map((type) => ({ value: type, label: type }))]);
  }

  // MARK: Hearing

  private params(): Record<string, unknown> {
    const params: Record<string, unknown> = {};
    if (this.libraryChoice.value.startsWith("=")) params.library_id = this.libraryChoice.value.slice(1);
    if (this.typeChoice.value !== "") params.types = [this.typeChoice.value];
    if (this.binChoice.value !== "") params.bins = [this.binChoice.value];
    if (this.part.value !== "") params.matching = this.part.value;
    return params;
  }

  private begin(): void {
    this.observation?.end();
    this.generation += 1;
    this.wantsHistory = true;
    this.empty();
    this.observation = this.app.link.observe("log.observe", this.params(), {
      begun: () => void this.askMissed(),
      told: (_, told) => this.take(told),
      failed: (error) => {
        this.observation = null;
        this.list.setEmptyText(error.code === "read_only" ? "The database is only read: events are heard where it is written." : error.message);
        if (error.code === "read_only") this.app.facts.becomeReadOnly();
      },
    });
  }

  private empty(): void {
    this.entries = [];
    this.waiting = [];
    this.missed = 0;
    this.older = null;
    this.draw();
  }

  private entry(event: Json): Entry {
    const kept = number(event, "number");
    this.lastId += 1;
    return { id: kept === null ? `e${this.lastId}` : `k${kept}`, kept, event };
  }

  /** Requests the newest kept events: those before the view was opened, and those missed while the stream was lost. */
  private async askMissed(): Promise<void> {
    const { generation } = this;
    const newest = this.entries.reduce((last, { kept }) => Math.max(last, kept ?? 0), 0);
    if (newest === 0 && !this.wantsHistory) return;
    try {
      const page = await keptEvents(this.app.link, { ...this.params(), limit: PAGE_COUNT });
      if (generation !== this.generation) return;
      const known = new Set([...this.entries, ...this.waiting].map(({ kept }) => kept));
      const fresh = page.events.filter((event) => !known.has(number(event, "number")) && (number(event, "number") ?? 0) > newest).reverse();
      if (newest === 0) this.older = page.next;
      if (fresh.length === 0) return;
      // Events that arrived in the meantime are newer than those kept before the request.
      const entries = fresh.map((event) => this.entry(event)).concat(newest === 0 ? this.entries : []);
      this.entries = newest === 0 ? entries : [...this.entries, ...entries].sort((left, right) => (left.kept ?? 0) - (right.kept ?? 0));
      this.app.frames.request(this);
    } catch (error) {
      this.app.tellError(error);
    }
  }

  private async askOlder(): Promise<void> {
    if (this.older === null || this.isAskingOlder || this.entries.length >= ENTRY_COUNT_MAX) return;
    this.isAskingOlder = true;
    const { generation } = this;
    try {
      const page = await keptEvents(this.app.link, { ...this.params(), before: this.older, limit: PAGE_COUNT });
      if (generation === this.generation && this.older !== null) {
        this.older = page.next;
        this.entries = [...page.events].reverse().map((event) => this.entry(event)).concat(this.entries);
        this.app.frames.request(this);
      }
    } catch (error) {
      this.app.tellError(error);
    }
    this.isAskingOlder = false;
  }

  private take(told: Json): void {
    this.missed += number(told, "missed") ?? 0;
    const into = this.isPaused ? this.waiting : this.entries;
    for (const event of list(told, "events")) into.push(this.entry(event));
    if (!this.isPaused) this.newCount += list(told, "events").length;
    if (into.length > ENTRY_COUNT_MAX + 2_000) {
      into.splice(0, into.length - ENTRY_COUNT_MAX);
      this.older = null;
    }
    this.app.frames.request(this);
  }

  private setPaused(isPaused: boolean): void {
    this.isPaused = isPaused;
    if (!isPaused) {
      this.newCount += this.waiting.length;
      this.entries = this.entries.concat(this.waiting).slice(-ENTRY_COUNT_MAX);
      this.waiting = [];
    }
    this.draw();
  }

  // MARK: Drawing

  private at(index: number): Entry | undefined { return this.entries[this.entries.length - 1 - index]; }

  draw(): void {
    const { entries } = this;
    say(this.note, [plural(entries.length, "event"), this.isPaused ? `paused, ${count(this.waiting.length)} more came` : "the newest first",
    this.missed > 0 ? `${count(this.missed)} left out because they came too fast` : ""].filter((part) => part !== "").join(" · "));
    const isAtStart = this.list.isAtStart;
    const top = this.list.element.scrollTop;
    this.list.setRows({
      count: entries.length, key: (index) => this.at(index)?.id ?? "",
      fill: (element, index) => fillEvent(element, this.at(index)?.event ?? null, this.app),
    });
    // When scrolled down, the visible lines stay in place while new ones are added above.
    if (!isAtStart && !this.isPaused) this.list.element.scrollTop = top + this.newCount * ROW_HEIGHT;
    this.newCount = 0;
  }

  private open(entry: Entry | undefined): void {
    if (entry === undefined) return;
    this.remember(entry.event);
    this.split.fill(this.detail.element);
    void this.detail.open(entry.event);
  }
}

function fillEvent(element: HTMLElement, event: Json, app: Page): void {
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
  say(cells[4], `${keys.map(String).join(", ")}${more > 0 ? ` and ${more} more` : ""}${libraryId === null || libraryId === "" ? ""
    : ` · ${app.facts.libraryName(libraryId)}`}`);
}
