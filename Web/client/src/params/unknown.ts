import { compareBytes } from "../json/utf8.js";
import { nearestName } from "./nearest.js";
import { refuse } from "./params.js";
import type { Params } from "./params.js";

/** Throws `invalid_params` if params have a member that is not known. */
export function refuseUnknown(params: Params, known: readonly string[], owner: string): void {
  const [unknown] = [...params.names].filter((name) => !known.includes(name)).sort(compareBytes);
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  const advice = nearest === null ? `pass only ${known.join(", ")}` : `did you mean ${params.name(nearest)}?`;
  refuse(`${params.name(unknown.slice(0, 60))} is not known in ${owner}: ${advice}`);
}
