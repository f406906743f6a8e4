import { compareBytes } from "../json/utf8.js";
import type { Handler, Methods } from "./methods.js";
import { nearestName } from "./nearest.js";
import { refuse } from "./params.js";
import type { Params } from "./params.js";

/**
 * Adds a method that changes something. It refuses unknown params, since ignoring a misspelt one could widen the
 * change.
 */
export function putStrict(methods: Methods, name: string, known: readonly string[], handler: Handler): void {
  methods.put(name, (params, reply, sink) => {
    refuseUnknown(params, [...known, "library_id"], name);
    handler(params, reply, sink);
  });
}

/** Throws `invalid_params` if params have a member that is not known. */
export function refuseUnknown(params: Params, known: readonly string[], owner: string): void {
  const [unknown] = [...params.names].filter((name) => !known.includes(name)).sort(compareBytes);
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  const advice = nearest === null ? `pass only ${known.join(", ")}` : `did you mean ${params.name(nearest)}?`;
  refuse(`${params.name(unknown.slice(0, 60))} is not known in ${owner}: ${advice}`);
}
