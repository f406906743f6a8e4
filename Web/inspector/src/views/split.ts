import { button, h, show } from "../ui/dom";

/** A list beside the details of its selected row. On a narrow page only one of them is visible. */
export class Split {
  /** The element of list and details. */
  readonly element: HTMLElement;
  private readonly detail = h("section", { class: "detail", "aria-label": "Details" });
  private readonly body = h("div", { class: "detail-body" });

  /** Creates a split without details; `onBack` is called when the user returns to the list. */
  constructor(list: readonly HTMLElement[], private readonly emptyText: string, onBack: () => void) {
    const back = button("Back to the list", () => {
      this.clear();
      onBack();
    }, { class: "button back" });
    this.detail.append(back, this.body);
    this.element = h("div", { class: "split" }, h("div", { class: "master" }, ...list), this.detail);
    this.clear();
  }

  /** Shows details, scrolled to the top. */
  fill(...children: (HTMLElement | null)[]): void {
    this.element.dataset.chosen = "yes";
    this.body.replaceChildren(...children.filter((child): child is HTMLElement => child !== null));
    this.detail.scrollTop = 0;
  }

  /** Removes the details. */
  clear(): void {
    delete this.element.dataset.chosen;
    this.body.replaceChildren(h("p", { class: "empty" }, this.emptyText));
  }

  /** Hides the side of the details. */
  hideDetail(): void { show(this.detail, false); }
}
