// The inspector's panels on a cache in the page. The panels are those of Web/inspector, bundled on their own.

import { mountPanels } from "@tidemark/client/panels";
import type { NormalizedCache } from "../engine/cache.js";
import type { Notification } from "../engine/notifications.js";
import { addInspection } from "../inspection/index.js";
import { CacheError } from "../model/errors.js";
import { textOf } from "../out/value.js";

/**
 * Shows the inspector's views of a cache inside an element, and adds the methods that they need to it.
 *
 * Returns a function that takes them away. The element gets a shadow root: styles of the page do not reach them.
 */
export function mountInspector(element: HTMLElement, cache: NormalizedCache): () => void {
  addInspection(cache);
  const { engine } = cache;
  return mountPanels(element, {
    perform(method, params, tell, reply) {
      engine.whenRoom(params.length, () => engine.methods.perform(
        method, params, (notification) => tell(notification.method, textOf(notification.params)),
        (outcome) => {
          if (!(outcome instanceof CacheError)) return reply(textOf(outcome), null);
          reply("null", { code: outcome.code, message: outcome.message });
        }));
    },
    onNotification(handler) {
      const sink = (notification: Notification): void => handler(notification.method, textOf(notification.params));
      engine.addSink(sink);
      return () => { engine.sinks.delete(sink); };
    },
  });
}
