import { readFileSync } from "node:fs";

const listed = JSON.parse(readFileSync(new URL("../../vectors-not-run.json", import.meta.url), "utf8"));

/**
 * Returns the reason why the client does not run a vector or transcript, or `undefined`. A name in the list that ends
 * in `*` matches all names that begin with it.
 */
export function reasonNotRun(path) {
  const name = Object.keys(listed).find((name) =>
    name.endsWith("*") ? path.startsWith(name.slice(0, -1)) : path === name);
  return name === undefined ? undefined : listed[name];
}
