import { freshId, h, set, show } from "./dom";

/** The rows of a windowed list. */
export interface Rows {
  /** The number of rows. */
  readonly count: number;
  /** Returns a name of the row that stays the same when rows are added before it. */
  key(index: number): string;
  /** Fills the element of a row, which may have shown another row before. */
  fill(element: HTMLElement, index: number): void;
}

const OVERSCAN = 6;

/** A list that creates elements only for visible rows. A click, the arrow keys, Home and End select a row. */
export class WindowedList {
  /** The element of the list. */
  readonly element: HTMLElement;
  private readonly space: HTMLElement;
  private readonly empty: HTMLElement;
  private readonly pool: HTMLElement[] = [];
  private rows: Rows = { count: 0, key: () => "", fill: () => undefined };
  private chosen: string | null = null;
  private active = -1;
  private isDirty = false;
  /** Called with the index of the row that the user selected. */
  onChoose: (index: number) => void = () => undefined;
  /** Called when the user scrolls close to the end. */
  onEnd: () => void = () => undefined;

  /** Creates an empty list with rows of one height in pixels; `emptyText` is shown while it has no rows. */
  constructor(private readonly rowHeight: number, label: string, emptyText: string) {
    this.space = h("div", { class: "space", role: "presentation" });
    this.element = h("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": label }, this.space);
    this.empty = h("p", { class: "empty" }, emptyText);
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.element.addEventListener("focus", () => { if (this.active < 0 && this.rows.count > 0) this.activate(this.chosenIndex() ?? 0, false); });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** The list, and the text that is shown instead while it is empty. */
  get parts(): [HTMLElement, HTMLElement] { return [this.element, this.empty]; }

  /** Replaces the rows. */
  setRows(rows: Rows): void {
    this.rows = rows;
    this.isDirty = true;
    if (this.active >= rows.count) this.active = rows.count - 1;
    this.draw();
  }

  /** Sets the text that is shown while the list is empty. */
  setEmptyText(text: string): void { if (this.empty.textContent !== text) this.empty.textContent = text; }

  /** Selects the row with a key; null selects none. */
  choose(key: string | null): void {
    this.chosen = key;
    this.isDirty = true;
    this.draw();
  }

  /** Scrolls to the first row. */
  scrollToStart(): void { this.element.scrollTop = 0; }

  /** Scrolls to a row. */
  reveal(index: number): void { this.element.scrollTop = Math.max(0, index * this.rowHeight - this.element.clientHeight / 2); }

  /** The range of visible rows, with some before and after them. */
  get window(): { first: number; last: number; } {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.rowHeight) - OVERSCAN);
    return { first, last: Math.min(this.rows.count, Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.rowHeight) + OVERSCAN) };
  }

  /** True if the first row is visible. */
  get isAtStart(): boolean { return this.element.scrollTop < this.rowHeight; }

  /** Draws the visible rows. */
  draw(): void {
    const { count } = this.rows;
    show(this.element, count > 0);
    show(this.empty, count === 0);
    if (count === 0) return;
    this.space.style.height = `${count * this.rowHeight}px`;
    const { first, last } = this.window;
    while (this.pool.length < last - first) this.pool.push(this.makeRow());
    // A row keeps its element while the window moves, so that most elements need no change.
    const size = this.pool.length;
    for (const element of this.pool) element.dataset.seen = "";
    for (let index = first; index < last; index += 1) {
      const element = this.pool[index % size];
      element.dataset.seen = "yes";
      if (this.isDirty || element.dataset.index !== String(index)) this.fillRow(element, index);
    }
    for (const element of this.pool) {
      const isSeen = element.dataset.seen === "yes";
      if (!isSeen) element.dataset.index = "";
      show(element, isSeen);
    }
    this.isDirty = false;
    set(this.element, "aria-activedescendant", this.active >= first && this.active < last ? this.pool[this.active % size].id : null);
    if (last > count - 20) this.onEnd();
  }

  private makeRow(): HTMLElement {
    const element = h("div", { class: "row", role: "option", id: freshId("row") });
    element.addEventListener("click", () => {
      this.activate(Number(element.dataset.index), true);
    });
    this.space.append(element);
    return element;
  }

  private fillRow(element: HTMLElement, index: number): void {
    element.dataset.index = String(index);
    element.style.transform = `translateY(${index * this.rowHeight}px)`;
    set(element, "aria-posinset", index + 1);
    set(element, "aria-setsize", this.rows.count);
    set(element, "aria-selected", String(this.rows.key(index) === this.chosen));
    set(element, "data-active", index === this.active);
    this.rows.fill(element, index);
  }

  private chosenIndex(): number | null {
    for (let index = 0; index < this.rows.count; index += 1) if (this.rows.key(index) === this.chosen) return index;
    return null;
  }

  private press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" || event.key === " ") {
      if (this.active >= 0) this.activate(this.active, true);
    } else if (event.key in steps) {
      this.activate(Math.max(0, Math.min(this.rows.count - 1, Math.max(this.active, 0) + steps[event.key])), true);
    } else {
      return;
    }
    event.preventDefault();
  }

  private activate(index: number, isChosen: boolean): void {
    if (index < 0 || index >= this.rows.count) return;
    this.active = index;
    const top = index * this.rowHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + this.rowHeight > this.element.scrollTop + this.element.clientHeight) {
      this.element.scrollTop = top + this.rowHeight - this.element.clientHeight;
    }
    if (isChosen) this.chosen = this.rows.key(index);
    this.isDirty = true;
    this.draw();
    if (isChosen) this.onChoose(index);
  }
}
