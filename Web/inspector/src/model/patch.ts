import type { Json } from "./json";
import { isArray, JsonObject, text } from "./json";

/** A row of a view on screen. */
export interface ViewRow {
  /** Its value. */
  value: Json;
  /** The keys of its entities, or the values of its group; null if the cache did not send them. */
  key: Json;
  /** When it last changed on screen; 0 if never. */
  changedAt: number;
}

/**
 * Applies the patch of a `view.changed` to rows: whole rows are added, removed, replaced and moved, and the others
 * change inside. `keys` has the keys of the added rows, in order. Rows that changed get the time `now`. Returns how
 * many did.
 */
export function patchRows(rows: ViewRow[], patch: readonly Json[], keys: readonly Json[], now: number): number {
  let keyIndex = 0;
  let changedCount = 0;
  const touch = (row: ViewRow): void => {
    row.changedAt = now;
    changedCount += 1;
  };
  for (const step of patch) {
    const [op, value] = [text(step, "op"), step instanceof JsonObject ? step.get("value") ?? null : null];
    const [index, ...inside] = tokens(text(step, "path") ?? "");
    if (inside.length > 0) {
      const row = rows[Number(index)];
      if (row === undefined) continue;
      const from = tokens(text(step, "from") ?? "").slice(1);
      row.value = op === "move" ? put(removed(row.value, from), inside, "add", at(row.value, from)) : put(row.value, inside, op ?? "", value);
      touch(row);
      continue;
    }
    if (op === "remove") rows.splice(Number(index), 1);
    if (op === "move") {
      const [moved] = rows.splice(Number(tokens(text(step, "from") ?? "")[0]), 1);
      rows.splice(Number(index), 0, moved);
      touch(moved);
    }
    if (op === "replace" && rows[Number(index)] !== undefined) {
      rows[Number(index)].value = value;
      touch(rows[Number(index)]);
    }
    if (op === "add") {
      const row: ViewRow = { value, key: keys[keyIndex++] ?? null, changedAt: now };
      rows.splice(index === "-" ? rows.length : Number(index), 0, row);
      changedCount += 1;
    }
  }
  return changedCount;
}

function tokens(pointer: string): string[] { return pointer.split("/").slice(1).map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~")); }

function at(value: Json, path: readonly string[]): Json {
  if (path.length === 0) return value;
  const [token, ...rest] = path;
  return at((isArray(value) ? value[Number(token)] : value instanceof JsonObject ? value.get(token) : null) ?? null, rest);
}

function removed(value: Json, path: readonly string[]): Json { return put(value, path, "remove", null); }

/** Returns a copy of a value in which the place at a path is added, replaced or removed. */
function put(value: Json, [token, ...rest]: readonly string[], op: string, fresh: Json): Json {
  if (isArray(value)) {
    const copy = [...value];
    const index = token === "-" ? copy.length : Number(token);
    if (rest.length > 0) copy[index] = put(copy[index] ?? null, rest, op, fresh);
    else copy.splice(index, op === "add" ? 0 : 1, ...op === "remove" ? [] : [fresh]);
    return copy;
  }
  if (!(value instanceof JsonObject)) return value;
  const members = [...value.members];
  const index = members.findIndex(([name]) => name === token);
  if (rest.length > 0) {
    if (index >= 0) members[index] = [token, put(members[index][1], rest, op, fresh)];
  } else if (op === "remove") {
    if (index >= 0) members.splice(index, 1);
  } else if (index >= 0) {
    members[index] = [token, fresh];
  } else {
    members.push([token, fresh]);
  }
  return new JsonObject(members);
}
