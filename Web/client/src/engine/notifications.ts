import { membersOf } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import type { Out } from "../out/value.js";
import type { LibraryStatus } from "../state/records.js";

/** What a cache tells, by the name and with the params of Protocol/sessions.md. */
export interface Notification {
  method: "entity.changed" | "query.changed" | "query.result" | "library.state" | "durable" | "outbox.changed" | "log.event";
  params: { readonly [name: string]: Out; };
}

/** Who hears what one observer is told. */
export type Sink = (notification: Notification) => void;

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
