import { button, freshId, h } from "./dom";

/** Asks for confirmation before something is changed. Resolves with true if the user confirms. */
export function ask(title: string, text: string, action: string): Promise<boolean> {
  return new Promise((resolve) => {
    const name = freshId("question");
    const dialog = h("dialog", { class: "question", "aria-labelledby": name });
    const finish = (isAgreed: boolean): void => {
      dialog.close();
      dialog.remove();
      resolve(isAgreed);
    };
    dialog.append(
      h("h2", { id: name }, title), h("p", {}, text),
      h("div", { class: "actions" }, button("Cancel", () => finish(false), { autofocus: true }),
        button(action, () => finish(true), { class: "button danger" })));
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      finish(false);
    });
    // Panels inside another page have a shadow root of their own, with their styles.
    (document.activeElement?.shadowRoot ?? document.body).append(dialog);
    dialog.showModal();
  });
}
