import { button, h, show } from "../ui/dom";

/** A list beside what is chosen in it. On a narrow page one covers the other. */
export class Split {
  readonly element: HTMLElement;
  private readonly detail = h("section", { class: "detail", "aria-label": "Details" });
  private readonly body = h("div", { class: "detail-body" });

  constructor(list: readonly HTMLElement[], private readonly emptyText: string, onBack: () => void) {
    const back = button("Back to the list", () => {
      this.clear();
      onBack();
    }, { class: "button back" });
    this.detail.append(back, this.body);
    this.element = h("div", { class: "split" }, h("div", { class: "master" }, ...list), this.detail);
    this.clear();
  }

  /** Shows details, from their beginning. */
  fill(...children: (HTMLElement | null)[]): void {
    this.element.dataset.chosen = "yes";
    this.body.replaceChildren(...children.filter((child): child is HTMLElement => child !== null));
    this.detail.scrollTop = 0;
  }

  clear(): void {
    delete this.element.dataset.chosen;
    this.body.replaceChildren(h("p", { class: "empty" }, this.emptyText));
  }

  hideDetail(): void { show(this.detail, false); }
}
