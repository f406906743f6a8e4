import { Params } from "../params/params.js";
import type { RequestContext } from "../params/requests.js";
import { refuseUnknown } from "../params/unknown.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { compareBytes } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import type { State } from "../state/state.js";
import { shownValue } from "../views/decimal.js";
import { entitiesBehind, explainEntity, planLines } from "../views/explanation.js";
import type { ViewWindow } from "../views/window.js";
import type { LibraryViews } from "./library-views.js";
import { keysOf } from "./results.js";

/** Maximum number of unknown entities that are named. */
const MISSING_COUNT_MAX = 100;

/** Returns the result of `view.explain`. */
export function explained(state: State, views: LibraryViews, window: ViewWindow, params: Params, context: RequestContext): Out {
  const missing = views.set.missingKeys(window).sort(compareBytes).slice(0, MISSING_COUNT_MAX);
  const out: { [name: string]: Out; } = { plan: planLines(window).map((line): { [name: string]: Out; } => ({ ...line })), missing };
  const row = params.elements("row", Infinity);
  if (row !== null) out.entities = behind(state, views, window, `[${row.join(",")}]`);
  const entity = params.object("entity");
  if (entity === null) return out;
  const key = new Params(entity, "entity");
  refuseUnknown(key, ["resource_type", "id"], "view.explain");
  return { ...out, ...entityOut(views, window, context.ownType(key.type(context.limits)), key.id(context.limits)) };
}

/** Returns the entities behind a row, with the sequence of their last write; the client knows no lines. Throws `not_found` for a row that is not shown. */
function behind(state: State, views: LibraryViews, window: ViewWindow, row: string): Out {
  const wanted = shownValue(row);
  const index = keysOf(window, window.order).findIndex(({ text }) => shownValue(text) === wanted);
  if (index < 0) throw new CacheError("not_found", "the result shows no such row: pass a key as view.read returns it with keys");
  return entitiesBehind(views.set, window, window.order[index]).map((entity) => {
    const slot = state.findSlot(views.name, entity.type, entity.id);
    return { key: entity.key, sequence: slot === null || slot.text === null ? null : slot.stamp.sequence, line: null };
  });
}

function entityOut(views: LibraryViews, window: ViewWindow, type: string, id: string): { [name: string]: Out; } {
  const entity = views.find(type, id);
  if (entity === null) return { in: false, why: { at: "/from", entity: `${type}:${id}`, miss: true } };
  const found = explainEntity(views.set, window, entity);
  if ("rows" in found) return { in: true, rows: keysOf(window, found.rows) };
  const { at, condition, value, entity: culprit } = found.failure;
  const raw = (json: string | null): Raw | undefined => json === null ? undefined : new Raw(json);
  return { in: false, why: { at, condition: raw(condition), value: raw(value), entity: culprit?.key } };
}
