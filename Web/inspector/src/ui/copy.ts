import { button, say } from "./dom";

const SHOWN_TIME = 1_500;

/** Returns a button that copies a text to the clipboard and confirms it. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  let timer = 0;
  const element = button(label, () => {
    void copy(text()).then((isDone) => {
      say(element, isDone ? "Copied" : "The browser does not allow it");
      window.clearTimeout(timer);
      timer = window.setTimeout(() => say(element, label), SHOWN_TIME);
    });
  }, { class: "button small" });
  return element;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
