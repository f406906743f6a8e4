// The method families: which part of the client has the methods of which names. A family of your own is a folder whose
// `index.ts` exports `addMethods`, and one entry here. Web/README.md, a method family.

import type { MethodFamily } from "../methods/methods.js";
import { edits, lists, upkeep, views } from "./loaders.js";

/** The methods that are loaded on first use, by family. */
export const families: readonly MethodFamily[] = [
  { part: lists, names: ["query.observe", "query.put", "query.read"] },
  {
    part: edits, names: [
      "cache.clear", "cache.remove", "cache.transaction", "optimistic.commit", "optimistic.list", "optimistic.retry", "optimistic.rollback",
      "optimistic.update", "outbox.list", "outbox.pause", "outbox.resume",
    ],
  },
  { part: upkeep, names: ["cache.explain", "cache.invalidate", "cache.stats", "initialize"] },
  { part: views, names: ["view.define", "view.drop", "view.explain", "view.list", "view.move", "view.observe", "view.read"] },
];
