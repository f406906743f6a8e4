// Loads the parts of the client.

import type { Part } from "../model/part.js";
import { families } from "./families.js";
import { gaps, journal, lists, views } from "./loaders.js";

const parts: readonly Part<unknown>[] = [...families.map(({ part }) => part), gaps, journal];

/**
 * Loads all parts of the client. Afterwards no cache waits for one, also while the page is offline.
 *
 * ```ts
 * await loadParts();
 * ```
 */
export async function loadParts(): Promise<void> {
  await Promise.all(parts.map((part) => part.load()));
}

/**
 * Loads the part for lists at once, and the others when the page is idle, except the one for views. A part that fails to
 * load is loaded when it is needed.
 */
export function loadPartsSoon(): void {
  const idle = (globalThis as { requestIdleCallback?: (body: () => void, options: { timeout: number; }) => void; }).requestIdleCallback;
  const load = (): void => { for (const part of parts) if (part !== views) part.load().catch(() => undefined); };
  lists.load().catch(() => undefined);
  if (idle === undefined) setTimeout(load, 0);
  else idle(load, { timeout: 2_000 });
}
