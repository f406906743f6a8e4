type Child = Node | string | null | undefined | false;

interface Properties {
  class?: string;
  on?: Record<string, (event: Event) => void>;
  /** Attributes; a value that is false or null is left out, true is an empty one. */
  [name: string]: unknown;
}

/** Creates an element. Strings become text, never markup. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, handler] of Object.entries(value as Record<string, (event: Event) => void>)) element.addEventListener(event, handler);
    else if (name === "class") element.className = value as string;
    else set(element, name, value);
  }
  append(element, children);
  return element;
}

/** Sets an attribute, or removes it if the value is false, null or undefined. Writes nothing if it does not change. */
export function set(element: Element, name: string, value: unknown): void {
  if (value === false || value === null || value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Appends children; those that are null, undefined or false are left out. */
export function append(element: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

const CONTROLS = "button,input,select,textarea,summary";

/**
 * Replaces the children of an element. If a control in it had the focus, the new control at the same place gets it, so
 * that keyboard users stay there.
 */
export function fill(element: Element, ...children: Child[]): void {
  const active = document.activeElement;
  const place = active !== null && active !== element && element.contains(active) ? [...element.querySelectorAll(CONTROLS)].indexOf(active) : -1;
  element.replaceChildren();
  append(element, children);
  if (place < 0) return;
  const control = element.querySelectorAll(CONTROLS)[place];
  if (control instanceof HTMLElement) control.focus({ preventScroll: true });
}

/** Sets the text of an element. Writes nothing if it does not change. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides an element. */
export function show(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

let lastId = 0;

/** Returns a new unique element id. */
export function freshId(name: string): string {
  lastId += 1;
  return `${name}-${lastId}`;
}

/** Returns a button that calls `act` when clicked. */
export function button(label: string, act: () => void, properties: Properties = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "button", on: { click: act }, ...properties }, label);
}

/** Returns a switch with a label, which calls `act` with its new state. */
export function toggle(label: string, isOn: boolean, act: (isOn: boolean) => void): HTMLButtonElement {
  const element = h("button", { type: "button", class: "switch", role: "switch", "aria-checked": String(isOn) },
    h("span", { class: "track", "aria-hidden": "true" }), label);
  element.addEventListener("click", () => {
    const next = element.getAttribute("aria-checked") !== "true";
    element.setAttribute("aria-checked", String(next));
    act(next);
  });
  return element;
}

/** Returns a control with a label before it. */
export function labelled(label: string, control: HTMLElement, properties: Properties = {}): HTMLLabelElement {
  return h("label", { class: "field", ...properties }, h("span", {}, label), control);
}

/** An option of a choice. */
export interface Choice {
  /** The value of the option. */
  value: string;
  /** The text of the option. */
  label: string;
}

/** Selects a value, and adds an option for it if there is none. */
export function choose(select: HTMLSelectElement, value: string, label: string): void {
  if (![...select.options].some((option) => option.value === value)) select.append(h("option", { value }, label));
  select.value = value;
}

/** Replaces the options of a choice. The selected value stays selected, even if it is no longer among them. */
export function setChoices(select: HTMLSelectElement, wanted: readonly Choice[]): void {
  const old = select.value;
  const isKept = select.selectedIndex >= 0 && old !== "" && !wanted.some(({ value }) => value === old);
  const choices = isKept ? [...wanted, { value: old, label: select.selectedOptions[0].label }] : wanted;
  const isSame = select.options.length === choices.length
    && choices.every(({ value, label }, index) => select.options[index].value === value && select.options[index].label === label);
  if (isSame) return;
  fill(select, ...choices.map(({ value, label }) => h("option", { value }, label)));
  if (choices.some(({ value }) => value === old)) select.value = old;
}

/** Returns a function that calls `act` once, some milliseconds after the last of several calls. */
export function afterPause(milliseconds: number, act: () => void): () => void {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(act, milliseconds);
  };
}
