// What the members of a line may be called. Protocol/events.md.

import type { EventKind } from "./events.js";

/** Lines that are one of these words are control lines. */
export const CONTROL_WORDS = new Set(["Subscribed", "Unsubscribed", "LogsSubscribed", "Pong"]);
/** Lines whose only member has one of these names are control lines. */
export const CONTROL_KEYS = new Set(["JsonOk", "Error", "LogMessage"]);
/** The kinds of events by the names that a log may give them. */
export const KINDS: ReadonlyMap<string, EventKind> = new Map([
  ["ResourceChanged", "changed"], ["ResourceBatchChanged", "batch"], ["ResourceChangedBatch", "batch"],
  ["BatchChanged", "batch"], ["ResourceDeleted", "deleted"], ["Deleted", "deleted"],
  ["BulkOperationCompleted", "bulk"], ["BulkOperation", "bulk"], ["Refresh", "refresh"], ["Heartbeat", "heartbeat"],
  ["Reset", "reset"],
]);
