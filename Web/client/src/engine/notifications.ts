import { selection, membersOf } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import type { Sequence } from "../model/sequence.js";
import type { Out } from "../out/value.js";
import { Raw } from "../out/raw.js";
import type { ListChange, LibraryStatus } from "../state/records.js";

/** What a cache tells, by the name and with the params of Protocol/sessions.md. */
export interface Notification {
  method: "entity.changed" | "query.changed" | "query.result" | "library.state" | "durable" | "outbox.changed" | "log.event";
  params: { readonly [name: string]: Out; };
}

/** Who hears what one observer is told. */
export type Sink = (notification: Notification) => void;

/** Returns the operations of a patch for an observer of some fields; replacements that it does not see are left out. */
export function patchOf(steps: readonly ListChange[], fields: ReadonlySet<string> | null): Out[] {
  const patch: Out[] = [];
  for (const step of steps) {
    const path = `/${step.at}`;
    switch (step.op) {
      case "add": patch.push({ op: "add", path, value: selected(step.raw, fields) }); break;
      case "remove": patch.push({ op: "remove", path }); break;
      case "move": patch.push({ op: "move", from: `/${step.from}`, path }); break;
      case "replace":
        if (fields !== null && selection(step.raw.text, fields) === selection(step.old ?? "{}", fields)) break;
        patch.push({ op: "replace", path, value: selected(step.raw, fields) });
    }
  }
  return patch;
}

/** Returns a resource as an observer of some fields sees it. */
export function selected(raw: Raw, fields: ReadonlySet<string> | null): Raw {
  return fields === null ? raw : new Raw(selection(raw.text, fields));
}

/** Returns the names of the fields in which two resources differ, sorted by their bytes. */
export function changedFields(left: string | null, right: string | null): string[] {
  const old = new Map(membersOf(left ?? "{}").map((member) => [member.name, member.value]));
  const changed: string[] = [];
  for (const { name, value } of membersOf(right ?? "{}")) {
    if (old.get(name) !== value) changed.push(name);
    old.delete(name);
  }
  return [...changed, ...old.keys()].sort(compareBytes);
}

/** Returns the notification of a library's state. */
export function stateNotification(status: LibraryStatus): Notification {
  return {
    method: "library.state",
    params: {
      library_id: status.library, state: status.phase, cursor: status.cursor,
      lost: status.lost.map((range) => [range.first, range.last]),
    },
  };
}

/** Returns the notification of a commit that moved a library's durable cursor. */
export function durableNotification(library: string, epoch: string, sequence: Sequence): Notification {
  return { method: "durable", params: { library_id: library, epoch, sequence } };
}
