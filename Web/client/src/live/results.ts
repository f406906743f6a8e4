import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { groupsOf } from "../views/plan.js";
import { RenderedRow } from "../views/rendered.js";
import type { ResultRow } from "../views/use.js";
import type { PatchOperation } from "../views/value-difference.js";
import { keyText } from "../views/window.js";
import type { ViewWindow } from "../views/window.js";
import type { LibraryViews } from "./library-views.js";
import type { Told } from "./observer.js";

const EMPTY = new RenderedRow("{}", []);

/** Returns the numbers and marks of a window's result. `isDoubtful`: entities of its types were evicted. */
export function toldOf(views: LibraryViews, window: ViewWindow, isDoubtful: boolean): Told {
  return {
    total: window.use.rows.size, stale: views.isStale || isDoubtful, pending: views.isPending(window), missing: views.set.missingCount(window),
  };
}

/** Returns the result of a window. */
export function resultOf(views: LibraryViews, window: ViewWindow, hasKeys: boolean, told: Told): { [name: string]: Out; } {
  return {
    rows: window.order.map((row) => (window.rendered(row) ?? EMPTY).raw), keys: hasKeys ? keysOf(window, window.order) : undefined,
    ...told, total: window.use.plan.rule.hasTotal ? told.total : undefined, as_of: views.library?.cursor ?? null,
  };
}

/** Returns the keys of rows for readers. */
export function keysOf({ use }: ViewWindow, rows: readonly ResultRow[]): Raw[] {
  const count = groupsOf(use.plan.body)?.keys?.length ?? 0;
  return rows.map((row) => new Raw(keyText(row, count)));
}

/** Returns an operation of a patch in a notification. */
export function operationOut(operation: PatchOperation): Out {
  switch (operation.op) {
    case "add": case "replace": return { op: operation.op, path: operation.path, value: new Raw(operation.value) };
    case "remove": case "move": return { ...operation };
  }
}
