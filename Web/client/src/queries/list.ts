import type { KeyNode } from "./node.js";
import type { Query } from "./query.js";
import type { Rule, SortKey } from "./view.js";

/** The element's entity is in no tier, and no delete is known. */
export const MISSING = 1;
/** Layers show the entity elsewhere, or not at all. */
export const COVERED = 2;
/** A layer shows the entity although it is missing. */
export const SUPPLIED = 4;
/** Only layers put the element into the list. */
export const EXTRA = 8;
/** Some layer has a change for the entity. */
export const LAYERED = 16;

/** Tells whether an element with these marks is shown. */
export function isShown(marks: number): boolean {
  return (marks & COVERED) === 0 && ((marks & MISSING) === 0 || (marks & SUPPLIED) !== 0);
}

/** One element of a query's list. */
export class Element {
  /** The place among the holders of its key. */
  place = 0;
  /** The place in the list, or one near it. */
  hint = 0;

  constructor(public node: KeyNode, readonly query: Query, public sortKey: SortKey | null, public marks: number) { }
}

/** The elements that an index counts: all, those that are no layer's alone, or those that readers see. */
export type Part = "all" | "own" | "shown";

/** The elements of one query, in order. */
export class ElementList {
  private elements: Element[] = [];
  private ownCount = 0;
  private shown = 0;
  private missed = 0;

  /** The number of elements that are no layer's alone. */
  get count(): number { return this.ownCount; }

  get wholeCount(): number { return this.elements.length; }

  get shownCount(): number { return this.shown; }

  /** The number of elements that are missing and that no layer shows or covers. */
  get missingCount(): number { return this.missed; }

  get all(): readonly Element[] { return this.elements; }

  insert(element: Element, index: number): void {
    element.hint = index;
    if (index === this.elements.length) this.elements.push(element);
    else this.elements.splice(index, 0, element);
    this.note(element.marks, 1);
  }

  remove(element: Element): void {
    const index = this.position(element);
    if (index === this.elements.length - 1) this.elements.pop();
    else this.elements.splice(index, 1);
    this.note(element.marks, -1);
  }

  move(element: Element, to: number): void {
    this.elements.splice(this.position(element), 1);
    this.elements.splice(to, 0, element);
    element.hint = to;
  }

  setMarks(element: Element, marks: number): void {
    this.note(element.marks, -1);
    element.marks = marks;
    this.note(marks, 1);
  }

  removeAll(): void {
    this.elements = [];
    this.ownCount = this.shown = this.missed = 0;
  }

  /** Returns the place of an element among a part of them. */
  index(element: Element, part: Part): number { return this.countBefore(this.position(element), part); }

  /** Returns the element at a place among a part of them. */
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
  shownPrefix(countMax: number): KeyNode[] {
    const nodes: KeyNode[] = [];
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

  /** Looks from the place that the element had last, to both sides. */
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

function isIn(element: Element, part: Part): boolean {
  if (part === "all") return true;
  return part === "own" ? (element.marks & EXTRA) === 0 : isShown(element.marks);
}
