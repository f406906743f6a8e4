// The cache of the page: one for all tabs. What it lacks it asks of the servers; what is edited it sends by itself.

import { connectServe, UpstreamError } from "@tidemark/client";
import { SharedCache } from "@tidemark/client/tabs";
import { ruleOf } from "./lists.js";

const OFFLINE = "photos.offline";

/** Whether the person works offline: one switch for all tabs. */
export const network = {
  get isOffline() { return localStorage.getItem(OFFLINE) === "1"; },
  set isOffline(value) {
    localStorage.setItem(OFFLINE, value ? "1" : "0");
    for (const listener of network.listeners) listener();
  },
  listeners: new Set(),
  onChange(listener) {
    network.listeners.add(listener);
    return () => { network.listeners.delete(listener); };
  },
};
addEventListener("storage", ({ key }) => { if (key === OFFLINE) for (const listener of network.listeners) listener(); });

function checkOnline() {
  if (network.isOffline) throw new UpstreamError("this page works offline", { code: "offline", isRefusal: true });
}

/** Asks the photo service. */
async function ask(method, params) {
  checkOnline();
  const response = await fetch("/service", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error !== undefined) throw new UpstreamError(error.message, { isRefusal: true, code: error.data?.code });
  return result;
}

/** Makes the cache; the tab that writes is connected to `tidemark serve`. */
export async function openCache() {
  const { serve, token } = await (await fetch("/config.json")).json();
  let connection = null;
  const upstream = {
    async eventsSince(library, sequence) {
      const { events, covered_through } = await ask("events.since.v1", { library_id: library, sequence });
      return { events, coveredThrough: covered_through };
    },
    // Lists come from the cache of the server.
    async fetch(method, input) {
      checkOnline();
      if (connection === null) throw new UpstreamError("there is no connection", { code: "offline" });
      const { entities, as_of } = await connection.call("query.read", { method, input });
      return { resource_type: "photo", resources: entities, as_of, membership: ruleOf(input) };
    },
    send: (mutation) => ask("mutation.send", mutation),
  };
  const cache = new SharedCache({
    name: "photos", upstream,
    lead(own) {
      const connect = () => {
        connection?.close();
        connection = null;
        void (network.isOffline ? own.calls.outbox.pause() : own.calls.outbox.resume());
        if (network.isOffline) return;
        connection = connectServe(serve, token);
        // The server says how far it is, and the events are read from the service. Should one not come, the next number shows it.
        const follow = async ({ library_id, epoch, sequence }) => {
          const cursor = own.gaps()[library_id]?.sequence ?? null;
          try {
            const { events } = cursor === null || cursor >= sequence ? { events: [] } : await ask("events.latest", { sequence: cursor + 1 });
            for (const event of events) own.ingest(event);
          } catch {
            // The number that follows makes the cache ask by itself.
          }
          own.ingest({ library_id, epoch: epoch || undefined, event: { Heartbeat: { last_sequence: sequence } } });
        };
        const catchUp = async (session) => {
          const { libraries } = await session.call("cache.stats");
          for (const [library_id, { epoch, sequence }] of Object.entries(libraries)) {
            if (sequence !== null) await follow({ library_id, epoch, sequence });
          }
        };
        connection.on("durable", (place) => void follow(place));
        connection.onGone(() => void catchUp(connection).catch(() => undefined));
        void catchUp(connection).catch(() => undefined);
      };
      connect();
      const end = network.onChange(connect);
      return () => {
        end();
        connection?.close();
      };
    },
  });
  await cache.ready;
  return cache;
}

/** Edits a photo: it is shown at once, and sent when the service can be reached, after a reload too. */
export function edit(cache, method, photo, fields) {
  return cache.calls.optimistic.update({
    pending_id: crypto.randomUUID(), changes: [{ op: "patch", resource_type: "photo", id: photo.id, fields }],
    send: { method, input: { id: photo.id, ...fields }, key: photo.id },
  });
}

/** Asks something of the rest of the world: the other people and the network of this example. */
export const world = (path, body = {}) => fetch(`/service/${path}`, { method: "POST", body: JSON.stringify(body) });
