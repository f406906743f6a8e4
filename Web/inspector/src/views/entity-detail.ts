import { keptEvents } from "../link/kept";
import type { Observation } from "../link/link";
import { entityCurl } from "../model/curl";
import type { FieldChange } from "../model/diff";
import { differences } from "../model/diff";
import type { Json } from "../model/json";
import { flag, isEqual, list, member, number, object, stringify, text } from "../model/json";
import { fieldChanges } from "../ui/changes";
import { copyButton } from "../ui/copy";
import { button, fill, h, say, set, show, toggle } from "../ui/dom";
import { ago, clock, cut, duration, plural } from "../ui/format";
import type { Drawn } from "../ui/frames";
import { jsonView } from "../ui/json-view";
import { editEntity } from "./entity-edit";
import type { Page } from "./page";

const CHANGE_COUNT_MAX = 50;
const EVENT_COUNT_MAX = 50;
const POLL_INTERVAL = 1_000;
const VALUE_LENGTH = 400;

const WRITERS: Record<string, string> = {
  event: "an event", answer: "an answer", transaction: "a transaction", confirmation: "a confirmed edit",
};
const MISSES: Record<string, string> = {
  absent: "The cache does not know it.", deleted: "It was deleted.", evicted: "It was evicted.", expired: "It is too old.",
};

interface Change {
  at: number;
  /** The new value. */
  entity: Json;
  fields: FieldChange[];
  isGone: boolean;
}

/** Shows one entity: its stored value and who wrote it, pending edits, the lists that contain it, and live changes. */
export class EntityDetail {
  /** The element of the details. */
  readonly element: HTMLElement;
  private readonly title = h("h2");
  private readonly badges = h("p", { class: "badges" });
  private readonly edits = toggle("With pending edits", true, () => this.drawShown());
  private readonly value = h("div");
  private readonly editButton = button("Edit", () => this.edit(), { class: "button small" });
  private readonly fields = h("tbody");
  private readonly layers = h("div");
  private readonly queries = h("ul", { class: "plain" });
  private readonly changes = h("ol", { class: "changes" });
  private readonly history = h("ol", { class: "changes", "aria-label": "Events that wrote it" });
  private readonly changeNote = h("p", { class: "muted" });
  /** The entity that is shown; null for none. */
  place: { library: string; key: string; } | null = null;
  private observation: Observation | null = null;
  private visible: Json = null;
  private miss: string | null = null;
  private base: Json = null;
  private explanation: Json = null;
  private log: Change[] = [];
  /** The kept events that wrote the entity, newest first. */
  private events: readonly Json[] = [];
  private generation = 0;
  /** The timer that polls a cache without notifications; 0 if it does not run. */
  private poll = 0;
  private isAsking = false;
  private isOutdated = false;
  private readonly valueDrawn: Drawn;
  private readonly allDrawn: Drawn;

  /** Creates details that show nothing yet. */
  constructor(private readonly app: Page) {
    this.valueDrawn = this.drawn(() => this.drawEntity());
    this.allDrawn = this.drawn(() => this.draw());
    const titles = ["Field", "Written by", "Sequence", "Age", "Limit"];
    this.element = h("article", { class: "entity" },
      h("div", { class: "card-head" }, this.title, h("div", { class: "actions" }, this.edits, this.editButton,
        copyButton("Copy the value", () => this.written()),
        this.app.link.server === undefined ? null : copyButton("Copy as curl", () => this.curl()))), this.badges,
      h("section", { class: "card" }, h("h3", {}, "Value"), this.value),
      h("section", { class: "card" }, h("h3", {}, "Who wrote it"), h("div",
        { class: "scroll", tabindex: "0", role: "group", "aria-label": "Fields and their writers" },
        h("table", {}, h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { scope: "col" }, title)))), this.fields))),
      h("section", { class: "card" }, h("h3", {}, "Pending edits over it"), this.layers),
      h("section", { class: "card" }, h("h3", {}, "Lists that hold it"), this.queries),
      h("section", { class: "card" }, h("h3", {}, "Changes while you watch"), this.changeNote, this.changes),
      h("section", { class: "card" }, h("h3", {}, "Events that wrote it"), this.history));
  }

  private drawn(draw: () => void): Drawn {
    const element = (): HTMLElement => this.element;
    return { get isShown() { return element().isConnected; }, draw };
  }

  /** Shows an entity and observes it. */
  open(library: string, key: string): void {
    if (this.place?.library === library && this.place.key === key) return;
    this.close();
    this.place = { library, key };
    this.log = [];
    this.events = [];
    say(this.title, key);
    fill(this.value);
    this.resume();
  }

  /** Shows no entity. */
  close(): void {
    this.pause();
    this.place = null;
  }

  /** Resumes observing when its view is shown. */
  resume(): void {
    if (this.place === null || this.observation !== null || this.poll !== 0) return;
    const { library, key } = this.place;
    const params = { library_id: library, resource_type: key.slice(0, key.indexOf(":")), id: key.slice(key.indexOf(":") + 1) };
    this.generation += 1;
    this.observation = this.app.link.observe("entity.observe", params, {
      begun: (result) => {
        this.visible = member(result, "entity") ?? null;
        this.miss = text(result, "miss");
        this.refresh();
      },
      told: (_, told) => {
        const entity = member(told, "entity") ?? null;
        this.change(entity, entity === null ? "deleted" : null);
      },
      failed: (error) => {
        this.observation = null;
        if (error.code !== "read_only") return this.app.tellError(error);
        this.app.facts.becomeReadOnly();
        this.poll = window.setInterval(() => void this.readAgain(), POLL_INTERVAL);
        void this.readAgain(true);
      },
    });
  }

  /** Stops observing while the view is hidden. */
  pause(): void {
    this.observation?.end();
    this.observation = null;
    window.clearInterval(this.poll);
    this.poll = 0;
  }

  /** Records a new value, and how it differs from the one before. */
  private change(entity: Json, miss: string | null): void {
    this.log.unshift({ at: Date.now(), entity, fields: differences(this.visible ?? undefined, entity ?? undefined).slice(0, 100), isGone: entity === null });
    this.log.length = Math.min(this.log.length, CHANGE_COUNT_MAX);
    this.visible = entity;
    this.miss = miss;
    this.refresh();
  }

  private async readAgain(isFirst = false): Promise<void> {
    if (this.place === null) return;
    const { generation } = this;
    const { library, key } = this.place;
    try {
      const result = await this.app.link.call("entity.get", {
        library_id: library, resource_type: key.slice(0, key.indexOf(":")),
        id: key.slice(key.indexOf(":") + 1)
      });
      if (generation !== this.generation) return;
      const entity = member(result, "entity") ?? null;
      if (isFirst) {
        this.visible = entity;
        this.miss = text(result, "miss");
        this.refresh();
      } else if (stringify(entity) !== stringify(this.visible)) {
        this.change(entity, text(result, "miss"));
      }
    } catch (error) {
      if (isFirst) this.app.tellError(error);
    }
  }

  /** Requests what notifications do not include: writers, layers and lists. At most one request at a time. */
  private refresh(): void {
    this.app.frames.request(this.valueDrawn);
    this.isOutdated = true;
    if (!this.isAsking) void this.askAgain();
  }

  private async askAgain(): Promise<void> {
    this.isAsking = true;
    while (this.isOutdated && this.place !== null) {
      this.isOutdated = false;
      const { generation } = this;
      const { library, key } = this.place;
      const params = { library_id: library, resource_type: key.slice(0, key.indexOf(":")), id: key.slice(key.indexOf(":") + 1) };
      try {
        const [base, explanation, kept] = await Promise.all([this.app.link.call("entity.get", { ...params, base: true }),
        this.app.link.call("cache.explain", params), keptEvents(this.app.link, { library_id: library, key, limit: EVENT_COUNT_MAX })]);
        if (generation === this.generation) {
          this.base = base;
          this.events = kept.events.filter((event) => list(event, "writes").some((write) => text(write, "key") === key));
          this.explanation = explanation;
          this.app.frames.request(this.allDrawn);
        }
      } catch (error) {
        this.app.tellError(error);
      }
      await new Promise((resolve) => { setTimeout(resolve, 250); });
    }
    this.isAsking = false;
  }

  // MARK: Drawing

  private draw(): void {
    this.drawEntity();
    const layers = list(this.base, "layers");
    const isPending = layers.length > 0;
    fill(this.badges,
      isPending ? h("span", { class: "badge", "data-state": "pending" }, plural(layers.length, "pending edit")) : null,
      flag(this.base, "stale") ? h("span", { class: "badge", "data-state": "stale" }, "its library is stale") : null,
      h("span", { class: "muted" }, number(this.base, "sequence") === null ? "no sequence" : `sequence ${number(this.base, "sequence")}`),
      h("span", { class: "muted" }, plural(Math.max(0, (number(this.explanation, "observers") ?? 0) - (this.observation === null ? 0 : 1)), "observer")));
    show(this.edits, isPending);
    show(this.editButton, !this.app.isReadOnly);
    this.drawFields();
    this.drawLayers(layers);
    const places = list(this.explanation, "queries");
    fill(this.queries, ...places.slice(0, 200).map((place) => h("li", {},
      button(`${text(place, "method")} ${cut(stringify(member(place, "input") ?? null), 80)}`, () => {
        this.app.openQuery(text(place, "library_id") ?? "", text(place, "method") ?? "", stringify(member(place, "input") ?? null));
      }, { class: "link" }),
      h("span", { class: "muted" }, ` at place ${(number(place, "index") ?? 0) + 1}${flag(place, "stale") ? ", stale" : ""}`))));
    this.drawHistory();
    if (places.length === 0) this.queries.append(h("li", { class: "muted" }, "No list holds it."));
  }

  private get isWithEdits(): boolean { return this.edits.getAttribute("aria-checked") === "true" || list(this.base, "layers").length === 0; }

  // MARK: Levers

  private edit(): void { if (this.place !== null) editEntity(this.app, this.place.library, this.place.key, this.visible); }

  private written(): string {
    const entity = this.isWithEdits ? this.visible : member(this.base, "entity") ?? null;
    return stringify(entity);
  }

  private curl(): string { return entityCurl(this.app.link.server ?? "", this.place?.library ?? "", this.place?.key ?? ""); }

  private drawShown(): void {
    this.drawEntity();
    this.drawFields();
  }

  private drawEntity(): void {
    const { isWithEdits } = this;
    const entity = isWithEdits ? this.visible : member(this.base, "entity") ?? null;
    const written = entity === null ? "" : stringify(entity);
    if (this.value.dataset.written !== written || entity === null) {
      this.value.dataset.written = written;
      const miss = isWithEdits ? this.miss : text(this.base, "miss");
      fill(this.value, entity === null ? h("p", { class: "muted" }, MISSES[miss ?? "absent"] ?? "It is not there.") : jsonView(entity));
    }
    this.drawChanges();
  }

  /** Returns the newest edit of each field whose edited value is shown. */
  private editedFields(): Map<string, string> {
    const edited = new Map<string, string>();
    if (!this.isWithEdits) return edited;
    for (const layer of list(this.base, "layers")) {
      const pendingId = text(layer, "pending_id") ?? "";
      for (const change of list(layer, "changes")) {
        for (const part of ["fields", "resource"]) for (const [name] of object(change, part).members) edited.set(name, pendingId);
      }
    }
    return edited;
  }

  private drawFields(): void {
    const fields = list(this.explanation, "fields");
    const edited = this.editedFields();
    const writer = (field: Json): (HTMLElement | string)[] => {
      const pendingId = edited.get(text(field, "name") ?? "");
      const stored = WRITERS[text(field, "writer") ?? ""] ?? "–";
      if (pendingId === undefined) return [stored];
      return [button(pendingId, () => this.app.openPending(pendingId), { class: "link", "aria-label": `the pending edit ${pendingId}` }), ` over ${stored}`];
    };
    fill(this.fields, ...fields.slice(0, 500).map((field) => h("tr", { "data-bad": flag(field, "stale") },
      h("th", { scope: "row" }, text(field, "name") ?? ""), h("td", {}, ...writer(field)),
      h("td", { class: "digits" }, this.sequence(number(field, "sequence"))),
      h("td", {}, ago(number(field, "written_at"))),
      h("td", {}, limit(field)))));
    if (fields.length === 0) {
      const deletion = object(this.explanation, "deletion");
      const isDeleted = deletion.members.length > 0;
      fill(this.fields, h("tr", {}, h("td", { colspan: "5", class: "muted" },
        isDeleted ? `Deleted by ${WRITERS[text(deletion, "writer") ?? ""] ?? "something"} ${ago(number(deletion, "written_at"))}.`
          : "Nothing of it is stored.")));
    }
  }

  /** Returns a sequence as a link to its event, in the log or in the recording. */
  private sequence(sequence: number | null): HTMLElement | string {
    if (sequence === null) return "–";
    const library = this.place?.library ?? "";
    return button(String(sequence), () => this.app.openEvent(library, sequence), { class: "link", "aria-label": `the event of sequence ${sequence}` });
  }

  private drawLayers(layers: readonly Json[]): void {
    fill(this.layers, ...layers.slice(0, 100).map((layer) => h("div", { class: "layer" },
      h("p", {}, button(text(layer, "pending_id") ?? "", () => this.app.openPending(text(layer, "pending_id") ?? ""), { class: "link" }), " ",
        h("span", { class: "badge", "data-state": text(layer, "state") ?? "" }, text(layer, "state") ?? ""),
        h("span", { class: "muted" }, ` ${ago(number(layer, "created_at"))}`)),
      ...list(layer, "changes").slice(0, 20).map((change) => h("code", { class: "operation" }, cut(stringify(change), VALUE_LENGTH))))));
    if (layers.length === 0) this.layers.append(h("p", { class: "muted" }, "None: what is shown is what the server said."));
  }

  private drawChanges(): void {
    say(this.changeNote, this.log.length === 0 ? "None yet. The next ones appear here, the last 50 of them." : "");
    show(this.changeNote, this.log.length === 0);
    fill(this.changes, ...this.log.map((change) => h("li", {}, h("time", { class: "muted" }, clock(change.at)), this.cause(change),
      change.isGone ? h("p", {}, "It is gone.") : null,
      ...fieldChanges(change.fields))));
    set(this.changes, "aria-label", "Changes");
  }

  /** Returns what an event wrote to the entity; null if nothing. */
  private write(event: Json): Json { return list(event, "writes").find((write) => text(write, "key") === this.place?.key) ?? null; }

  /** Returns a link to the event that caused a change; null if no kept event wrote this value. */
  private cause(change: Change): HTMLElement | null {
    const event = this.events.find((one) => isEqual(member(this.write(one), "after") ?? null, change.entity));
    return event === undefined ? null : this.eventLink(event);
  }

  private eventLink(event: Json): HTMLElement {
    const sequence = number(event, "sequence");
    return button(sequence === null ? "an event without a sequence" : `sequence ${sequence}`, () => this.app.openKept(event), { class: "link" });
  }

  private drawHistory(): void {
    fill(this.history, ...this.events.map((event) => {
      const [before, after] = [member(this.write(event), "before") ?? null, member(this.write(event), "after") ?? null];
      return h("li", {}, h("time", { class: "muted" }, clock(number(event, "at") ?? 0)), " ", this.eventLink(event),
        after === null ? h("p", {}, "It removed it.") : null, ...fieldChanges(differences(before ?? undefined, after ?? undefined).slice(0, 100)));
    }), this.events.length === 0 ? h("li", { class: "muted" }, "No event that is kept wrote it.") : null);
  }
}

/** Returns the maximum age of a field, and whether the field is past it. */
function limit(field: Json): string {
  const seconds = number(field, "max_age");
  return seconds === null ? "–" : `${duration(1_000 * seconds)}${flag(field, "stale") ? ", too old" : ""}`;
}
