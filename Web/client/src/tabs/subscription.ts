// An observation of a following tab. It keeps its number and its list when the writing tab changes.

import type { Notification, Sink } from "../engine/notifications.js";
import { changedFields } from "../engine/notifications.js";
import { elementsOf, kindOf, memberOf, membersOf, presentMember, quoted } from "../json/text.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { patched } from "./patched.js";

/** The methods that start an observation. */
export const observing: readonly string[] = ["query.observe", "entity.observe", "log.observe", "view.observe"];
/** The methods whose params name an observation. */
export const renumbering: readonly string[] = ["observe.cancel", "view.move"];

/** An observation, and the data reported last. */
export class Subscription {
  /** The subscription number in the writing tab; null while there is none. */
  remote: number | null = null;
  /** True if the observed data shows a pending edit. */
  isPending = false;
  /**
   * The data reported last: the elements of the list or the rows of the view, or the one entity. Empty for the log, whose
   * events are not repeated.
   */
  private shown: string[] = [];
  /** The numbers and marks of the view that were reported last. */
  private told = "";

  /** Creates an observation of a method with its params; `number` is its number in this tab. */
  constructor(readonly number: number, readonly method: string, public json: string, readonly sink: Sink) { }

  private get isList(): boolean { return this.method === "query.observe" || this.isView; }

  private get isView(): boolean { return this.method === "view.observe"; }

  /** Moves the window of a view: a new writing tab begins with it. `json`: the params of `view.move`. */
  move(json: string): void {
    const members = membersOf(this.json).filter(({ name }) => presentMember(json, name) === null);
    const moved = membersOf(json).filter(({ name, value }) => name !== "subscription" && name !== "library_id" && value !== "null");
    this.json = `{${[...members, ...moved].map(({ name, value }) => `${quoted(name)}:${value}`).join(",")}}`;
  }

  /** Handles the first answer, and returns it with this tab's subscription number. */
  begin(answer: string): Out {
    this.remote = Number(memberOf(answer, "subscription"));
    this.isPending = memberOf(answer, "pending") === "true";
    this.shown = this.shownIn(answer);
    this.told = toldIn(answer);
    return new Raw(renumbered(answer, this.number));
  }

  /** Handles the answer of a new writing tab, and reports the difference to the data reported last. */
  resume(answer: string): void {
    this.remote = Number(memberOf(answer, "subscription"));
    this.isPending = memberOf(answer, "pending") === "true";
    const before = this.shown;
    this.shown = this.shownIn(answer);
    if (this.isView) return this.resumeView(before, answer);
    if (before.length === this.shown.length && before.every((text, index) => text === this.shown[index])) return;
    const stale = memberOf(answer, "stale") === "true";
    if (this.isList) {
      const as_of = memberOf(answer, "as_of");
      this.sink({
        method: "query.changed",
        params: {
          subscription: this.number, patch: patchBetween(before, this.shown), stale, as_of: as_of === null ? null : new Raw(as_of),
          pending: this.isPending, missed: 1,
        },
      });
      return;
    }
    const [old = "null"] = before;
    const [text = "null"] = this.shown;
    this.sink({
      method: "entity.changed",
      params: {
        subscription: this.number, entity: new Raw(text), stale: stale || undefined,
        changed_fields: changedFields(old === "null" ? null : old, text === "null" ? null : text),
      },
    });
  }

  private resumeView(before: readonly string[], answer: string): void {
    const former = this.told;
    this.told = toldIn(answer);
    const patch = patchBetween(before, this.shown);
    if (patch.length === 0 && former === this.told) return;
    const added = patch.flatMap(({ op, path }) => op === "add" ? [Number(path.slice(1))] : []);
    const all = memberOf(answer, "keys");
    const keys = all === null ? undefined : elementsOf(all);
    const params = paramsOf(answer, this.number);
    delete params.rows;
    this.sink({
      method: "view.changed", params: { ...params, patch, keys: keys === undefined ? undefined : added.map((at) => new Raw(keys[at])), missed: 1 },
    });
  }

  /** Handles a notification of the writing tab, and passes it on with this tab's number. */
  tell(method: Notification["method"], params: string): void {
    if (this.isList) {
      const pending = memberOf(params, "pending");
      if (pending !== null) this.isPending = pending === "true";
      if (this.isView && method === "view.changed") this.told = toldIn(params);
      for (const step of elementsOf(memberOf(params, "patch") ?? "[]")) patched(this.shown, step);
    } else {
      this.shown = [memberOf(params, "entity") ?? "null"];
    }
    this.sink({ method, params: paramsOf(params, this.number) });
  }

  private shownIn(answer: string): string[] {
    if (!this.isList) return [memberOf(answer, "entity") ?? "null"];
    const entities = memberOf(answer, this.isView ? "rows" : "entities");
    return entities === null || kindOf(entities) !== "array" ? [] : elementsOf(entities);
  }
}

/** Returns an object with the number of its subscription replaced. */
export function renumbered(json: string, number: number): string {
  return `{${membersOf(json).map(({ name, spelled, value }) => `${spelled}:${name === "subscription" ? String(number) : value}`).join(",")}}`;
}

/** Returns the numbers and marks of a view's result. */
function toldIn(json: string): string { return ["total", "stale", "pending", "missing"].map((name) => memberOf(json, name)).join(" "); }

/** Returns the params of a notification with its subscription number replaced. */
export function paramsOf(params: string, number: number | null): { [name: string]: Out; } {
  return Object.fromEntries(membersOf(params).map(({ name, value }) =>
    [name, name === "subscription" && number !== null ? number : new Raw(value)]));
}

/** Returns a patch that replaces the part between the common beginning and the common end. */
function patchBetween(before: readonly string[], after: readonly string[]): { op: string; path: string; value?: Raw; }[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const patch: { op: string; path: string; value?: Raw; }[] = [];
  for (let at = before.length - end - 1; at >= start; at -= 1) patch.push({ op: "remove", path: `/${at}` });
  for (let at = start; at < after.length - end; at += 1) patch.push({ op: "add", path: `/${at}`, value: new Raw(after[at]) });
  return patch;
}
