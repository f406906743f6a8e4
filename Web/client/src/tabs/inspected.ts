// The methods that report a cache's state, in the writing tab. They are loaded with the first call of one.

import type { NormalizedCache } from "../cache/cache.js";
import type { Sink } from "../engine/notifications.js";
import { memberOf } from "../json/text.js";
import { CacheError } from "../model/errors.js";
import type { Out } from "../out/value.js";

const methods: readonly string[] = ["entity.find", "query.list", "facets", "doctor.findings", "quarantine.list", "quarantine.retry", "log.observe"];
const withBase: readonly string[] = ["entity.get", "entity.observe"];

/** Performs a method, and loads those of Protocol/sessions.md, "Looking at a cache", with the first call of one. */
export function perform(
  cache: NormalizedCache, method: string, json: string, sink: Sink, reply: (outcome: Out | CacheError) => void,
): void {
  const go = (): void => cache.port.perform(method, json, sink, reply);
  const isLooking = methods.includes(method) || withBase.includes(method) && memberOf(json, "base") !== null;
  if (!isLooking || cache.engine.methods.handlers.has("entity.find")) return go();
  import("../inspection/index.js").then(({ addInspection }) => {
    addInspection(cache);
    go();
  }).catch((error: unknown) => reply(new CacheError("storage_failed", `the methods for looking at a cache cannot be loaded: ${String(error)}`)));
}
