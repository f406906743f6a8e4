import type { JsonValue } from "../json/exact.js";
import type { JsonObject } from "../cache/values.js";

/** One step of a patch over rows. */
export interface RowStep {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: JsonValue;
}

/** Applies a patch to rows. Rows and parts of rows that did not change stay the same objects. */
export function patchedRows(rows: readonly JsonObject[], patch: readonly RowStep[]): readonly JsonObject[] {
  let root: JsonValue = rows;
  for (const { op, path, from, value } of patch) {
    const to = tokensOf(path);
    if (op === "remove") {
      root = changed(root, to, "remove", null);
    } else if (op === "move" && from !== undefined) {
      const taken = tokensOf(from);
      const moved = taken.reduce(childOf, root);
      root = changed(changed(root, taken, "remove", null), to, "add", moved);
    } else if (value !== undefined) {
      root = changed(root, to, op, value);
    }
  }
  return root as readonly JsonObject[];
}

function tokensOf(path: string): string[] { return path.split("/").slice(1).map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~")); }

function childOf(value: JsonValue, token: string): JsonValue { return (value as { readonly [name: string]: JsonValue; })[token]; }

/** Returns a container with the value at a path added, replaced or removed. Only the containers on the path are copied. */
function changed(container: JsonValue, [token, ...rest]: readonly string[], op: string, value: JsonValue): JsonValue {
  if (Array.isArray(container)) {
    const copy = [...container] as JsonValue[];
    if (rest.length > 0) copy[Number(token)] = changed(childOf(container, token), rest, op, value);
    else copy.splice(Number(token), op === "add" ? 0 : 1, ...op === "remove" ? [] : [value]);
    return copy;
  }
  const { [token]: own, ...others } = container as { readonly [name: string]: JsonValue; };
  if (rest.length === 0 && op === "remove") return others;
  // A member that stays keeps its place.
  return { ...container as JsonObject, [token]: rest.length > 0 ? changed(own, rest, op, value) : value };
}
