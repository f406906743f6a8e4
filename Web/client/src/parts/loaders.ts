// The parts of a cache that its first list does not need, with all their code. Each is a file of its own in the package.
// Web/client/README.md, size.

import * as parts from "../state/parts.js";

/** Lists: fetching, storing, ordering, reading and observing them. */
export const lists = parts.lists.from(() => import("./lists.js"));
/** Transactions, removals, pending edits and the outbox. */
export const edits = parts.edits.from(() => import("./edits.js"));
/** Recovery of gaps, and quarantine of lines that cannot be used. */
export const gaps = parts.gaps.from(() => import("./gaps.js"));
/** Reading a journal, and flushing to it. */
export const journal = parts.journal.from(() => import("./journal.js"));
/** Live views. */
export const views = parts.views.from(() => import("./views.js"));
/** Ages, refreshing, eviction, and the methods that report a cache's state. */
export const upkeep = parts.upkeep.from(() => import("./upkeep.js"));
