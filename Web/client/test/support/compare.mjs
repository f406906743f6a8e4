// Compares JSON values with a vector or a transcript.

import { ExactNumber } from "./client.mjs";

function kind(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return value instanceof ExactNumber || typeof value === "bigint" ? "number" : typeof value;
}

const number = (value) => value instanceof ExactNumber ? value.text : String(value);

/**
 * Returns where a value differs from the expected one. `open`: members that are not named may have any value; `whole`
 * names members whose value must match completely.
 */
export function differences(wanted, found, { open = false, whole = [] } = {}, path = "") {
  if (kind(wanted) !== kind(found)) return [`${path}: wanted ${JSON.stringify(wanted)}, found ${String(JSON.stringify(found, bigints))}`];
  switch (kind(wanted)) {
    case "number": return number(wanted) === number(found) ? [] : [`${path}: wanted ${number(wanted)}, found ${number(found)}`];
    case "array":
      if (wanted.length !== found.length) return [`${path}: wanted ${wanted.length} elements, found ${found.length}`];
      return wanted.flatMap((element, index) => differences(element, found[index], { open, whole }, `${path}/${index}`));
    case "object": {
      const problems = Object.keys(wanted).flatMap((name) => name in found
        ? differences(wanted[name], found[name], { open: open && !whole.includes(name), whole }, `${path}/${name}`)
        : [`${path}/${name}: is missing`]);
      if (!open) for (const name of Object.keys(found)) if (!(name in wanted)) problems.push(`${path}/${name}: is not wanted`);
      return problems;
    }
    default: return wanted === found ? [] : [`${path}: wanted ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`];
  }
}

function bigints(_key, value) { return typeof value === "bigint" ? String(value) : value; }
