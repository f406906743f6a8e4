import type { Rule, SortKey } from "./view.js";

/** Mark of an element whose entity is in no tier, although no delete of it is known. */
export const MISSING = 1;
/** Mark of an element whose entity layers show elsewhere, or not at all. */
export const COVERED = 2;
/** Mark of an element whose entity is missing but is shown by a layer. */
export const SUPPLIED = 4;
/** Mark of an element that only layers put into the list. */
export const EXTRA = 8;
/** Mark of an element whose entity a layer changes. */
export const LAYERED = 16;

/** True if an element with these marks is shown. */
export function isShown(marks: number): boolean {
  return (marks & COVERED) === 0 && ((marks & MISSING) === 0 || (marks & SUPPLIED) !== 0);
}

/** What a list needs to know of its elements. */
export interface ListElement {
  /** The key of the element. */
  readonly node: unknown;
  /** The position under the query's rule; null without a rule. */
  readonly sortKey: SortKey | null;
  /** The marks of the element. */
  marks: number;
  /** The element's index in the list, or one near it. */
  hint: number;
}

/** Which elements an index counts: all, those not added by layers alone, or those that readers see. */
export type Part = "all" | "own" | "shown";

/** The elements of one query, in order. */
export class ElementList<Element extends ListElement> {
  private elements: Element[] = [];
  private ownCount = 0;
  private shown = 0;
  private missed = 0;

  /** The number of elements that were not added by layers alone. */
  get count(): number { return this.ownCount; }

  /** The number of all elements. */
  get wholeCount(): number { return this.elements.length; }

  /** The number of elements that readers see. */
  get shownCount(): number { return this.shown; }

  /** The number of missing elements that no layer shows or covers. */
  get missingCount(): number { return this.missed; }

  /** All elements, in order. */
  get all(): readonly Element[] { return this.elements; }

  /** Inserts an element at an index among all. */
  insert(element: Element, index: number): void {
    element.hint = index;
    if (index === this.elements.length) this.elements.push(element);
    else this.elements.splice(index, 0, element);
    this.note(element.marks, 1);
  }

  /** Removes an element. */
  remove(element: Element): void {
    const index = this.position(element);
    if (index === this.elements.length - 1) this.elements.pop();
    else this.elements.splice(index, 1);
    this.note(element.marks, -1);
  }

  /** Moves an element to an index among all. */
  move(element: Element, to: number): void {
    this.elements.splice(this.position(element), 1);
    this.elements.splice(to, 0, element);
    element.hint = to;
  }

  /** Replaces the marks of an element. */
  setMarks(element: Element, marks: number): void {
    this.note(element.marks, -1);
    element.marks = marks;
    this.note(marks, 1);
  }

  /** Removes all elements. */
  removeAll(): void {
    this.elements = [];
    this.ownCount = this.shown = this.missed = 0;
  }

  /** Returns the index of an element among a part of the elements. */
  index(element: Element, part: Part): number { return this.countBefore(this.position(element), part); }

  /** Returns the element at an index among a part of the elements. */
  at(index: number, part: Part): Element {
    if (this.size(part) === this.elements.length) return this.elements[index];
    let left = index;
    for (const element of this.elements) {
      if (!isIn(element, part)) continue;
      if (left === 0) return element;
      left -= 1;
    }
    return this.elements[this.elements.length - 1];
  }

  /** Returns the number of elements of a part before a sort key. */
  lowerBound(key: SortKey, part: Part, rule: Rule): number {
    let low = 0;
    let high = this.elements.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const own = this.elements[middle].sortKey;
      if (own !== null && rule.compare(own, key) < 0) low = middle + 1;
      else high = middle;
    }
    return this.countBefore(low, part);
  }

  /** Returns the keys of the first shown elements. */
  shownPrefix(countMax: number): Element["node"][] {
    const nodes: Element["node"][] = [];
    for (const element of this.elements) {
      if (nodes.length >= countMax) break;
      if (isShown(element.marks)) nodes.push(element.node);
    }
    return nodes;
  }

  private size(part: Part): number {
    if (part === "all") return this.elements.length;
    return part === "own" ? this.ownCount : this.shown;
  }

  private countBefore(position: number, part: Part): number {
    if (this.size(part) === this.elements.length) return position;
    let count = 0;
    for (let at = 0; at < position; at += 1) if (isIn(this.elements[at], part)) count += 1;
    return count;
  }

  /** Searches from the element's last known index to both sides. */
  private position(element: Element): number {
    const start = Math.min(element.hint, this.elements.length - 1);
    for (let step = 0; ; step += 1) {
      if (this.elements[start - step] === element) return element.hint = start - step;
      if (this.elements[start + step] === element) return element.hint = start + step;
      if (start - step < 0 && start + step >= this.elements.length) return -1;
    }
  }

  private note(marks: number, by: number): void {
    if ((marks & EXTRA) === 0) this.ownCount += by;
    if (isShown(marks)) this.shown += by;
    if ((marks & (MISSING | COVERED | SUPPLIED)) === MISSING) this.missed += by;
  }
}

function isIn(element: ListElement, part: Part): boolean {
  if (part === "all") return true;
  return part === "own" ? (element.marks & EXTRA) === 0 : isShown(element.marks);
}
