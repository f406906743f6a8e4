import type { Bin } from "../link/facts";
import { BINS, SAMPLE_COUNT_MAX } from "../link/facts";
import type { Json } from "../model/json";
import { list, number, object, text } from "../model/json";
import { button, fill, h, say, set, show } from "../ui/dom";
import { bytes, count, duration, plural, rate } from "../ui/format";
import { NetworkCard } from "./network";
import type { Page } from "./page";
import { ScopesCard } from "./scopes";
import type { View } from "./view";

const WORDS: Record<Bin, string> = {
  applied: "applied", reconciled: "brought by an upstream", duplicate: "duplicate", ignored: "ignored", held: "held", quarantined: "quarantined",
};
const CHART_HEIGHT = 180;

/** The Now view: events per second, libraries, sizes, and findings. */
export class NowView implements View {
  readonly name = "Now";
  isShown = false;
  private readonly tiles = new Map<string, HTMLElement>();
  private readonly canvas = h("canvas", { role: "img", "aria-label": "Events a second in the last 10 minutes" });
  private readonly legend = h("ul", { class: "legend" });
  private readonly libraryRows = h("tbody");
  private readonly libraryCount = h("p", { class: "muted" });
  private readonly findings = h("ul", { class: "findings", tabindex: "0", "aria-label": "What is wrong" });
  private readonly verdict = h("p", { class: "verdict" }, "Looking …");
  private readonly examineButton = button("Examine again", () => void this.examine());
  private readonly saveButton = button("Save the last minutes", () => void this.save());
  private readonly network: NetworkCard;
  private readonly scopes: ScopesCard;
  readonly element: HTMLElement;
  private unfollow: () => void = () => undefined;
  private flushText = "–";
  private flushedAt = 0;

  /** Creates the view with empty tiles. */
  constructor(private readonly app: Page) {
    this.network = new NetworkCard(app);
    this.scopes = new ScopesCard(app);
    const tiles = h("dl", { class: "tiles" });
    for (const [name, label] of [
      ["rate", "Events a second"], ["entities", "Entities"], ["queries", "Queries"], ["observers", "Observers"], ["pending", "Pending edits"],
      ["memory", "Memory"], ["disk", "Disk"], ["hits", "Reads answered"], ["flush", "Flush, mean"], ["quarantined", "Quarantined"],
    ]) {
      const value = h("dd", {}, "–");
      this.tiles.set(name, value);
      tiles.append(h("div", { class: "tile" }, h("dt", {}, label), value));
    }
    for (const bin of BINS) this.legend.append(h("li", {}, h("span", { class: `swatch bin-${bin}`, "aria-hidden": "true" }), h("span", {}, WORDS[bin]),
      h("b", {}, "0")));
    this.element = h("div", { class: "now" },
      tiles,
      h("section", { class: "card chart" }, h("h2", {}, "Events a second, the last 10 minutes"), this.canvas, this.legend),
      h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "What is wrong"),
        h("div", { class: "actions" }, this.saveButton, this.examineButton)), this.verdict, this.findings),
      this.network.element,
      h("section", { class: "card wide" }, h("h2", {}, "Libraries"), this.libraryCount,
        h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Libraries" },
          h("table", {}, h("thead", {}, h("tr", {}, ...["Library", "State", "Cursor", "Epoch", "Lost"].map((title) => h("th", { scope: "col" }, title)))),
            this.libraryRows))),
      this.scopes.element);
    show(this.saveButton, this.app.link.download !== undefined);
    new ResizeObserver(() => this.app.frames.request(this)).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.app.frames.request(this));
  }

  readonly place = {};

  go(): void { /* It shows everything at once. */ }

  show(): void {
    this.isShown = true;
    this.unfollow = this.app.facts.follow(() => {
      this.app.frames.request(this);
      if (performance.now() - this.flushedAt > 5_000) void this.askMetrics();
    });
    this.app.frames.request(this);
    void this.network.ask();
    if (this.findings.childElementCount === 0) void this.examine();
  }

  hide(): void {
    this.isShown = false;
    this.unfollow();
  }

  draw(): void {
    const { facts } = this.app;
    const { stats, samples } = facts;
    const last = samples[samples.length - 1];
    this.tile("rate", last === undefined ? "–" : rate(BINS.reduce((sum, bin) => sum + last[bin], 0)));
    if (stats !== null) this.drawSizes(stats);
    this.tile("flush", this.flushText);
    BINS.forEach((bin, index) => {
      const value = this.legend.children[index].lastElementChild;
      if (value !== null) say(value, last === undefined ? "0" : rate(last[bin]));
    });
    this.drawLibraries();
    this.drawChart();
  }

  private drawSizes(stats: Json): void {
    this.tile("entities", count(number(stats, "entities")));
    this.tile("queries", count(number(stats, "queries")));
    // The observers of this page itself are not counted.
    this.tile("observers", count(Math.max(0, (number(stats, "observers") ?? 0) - this.app.link.observationCount)));
    this.tile("pending", count(number(stats, "pending")));
    this.tile("memory", bytes(number(stats, "memory_bytes")));
    this.tile("disk", bytes(number(stats, "disk_bytes")));
    const hits = number(stats, "hits") ?? 0;
    const misses = object(stats, "misses").members.reduce((sum, [name]) => sum + (number(object(stats, "misses"), name) ?? 0), 0);
    this.tile("hits", hits + misses === 0 ? "–" : `${Math.round(100 * hits / (hits + misses))} %`);
    this.tile("quarantined", count(number(object(stats, "events"), "quarantined")));
    set(this.tiles.get("disk")?.parentElement ?? this.element, "data-bad", text(stats, "storage") !== "ok");
  }

  private tile(name: string, value: string): void {
    const tile = this.tiles.get(name);
    if (tile !== undefined) say(tile, value);
  }

  private drawLibraries(): void {
    const libraries = this.app.facts.libraries.slice(0, 200);
    const total = this.app.facts.libraries.length;
    say(this.libraryCount, total === 0 ? "No library is known yet." : total > libraries.length ? `${count(total)} libraries; the first ${libraries.length}`
      : "");
    show(this.libraryCount, this.libraryCount.textContent !== "");
    while (this.libraryRows.childElementCount > libraries.length) this.libraryRows.lastElementChild?.remove();
    libraries.forEach((found, index) => {
      const row = this.libraryRows.children[index] ?? this.libraryRows.appendChild(h("tr", {}, h("th", { scope: "row" }),
        h("td", {}, h("span", { class: "badge" })), h("td", { class: "digits" }), h("td"), h("td")));
      const cells = row.children;
      say(cells[0], this.app.facts.libraryName(found.id));
      const badge = cells[1].firstElementChild;
      if (badge !== null) {
        say(badge, found.state);
        set(badge, "data-state", found.state);
      }
      say(cells[2], found.cursor === null ? "–" : count(Number(found.cursor)));
      say(cells[3], found.epoch === "" ? "–" : found.epoch);
      say(cells[4], found.lost.length === 0 ? "–" : found.lost.slice(0, 8).join(", ") + (found.lost.length > 8 ? ` and ${found.lost.length - 8} more` : ""));
    });
  }

  // MARK: The chart

  private drawChart(): void {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const scale = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(CHART_HEIGHT * scale)) this.canvas.height = Math.round(CHART_HEIGHT * scale);
    const context = this.canvas.getContext("2d");
    if (context === null) return;
    const style = getComputedStyle(this.canvas);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, CHART_HEIGHT);
    const { samples } = this.app.facts;
    const highest = niceTop(samples.reduce((top, sample) => Math.max(top, BINS.reduce((sum, bin) => sum + sample[bin], 0)), 0));
    const [left, bottom, top] = [46, CHART_HEIGHT - 22, 8];
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = colour("--muted");
    context.strokeStyle = colour("--line");
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const part of [0, 0.5, 1]) {
      const y = bottom - (bottom - top) * part;
      context.beginPath();
      context.moveTo(left, Math.round(y) + 0.5);
      context.lineTo(width, Math.round(y) + 0.5);
      context.stroke();
      context.fillText(rate(highest * part), left - 8, y);
    }
    context.textAlign = "left";
    context.fillText("10 min ago", left, CHART_HEIGHT - 8);
    context.textAlign = "right";
    context.fillText("now", width, CHART_HEIGHT - 8);
    const step = (width - left) / SAMPLE_COUNT_MAX;
    samples.forEach((sample, index) => {
      const x = width - (samples.length - index) * step;
      let y = bottom;
      for (const bin of BINS) {
        const height = (bottom - top) * sample[bin] / highest;
        if (height <= 0) continue;
        context.fillStyle = colour(`--bin-${bin}`);
        context.fillRect(x, y - height, Math.max(1, step), height);
        y -= height;
      }
    });
  }

  // MARK: Findings and flushes

  private async examine(): Promise<void> {
    this.examineButton.disabled = true;
    try {
      const answer = await this.app.link.call("doctor.findings");
      const all = list(answer, "findings");
      const shown = all.filter((finding) => ["warning", "problem"].includes(text(finding, "level") ?? ""));
      const problems = shown.filter((finding) => text(finding, "level") === "problem").length;
      say(this.verdict, shown.length === 0 ? "Nothing." : `${plural(problems, "problem")}, ${plural(shown.length - problems, "warning")}`);
      fill(this.findings, ...shown.concat(all.filter((finding) => text(finding, "level") === "note")).slice(0, 100).map((finding) => h("li", {},
        h("span", { class: "badge", "data-state": text(finding, "level") ?? "" }, text(finding, "level") ?? ""),
        h("span", {}, text(finding, "what") ?? "", text(finding, "where") === "" ? "" : ` (${text(finding, "where")})`,
          text(finding, "advice") === "" ? null : h("span", { class: "muted" }, ` → ${text(finding, "advice")}`)))));
    } catch (error) {
      say(this.verdict, error instanceof Error ? error.message : "The cache cannot be examined.");
    }
    this.examineButton.disabled = false;
  }

  /** Saves the recording as a file for `tidemark replay`. */
  private async save(): Promise<void> {
    this.saveButton.disabled = true;
    try {
      const file = await this.app.link.download?.("/recording");
      if (file !== undefined) {
        const address = URL.createObjectURL(file);
        h("a", { href: address, download: "tidemark.rec" }).click();
        window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
        this.app.tell(`Saved ${bytes(file.size)}. It holds what the cache holds: keep it secret. Do it again with: tidemark replay tidemark.rec`);
      }
    } catch (error) {
      this.app.tellError(error);
    }
    this.saveButton.disabled = false;
  }

  private async askMetrics(): Promise<void> {
    this.flushedAt = performance.now();
    try {
      const metrics = await this.app.link.get("/metrics");
      if (metrics === null) return;
      const value = (name: string): number => Number(new RegExp(`^${name} ([0-9.e+]+)$`, "m").exec(metrics)?.[1] ?? 0);
      if (metrics.includes("tidemark_scope_streams{")) void this.scopes.ask().catch(() => undefined);
      const flushes = value("tidemark_flush_seconds_count");
      this.flushText = flushes === 0 ? "–" : duration(1_000 * value("tidemark_flush_seconds_sum") / flushes);
    } catch {
      // The next attempt may succeed.
    }
  }
}

/** Returns the next round number, as the top of an axis. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return power * ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10);
}
