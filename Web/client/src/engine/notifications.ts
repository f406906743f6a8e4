import { membersOf } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import type { Out } from "../out/value.js";
import type { LibraryStatus } from "../state/records.js";

/** A notification of the cache, with the name and params that Protocol/sessions.md defines. */
export interface Notification {
  /** The name of the notification. */
  method: "entity.changed" | "query.changed" | "query.result" | "library.state" | "durable" | "outbox.changed" | "log.event" | "view.changed"
  | "view.ended";
  /** The params of the notification. */
  params: { readonly [name: string]: Out; };
}

/** Receives the notifications of an observer. */
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

/** Returns the notification of a library's phase, cursor and lost ranges. */
export function stateNotification(status: LibraryStatus): Notification {
  return {
    method: "library.state",
    params: {
      library_id: status.library, state: status.phase, cursor: status.cursor,
      lost: status.lost.map((range) => [range.first, range.last]),
    },
  };
}
