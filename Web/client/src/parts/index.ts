// The parts of a cache that its first list does not need. Each is a file of its own in the package.
// Web/client/README.md, size.

import { Part } from "./part.js";

/** Lists: fetching, storing, ordering, reading and observing them. */
export const lists = new Part("lists", () => import("./lists.js"));
/** Transactions, removals, pending edits and the outbox. */
export const edits = new Part("edits", () => import("./edits.js"));
/** Recovery of gaps, and quarantine of lines that cannot be used. */
export const gaps = new Part("gaps", () => import("./gaps.js"));
/** Reading a journal, and flushing to it. */
export const journal = new Part("journal", () => import("./journal.js"));
/** Ages, refreshing, eviction, and the methods that report a cache's state. */
export const upkeep = new Part("upkeep", () => import("./upkeep.js"));

/**
 * Loads all parts of the client. Afterwards no cache waits for one, also while the page is offline.
 *
 * ```ts
 * await loadParts();
 * ```
 */
export async function loadParts(): Promise<void> {
  await Promise.all([lists.load(), edits.load(), gaps.load(), journal.load(), upkeep.load()]);
}

/**
 * Loads the part for lists at once, and the others when the page is idle. A part that fails to load is loaded when it
 * is needed.
 */
export function loadPartsSoon(): void {
  const idle = (globalThis as { requestIdleCallback?: (body: () => void, options: { timeout: number; }) => void; }).requestIdleCallback;
  const load = (): void => { loadParts().catch(() => undefined); };
  lists.load().catch(() => undefined);
  if (idle === undefined) setTimeout(load, 0);
  else idle(load, { timeout: 2_000 });
}
