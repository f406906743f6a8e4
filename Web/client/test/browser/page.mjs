// What runs in the page: a cache with a journal, and components of React over it.

import { createElement as h, StrictMode, startTransition, Suspense, useState } from "react";
import { createRoot } from "react-dom/client";
import { IndexedDBJournal, NormalizedCache } from "../../dist/index.js";
import { CacheProvider, useCachedQuery, useEntity, useMutation, usePendingEdits } from "../../dist/react/index.js";

const event = (sequence, resource) => ({ sequence, event: { ResourceChanged: { resource_type: "photo", resource } } });

/** Opens a cache over the page's database. */
async function open(name, options = {}) {
  const cache = new NormalizedCache({ journal: new IndexedDBJournal({ name, ...options }) });
  await cache.ready;
  return cache;
}

/** Writes events one after the other until the page goes; `acknowledged` is what was durable last. */
function write(cache, from) {
  globalThis.acknowledged = from;
  const step = async (sequence) => {
    for (let next = sequence; next < sequence + 20; next += 1) cache.ingest(event(next, { id: `p${next % 50}`, n: next }));
    await cache.flush();
    globalThis.acknowledged = sequence + 19;
    void step(sequence + 20);
  };
  void step(from + 1);
}

let renders = 0;

function List({ tornLog }) {
  renders += 1;
  const { data, isLoading, pending } = useCachedQuery("photos", null, { policy: "cacheOnly", select: { photo: ["id", "n"] } });
  const other = useCachedQuery("photos", null, { policy: "cacheOnly", select: { photo: ["id", "n"] } });
  // Two readers of one render must see one state, however long the render takes.
  const end = performance.now() + 2;
  while (performance.now() < end) { /* a slow component */ }
  if (other.data !== data) tornLog.push("torn");
  return h("p", { id: "list" }, isLoading ? "…" : `${data.map((photo) => `${photo.id}=${photo.n}`).join(" ")}${pending ? "*" : ""}`);
}

function Edit() {
  const { mutate } = useMutation({
    changes: (n) => [{ op: "patch", resource_type: "photo", id: "a", fields: { n } }],
    mutate: async (n) => { if (n < 0) throw new Error("refused"); await globalThis.serverAnswer; return { confirmed: { id: "a", n }, sequence: 100 }; },
  });
  globalThis.mutate = mutate;
  return h("p", { id: "edits" }, `${usePendingEdits().length} pending`);
}

function One() {
  const { data } = useEntity("photo", "a", { suspense: true });
  return h("p", { id: "one" }, data === null ? "none" : String(data.n));
}

/** Mounts the components; returns what the test asks of them. */
async function mount() {
  const cache = new NormalizedCache();
  await cache.calls.query.put({ method: "photos", resource_type: "photo", local: true, membership: { resource_type: "photo" } });
  const tornLog = [];
  const setters = {};
  const App = () => {
    const [isShown, setShown] = useState(true);
    setters.setShown = setShown;
    return h(CacheProvider, { cache }, isShown ? h(List, { tornLog }) : null, h(Edit), h(Suspense, { fallback: "…" }, h(One)));
  };
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  root.render(h(StrictMode, null, h(App)));
  const settle = () => new Promise((resolve) => { setTimeout(resolve, 60); });
  await settle();
  return {
    cache, tornLog, settle, setters, transition: (body) => startTransition(body), renders: () => renders,
    text: (id) => document.getElementById(id)?.textContent ?? null, unmount: () => root.unmount(), event,
  };
}

Object.assign(globalThis, { open, write, mount, event, ready: true });
