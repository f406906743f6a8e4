import { quoted } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import { visibleText } from "../queries/named.js";
import { parseRule } from "../queries/rule.js";
import { ResourceView } from "../queries/view.js";
import type { Rule, SortKey } from "../queries/view.js";
import { matchesKey } from "../state/removal.js";
import { isWhole } from "../state/units.js";
import type { Slot, TypeTable } from "../store/library.js";

/** A search for entities of a type. */
export interface Search {
  /** The type of the entities. */
  type: string;
  /** The condition, as JSON in the form of a rule; null for all entities. */
  where: string | null;
  /** The order, as JSON in the form of a rule; null for key order. */
  order: string | null;
  /** A text that `type:id` must contain; null for none. */
  matching: string | null;
  /** Maximum number of entities on the page. */
  limit: number;
  /** The id after which the page begins; null for the first page. */
  after: string | null;
}

interface Found {
  slot: Slot;
  text: string;
  sortKey: SortKey | null;
}

/** Returns the result of `entity.find`: the first visible entities that match, in order. O(n log n). */
export function findEntities(table: TypeTable | null, search: Search): Out {
  const rule = ruleOf(search);
  const compare = (left: Found, right: Found): number => left.sortKey !== null && right.sortKey !== null
    ? rule.compare(left.sortKey, right.sortKey) : compareBytes(left.slot.id, right.slot.id);
  const shown = (slot: Slot): Found | null => {
    const text = visibleText(slot);
    if (text === null || !isWhole(slot)) return null;
    return { slot, text, sortKey: search.order === null ? null : rule.sortKey(new ResourceView(text), slot.id) };
  };
  const after = search.after === null ? null : placeAfter(table, search, shown);
  let read = 0;
  const found: Found[] = [];
  for (const slot of table?.slots.values() ?? []) {
    const one = shown(slot);
    if (one === null) continue;
    read += 1;
    if (!matchesKey(slot, search.matching) || search.where !== null && !rule.matches(new ResourceView(one.text))) continue;
    const isBehind = search.after === null || (after === null ? compareBytes(slot.id, search.after) > 0 : compare(one, after) > 0);
    if (isBehind) found.push(one);
  }
  const page = found.sort(compare).slice(0, search.limit);
  return {
    entities: page.map(({ text }) => new Raw(text)), keys: page.map(({ slot }) => slot.key),
    next: found.length > page.length ? page[page.length - 1].slot.key : null, read,
  };
}

/** Returns the entity after which a page begins; null if its id is enough. */
function placeAfter(table: TypeTable | null, search: Search, shown: (slot: Slot) => Found | null): Found | null {
  if (search.order === null) return null;
  const slot = table?.find(search.after ?? "") ?? null;
  const found = slot === null ? null : shown(slot);
  if (found !== null) return found;
  throw new CacheError("invalid_params", `after is '${search.type}:${search.after ?? ""}', which is not there any more: begin again without after`);
}

function ruleOf({ type, where, order }: Search): Rule {
  const parts = [`"resource_type":${quoted(type)}`, ...where === null ? [] : [`"where":${where}`], ...order === null ? [] : [`"order":${order}`]];
  try {
    return parseRule(`{${parts.join(",")}}`);
  } catch (error) {
    if (!(error instanceof CacheError)) throw error;
    throw new CacheError(error.code, `${error.message.replace(/^membership: /, "")}: see Protocol/queries.md for where and order`);
  }
}
