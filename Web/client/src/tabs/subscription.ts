// An observation of a following tab. It keeps its number and its list when the writing tab changes.

import type { Notification, Sink } from "../engine/notifications.js";
import { changedFields } from "../engine/notifications.js";
import { elementsOf, kindOf, memberOf, membersOf } from "../json/text.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";

/** The methods that start an observation. */
export const observing: readonly string[] = ["query.observe", "entity.observe", "log.observe"];

/** An observation, and the data reported last. */
export class Subscription {
  /** The subscription number in the writing tab; null while there is none. */
  remote: number | null = null;
  /** True if the observed data shows a pending edit. */
  isPending = false;
  /**
   * The data reported last: the elements of the list, or the one entity. Empty for the log, whose events are not
   * repeated.
   */
  private shown: string[] = [];

  /** Creates an observation of a method with its params; `number` is its number in this tab. */
  constructor(readonly number: number, readonly method: string, readonly json: string, readonly sink: Sink) { }

  private get isList(): boolean { return this.method === "query.observe"; }

  /** Handles the first answer, and returns it with this tab's subscription number. */
  begin(answer: string): Out {
    this.remote = Number(memberOf(answer, "subscription"));
    this.isPending = memberOf(answer, "pending") === "true";
    this.shown = this.shownIn(answer);
    return new Raw(this.renumbered(answer));
  }

  /** Handles the answer of a new writing tab, and reports the difference to the data reported last. */
  resume(answer: string): void {
    this.remote = Number(memberOf(answer, "subscription"));
    this.isPending = memberOf(answer, "pending") === "true";
    const before = this.shown;
    this.shown = this.shownIn(answer);
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

  /** Handles a notification of the writing tab, and passes it on with this tab's number. */
  tell(method: Notification["method"], params: string): void {
    if (this.isList) {
      const pending = memberOf(params, "pending");
      if (pending !== null) this.isPending = pending === "true";
      for (const step of elementsOf(memberOf(params, "patch") ?? "[]")) apply(step, this.shown);
    } else {
      this.shown = [memberOf(params, "entity") ?? "null"];
    }
    this.sink({ method, params: paramsOf(params, this.number) });
  }

  private shownIn(answer: string): string[] {
    if (!this.isList) return [memberOf(answer, "entity") ?? "null"];
    const entities = memberOf(answer, "entities");
    return entities === null || kindOf(entities) !== "array" ? [] : elementsOf(entities);
  }

  private renumbered(json: string): string {
    return `{${membersOf(json).map(({ name, spelled, value }) => `${spelled}:${name === "subscription" ? String(this.number) : value}`).join(",")}}`;
  }
}

/** Returns the params of a notification with its subscription number replaced. */
export function paramsOf(params: string, number: number | null): { [name: string]: Out; } {
  return Object.fromEntries(membersOf(params).map(({ name, value }) =>
    [name, name === "subscription" && number !== null ? number : new Raw(value)]));
}

function place(step: string, name: string): number { return Number((memberOf(step, name) ?? "\"/0\"").slice(2, -1)); }

function apply(step: string, list: string[]): void {
  const at = place(step, "path");
  const value = memberOf(step, "value") ?? "null";
  switch (memberOf(step, "op")) {
    case "\"remove\"": list.splice(at, 1); break;
    case "\"add\"": list.splice(at, 0, value); break;
    case "\"replace\"": list[at] = value; break;
    case "\"move\"": list.splice(at, 0, ...list.splice(place(step, "from"), 1));
  }
}

/** Returns a patch that replaces the part between the common beginning and the common end. */
function patchBetween(before: readonly string[], after: readonly string[]): Out[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const patch: Out[] = [];
  for (let at = before.length - end - 1; at >= start; at -= 1) patch.push({ op: "remove", path: `/${at}` });
  for (let at = start; at < after.length - end; at += 1) patch.push({ op: "add", path: `/${at}`, value: new Raw(after[at]) });
  return patch;
}
