// What a cache needs later than its first list: each part is a file of its own in the package. Web/client/README.md, size.

import { Part } from "./part.js";

/** Lists: asked for, stored, kept in order, read and observed. */
export const lists = new Part("lists", () => import("./lists.js"));
/** Transactions, removals, pending edits and the outbox. */
export const edits = new Part("edits", () => import("./edits.js"));
/** What follows a gap, and lines that cannot be used. */
export const gaps = new Part("gaps", () => import("./gaps.js"));
/** Records of a journal, and flushes. */
export const journal = new Part("journal", () => import("./journal.js"));
/** Ages, refreshing, eviction, and the methods for looking at a cache. */
export const upkeep = new Part("upkeep", () => import("./upkeep.js"));

/** Loads all parts: afterwards nothing of a cache waits for one, and a page that is offline lacks none. */
export async function loadParts(): Promise<void> {
  await Promise.all([lists.load(), edits.load(), gaps.load(), journal.load(), upkeep.load()]);
}

/**
 * Loads the part of lists at once, beside whatever the page does, and the others when the page has time for them. A part that
 * cannot be loaded is loaded when it is needed.
 */
export function loadPartsSoon(): void {
  const idle = (globalThis as { requestIdleCallback?: (body: () => void, options: { timeout: number; }) => void; }).requestIdleCallback;
  const load = (): void => { loadParts().catch(() => undefined); };
  lists.load().catch(() => undefined);
  if (idle === undefined) setTimeout(load, 0);
  else idle(load, { timeout: 2_000 });
}
