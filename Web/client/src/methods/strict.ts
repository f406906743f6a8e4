import { refuseUnknown } from "../params/unknown.js";
import type { Handler, Methods } from "./methods.js";

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
