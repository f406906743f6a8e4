import { App } from "./app";
import css from "./inspector.css";
import { CacheLink } from "./link/cache";
import type { Inspectable } from "./link/cache";
import { NoHistory } from "./link/history";

/**
 * Shows the panels for a cache of this page inside an element. The page's own styles do not reach them, nor theirs the page.
 *
 * Returns a function that takes them away.
 */
export function mountPanels(element: HTMLElement, cache: Inspectable): () => void {
  const shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  // The page's rules are for a document; here the element stands for it.
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
