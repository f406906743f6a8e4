import { App } from "./app";
import css from "./inspector.css";
import { CacheLink } from "./link/cache";
import type { Inspectable } from "./link/cache";
import { NoHistory } from "./link/history";

/**
 * Shows the inspector's panels for a cache of this page inside an element. Styles of the page and of the panels do not
 * affect each other.
 *
 * Returns a function that removes the panels.
 */
export function mountPanels(element: HTMLElement, cache: Inspectable): () => void {
  const shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  // The style sheet is written for a document; here it applies to the element.
  sheet.replaceSync(css.replace(/:root\b|\bbody(?= *\{)/g, ":host"));
  shadow.adoptedStyleSheets = [sheet];
  const root = document.createElement("div");
  root.id = "app";
  shadow.replaceChildren(root);
  const link = new CacheLink(cache);
  const app = new App(root, link, new NoHistory());
  return () => {
    app.end();
    link.end();
    shadow.replaceChildren();
  };
}
