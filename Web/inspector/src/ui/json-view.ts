import type { Json } from "../model/json";
import { isArray, JsonObject, NumberText, stringify } from "../model/json";
import { h } from "./dom";

/** Maximum number of elements or members of a container that are shown at once. */
const CHILD_COUNT_MAX = 500;
/** Maximum length of a container that is shown on one line. */
const LINE_LENGTH_MAX = 72;
const STRING_LENGTH_MAX = 20_000;

/**
 * Returns an element that shows JSON as written, in colours, with foldable containers. Those down to `openDepth` are
 * open.
 */
export function jsonView(value: Json, openDepth = 2): HTMLElement { return h("div", { class: "json" }, node(value, null, 0, openDepth)); }

function node(value: Json, name: string | null, depth: number, openDepth: number): HTMLElement {
  const label = name === null ? null : h("span", { class: "name" }, JSON.stringify(name), ": ");
  const children = isArray(value) ? value.map((element): [null, Json] => [null, element]) : value instanceof JsonObject ? value.members : null;
  if (children === null) return h("div", { class: "line" }, label, scalar(value));
  const [open, close] = isArray(value) ? ["[", "]"] : ["{", "}"];
  if (children.length === 0) return h("div", { class: "line" }, label, open + close);
  const short = children.length <= 6 && !children.some(([, child]) => isArray(child) || child instanceof JsonObject) ? stringify(value) : null;
  if (short !== null && short.length <= LINE_LENGTH_MAX && depth > 0) {
    const parts: (Node | string)[] = [open];
    children.forEach(([childName, child], index) => {
      if (index > 0) parts.push(", ");
      if (childName !== null) parts.push(h("span", { class: "name" }, JSON.stringify(childName), ": "));
      parts.push(scalar(child));
    });
    return h("div", { class: "line" }, label, ...parts, close);
  }
  const body = h("div", { class: "children" });
  const details = h("details", {}, h("summary", {}, label, open, h("span", { class: "folded" }, ` ${children.length} … ${close}`)), body,
    h("div", { class: "line" }, close));
  const open_ = (): void => {
    if (body.childElementCount > 0) return;
    for (const [childName, child] of children.slice(0, CHILD_COUNT_MAX)) body.append(node(child, childName, depth + 1, openDepth));
    if (children.length > CHILD_COUNT_MAX) body.append(h("div", { class: "line muted" }, `… ${children.length - CHILD_COUNT_MAX} more`));
  };
  details.addEventListener("toggle", () => { if (details.open) open_(); });
  if (depth < openDepth) {
    details.open = true;
    open_();
  }
  return details;
}

/** Returns an element that shows a value other than an object or array. */
export function scalar(value: Json): HTMLElement {
  if (typeof value === "string") {
    const text = value.length > STRING_LENGTH_MAX ? `${value.slice(0, STRING_LENGTH_MAX)}…` : value;
    return h("span", { class: "string" }, JSON.stringify(text));
  }
  if (value instanceof NumberText) return h("span", { class: "number" }, value.text);
  return h("span", { class: "word" }, stringify(value));
}
