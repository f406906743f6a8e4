import type { Observation } from "../link/link";
import type { Json } from "../model/json";
import type { Place } from "../model/address";
import { flag, isArray, list, member, number, stringify, text } from "../model/json";
import { applyPatch } from "../model/diff";
import { button, choose, fill, h, labelled, say, set, setChoices, show } from "../ui/dom";
import { ago, count, cut, duration, plural } from "../ui/format";
import { jsonView } from "../ui/json-view";
import { WindowedList } from "../ui/windowed";
import { fillRow } from "./entities";
import type { Page } from "./page";
import { Split } from "./split";
import type { View } from "./view";

const PAGE_COUNT = 500;
const QUERY_COUNT_MAX = 100_000;
const INTERVAL = 2_000;
/** How long a changed element is marked, in milliseconds. */
const MARK_TIME = 1_000;
const POLL_INTERVAL = 1_000;

const REASONS: Record<string, string> = {
  event: "a bulk operation or refresh of the server", invalidated: "it was invalidated", log: "events of its library were lost, or the log began anew",
  list: "a change whose effect on the list is not known", answer: "its answer was older than writes made meanwhile", expired: "its time to live is over",
  missing: "an element is in no tier", unanswered: "no answer came yet", earlier: "it was stale when the cache was opened",
};

interface Element {
  summary: string;
  key: string;
  changedAt: number;
}

/** The Queries view: queries with their size, staleness, observers and hits, and one of them as a live list. */
export class QueriesView implements View {
  readonly name = "Queries";
  isShown = false;
  readonly element: HTMLElement;
  private readonly filter = h("input", { type: "search", placeholder: "method or input", spellcheck: "false", autocomplete: "off" });
  private readonly typeChoice = h("select");
  private readonly list = new WindowedList(44, "Queries", "No query is stored.");
  private readonly note = h("p", { class: "muted note", role: "status" });
  private readonly split: Split;
  private queries: readonly Json[] = [];
  private shown: readonly Json[] = [];
  private chosen: number | null = null;
  private wanted: { library: string; method: string; input: string; } | null = null;
  private timer = 0;
  private isAsking = false;
  // The selected query.
  private readonly title = h("h2");
  private readonly facts = h("dl", { class: "facts" });
  private readonly input = h("div");
  private readonly liveNote = h("p", { class: "muted", role: "status" });
  private readonly live = new WindowedList(44, "Elements of the list", "The list is empty.");
  private readonly refetch = button("Refetch", () => void this.act("query.read"));
  private readonly invalidate = button("Invalidate", () => void this.act("cache.invalidate"));
  private readonly detail: HTMLElement;
  private observation: Observation | null = null;
  /** True if the cache counts this page's observation. */
  private isObserved = false;
  /** The timer that polls a cache without notifications; 0 if it does not run. */
  private poll = 0;
  private elements: Element[] = [];
  /** How long this page waited for the list. */
  private readTook = "–";
  private drawnInput = "";

  /** Creates the view with nothing chosen. */
  constructor(private readonly app: Page) {
    this.detail = h("article", { class: "query" }, h("div", { class: "card-head" }, this.title, h("div", { class: "actions" }, this.refetch, this.invalidate)),
      this.facts, h("section", { class: "card" }, h("h3", {}, "Input"), this.input),
      h("section", { class: "card live" }, h("h3", {}, "The list, live"), this.liveNote, ...this.live.parts));
    this.split = new Split([this.note, ...this.list.parts], "Choose a query to see its list move.", () => {
      this.close();
      this.app.moved();
    });
    this.filter.addEventListener("input", () => this.draw());
    this.typeChoice.addEventListener("change", () => void this.ask());
    this.list.onChoose = (index) => {
      this.open(this.shown[index]);
      this.app.moved();
    };
    this.live.onChoose = (index) => this.app.openEntity(this.libraryOfChosen, this.elements[index].key);
    const bar = h("form", { class: "bar", role: "search", "aria-label": "Queries", on: { submit: (event) => event.preventDefault() } },
      labelled("Find", this.filter), labelled("Type", this.typeChoice));
    this.element = h("div", { class: "view" }, bar, this.split.element);
  }

  get place(): Place {
    const { query, wanted } = this;
    const chosen = { library: this.libraryOfChosen, method: text(query, "method") ?? "", input: stringify(member(query, "input") ?? null) };
    return { find: this.filter.value, type: this.typeChoice.value, ...(query === null ? wanted ?? {} : chosen) };
  }

  go({ find = "", type = "", library = "", method, input = "null" }: Place): void {
    this.filter.value = find;
    choose(this.typeChoice, type, type === "" ? "every type" : type);
    if (method === undefined) {
      this.close();
      this.split.clear();
    } else {
      this.wanted = { library, method, input };
    }
    void this.ask();
  }

  show(): void {
    this.isShown = true;
    const types = [...new Set(this.app.facts.types.map(({ type }) => type))].sort();
    setChoices(this.typeChoice, [{ value: "", label: "every type" }, ...types.map((type) => ({ value: type, label: type }))]);
    this.timer = window.setInterval(() => void this.ask(), INTERVAL);
    void this.ask();
    this.observe();
  }

  hide(): void {
    this.isShown = false;
    window.clearInterval(this.timer);
    this.endObservation();
  }

  /** Selects a query. */
  openQuery(libraryId: string, method: string, input: string): void {
    this.filter.value = "";
    this.typeChoice.value = "";
    this.wanted = { library: libraryId, method, input };
    void this.ask();
  }

  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const found: Json[] = [];
      const type = this.typeChoice.value === "" ? undefined : this.typeChoice.value;
      for (let after: number | null = 0; after !== null && found.length < QUERY_COUNT_MAX;) {
        const page: Json = await this.app.link.call("query.list", { after, limit: PAGE_COUNT, resource_type: type });
        found.push(...list(page, "queries"));
        after = number(page, "next");
        // Thousands of queries are requested when the view is opened, but not every two seconds.
        if (after !== null && this.queries.length > 5_000) {
          after = null;
          found.push(...this.queries.slice(found.length));
        }
      }
      this.queries = found;
      if (this.wanted !== null) this.openWanted();
      this.app.frames.request(this);
    } catch (error) {
      this.app.tellError(error);
    }
    this.isAsking = false;
  }

  private openWanted(): void {
    const { wanted } = this;
    const found = this.queries.find((query) => text(query, "library_id") === wanted?.library && text(query, "method") === wanted?.method
      && stringify(member(query, "input") ?? null) === wanted?.input);
    this.wanted = null;
    if (found === undefined) return this.app.tell("The query is not stored any more.");
    this.open(found);
    this.list.choose(String(number(found, "number")));
  }

  draw(): void {
    const part = this.filter.value.toLowerCase();
    this.shown = part === "" ? this.queries
      : this.queries.filter((query) => `${text(query, "method")} ${stringify(member(query, "input") ?? null)}`.toLowerCase().includes(part));
    say(this.note, `${plural(this.shown.length, "query", "queries")}, ${count(this.shown.filter((query) => flag(query, "stale")).length)} stale`);
    this.list.setEmptyText(this.queries.length === 0 ? "No query is stored." : "No query matches.");
    this.list.setRows({
      count: this.shown.length, key: (index) => String(number(this.shown[index], "number")),
      fill: (element, index) => this.fillQuery(element, this.shown[index]),
    });
    this.drawFacts();
  }

  /** Returns the number of observers of a query, without this page. */
  private observersOf(query: Json): number {
    const own = this.observation !== null && this.isObserved && number(query, "number") === this.chosen ? 1 : 0;
    return Math.max(0, (number(query, "observers") ?? 0) - own);
  }

  private fillQuery(element: HTMLElement, query: Json): void {
    const input = member(query, "input") ?? null;
    fillRow(element, `${text(query, "method")}${input === null ? "" : ` ${cut(stringify(input), 120)}`}`,
      [plural(number(query, "count") ?? 0, "element"), plural(this.observersOf(query), "observer"), plural(number(query, "hits") ?? 0, "hit"),
      flag(query, "stale") ? `stale: ${REASONS[text(query, "reason") ?? ""] ?? "unknown"}` : "fresh", flag(query, "pending") ? "pending edits"
        : ""].filter((part) => part !== "").join(" · "));
    set(element, "data-stale", flag(query, "stale"));
  }

  // MARK: The chosen query

  private get query(): Json { return this.queries.find((query) => number(query, "number") === this.chosen) ?? null; }

  private get libraryOfChosen(): string { return text(this.query, "library_id") ?? ""; }

  private open(query: Json): void {
    this.endObservation();
    this.chosen = number(query, "number");
    this.elements = [];
    this.drawnInput = "";
    this.split.fill(this.detail);
    this.drawFacts();
    this.drawLive();
    this.observe();
  }

  private close(): void {
    this.endObservation();
    this.chosen = null;
    this.list.choose(null);
  }

  private drawFacts(): void {
    const { query } = this;
    if (this.chosen === null) return;
    if (query === null) {
      say(this.liveNote, "The query is not stored any more.");
      return;
    }
    const input = member(query, "input") ?? null;
    say(this.title, text(query, "method") ?? "");
    if (this.drawnInput !== stringify(input)) {
      this.drawnInput = stringify(input);
      fill(this.input, jsonView(input));
    }
    const rows: [string, string][] = [
      ["Library", this.app.facts.libraryName(text(query, "library_id"))], ["Type", text(query, "resource_type") ?? "–"],
      ["Elements", count(number(query, "count"))],
      ["Stale", flag(query, "stale") ? `${REASONS[text(query, "reason") ?? ""] ?? "yes"}${number(query, "stale_since") === null ? "" : `,
        ${ago(number(query, "stale_since"))}`}` : "no"],
      ["As of", number(query, "as_of") === null ? "–" : `sequence ${number(query, "as_of")}`], ["Answered", ago(number(query, "stored_at"))],
      ["Last fetch", fetchText(query)], ["Read here", this.readTook],
      ["Time to live", number(query, "ttl") === null ? "–" : duration(1_000 * (number(query, "ttl") ?? 0))], ["Observers", count(this.observersOf(query))],
      ["Hits", count(number(query, "hits"))], ["Tags", member(query, "tags") === null ? "–" : cut(stringify(member(query, "tags") ?? null), 200)],
      ["Rule", member(query, "membership") === null ? (flag(query, "local") ? "local" : "none") : cut(stringify(member(query, "membership") ?? null), 400)],
    ];
    fill(this.facts, ...rows.map(([name, value]) => h("div", { class: name === "Rule" ? "wide" : "" }, h("dt", {}, name), h("dd", {}, value))));
    const { isReadOnly } = this.app;
    show(this.refetch, !isReadOnly && !flag(query, "local"));
    show(this.invalidate, !isReadOnly && !flag(query, "local"));
  }

  private observe(): void {
    const { query } = this;
    if (query === null || this.observation !== null || this.poll !== 0) return;
    const type = text(query, "resource_type") ?? "";
    const make = (value: Json): Element => ({ summary: cut(stringify(value), 200), key: keyOf(type, value), changedAt: 0 });
    const params = {
      library_id: text(query, "library_id") ?? "", method: text(query, "method"), input: member(query, "input") ?? null, policy: "cacheOnly",
      allow_stale: true
    };
    const start = performance.now();
    this.observation = this.app.link.observe("query.observe", params, {
      begun: (result) => {
        this.isObserved = true;
        this.readTook = duration(performance.now() - start);
        const keys = list(result, "keys");
        this.elements = list(result, "entities").map((value, index) => ({ ...make(value), key: String(keys[index]) }));
        say(this.liveNote, "It changes as the cache does. Choose an element to see the entity.");
        this.drawLive();
      },
      told: (_, told) => {
        const patch = member(told, "patch");
        const changed = applyPatch(this.elements, isArray(patch) ? patch : [], make);
        const now = performance.now();
        for (const element of changed) element.changedAt = now;
        if (changed.length > 0) window.setTimeout(() => this.requestLive(), MARK_TIME + 20);
        this.requestLive();
      },
      failed: (error) => {
        this.observation = null;
        say(this.liveNote, error.message);
        if (error.code !== "read_only") return;
        this.app.facts.becomeReadOnly();
        this.poll = window.setInterval(() => void this.readAgain(params, make), POLL_INTERVAL);
        void this.readAgain(params, make, true);
      },
    });
  }

  /** Reads the list again from a cache without notifications, and marks the elements that are new or differ. */
  private async readAgain(params: object, make: (value: Json) => Element, isFirst = false): Promise<void> {
    const { chosen } = this;
    try {
      const result = await this.app.link.call("query.read", params);
      if (chosen !== this.chosen || this.poll === 0) return;
      const keys = list(result, "keys");
      const before = new Map(this.elements.map((element) => [element.key, element]));
      const now = performance.now();
      this.elements = list(result, "entities").map((value, index) => {
        const element = { ...make(value), key: String(keys[index]) };
        const old = before.get(element.key);
        const isSame = old !== undefined && old.summary === element.summary;
        return { ...element, changedAt: isFirst ? 0 : isSame ? old.changedAt : now };
      });
      say(this.liveNote, "It is read again each second: the database is only read.");
      if (this.elements.some(({ changedAt }) => changedAt === now)) window.setTimeout(() => this.requestLive(), MARK_TIME + 20);
      this.requestLive();
    } catch (error) {
      say(this.liveNote, error instanceof Error ? error.message : String(error));
    }
  }

  private endObservation(): void {
    this.observation?.end();
    this.observation = null;
    this.isObserved = false;
    window.clearInterval(this.poll);
    this.poll = 0;
  }

  private readonly liveDrawn = ((view: QueriesView) => ({ get isShown() { return view.isShown; }, draw: () => view.drawLive() }))(this);

  private requestLive(): void { this.app.frames.request(this.liveDrawn); }

  private drawLive(): void {
    const now = performance.now();
    this.live.setRows({
      count: this.elements.length, key: (index) => String(index),
      fill: (element, index) => {
        fillRow(element, this.elements[index].key, this.elements[index].summary);
        set(element, "data-changed", this.elements[index].changedAt > 0 && now - this.elements[index].changedAt < MARK_TIME);
      },
    });
  }

  private async act(method: "query.read" | "cache.invalidate"): Promise<void> {
    const { query } = this;
    if (query === null) return;
    const params = { library_id: text(query, "library_id") ?? "", method: text(query, "method"), input: member(query, "input") ?? null };
    const control = method === "query.read" ? this.refetch : this.invalidate;
    control.disabled = true;
    try {
      const result = await this.app.link.call(method, method === "query.read" ? { ...params, policy: "networkOnly" } : params);
      this.app.tell(method === "query.read" ? `Fetched: ${plural(list(result, "keys").length, "element")}.` : "Invalidated: the next read asks the server.");
      void this.ask();
    } catch (error) {
      this.app.tellError(error);
    }
    control.disabled = false;
  }
}

/** Returns the key of an element in a patch. */
function keyOf(type: string, value: Json): string {
  const id = member(value, "id") ?? member(value, "uuid");
  return id === undefined ? type : `${type}:${typeof id === "string" ? id : stringify(id)}`;
}

/** Returns how long the last fetch took, and why it failed. */
function fetchText(query: Json): string {
  const fetch = member(query, "fetch") ?? null;
  const took = number(fetch, "took");
  if (took === null) return "–";
  const failure = text(fetch, "error");
  return `${duration(took)}, ${ago(number(fetch, "at"))}${failure === null ? "" : `, failed: ${failure}`}`;
}
