// The inspector's panels on a cache in the page. The panels are those of Web/inspector, bundled on their own.

import type { NormalizedCache } from "../cache/cache.js";
import { addInspection } from "../inspection/index.js";
import { CacheError } from "../model/errors.js";
import { textOf } from "../out/value.js";
import type { SharedCache } from "../tabs/index.js";
import { mountPanels } from "@tidemark/client/panels";

/**
 * Shows the inspector's views of a cache inside an element, and adds the methods that they need to the cache. In a
 * shared cache any tab shows everything: the writing tab loads these methods with the first call of one.
 *
 * Returns a function that removes the views. The element gets a shadow root, so that styles of the page do not apply.
 *
 * ```ts
 * const unmount = mountInspector(document.body, cache);
 * ```
 */
export function mountInspector(element: HTMLElement, cache: NormalizedCache | SharedCache): () => void {
  if ("engine" in cache) addInspection(cache);
  const { port } = cache;
  return mountPanels(element, {
    perform(method, params, tell, reply) {
      port.perform(
        method, params, (notification) => tell(notification.method, textOf(notification.params)),
        (outcome) => {
          if (!(outcome instanceof CacheError)) return reply(textOf(outcome), null);
          reply("null", { code: outcome.code, message: outcome.message });
        });
    },
    onNotification: (handler) => port.onAll((notification) => handler(notification.method, textOf(notification.params))),
  });
}
