// The code in the page: a cache with a journal, and React components that use it.

import { createElement as h, StrictMode, startTransition, Suspense, useState } from "react";
import { createRoot } from "react-dom/client";
import { IndexedDBJournal, NormalizedCache } from "../../dist/index.js";
import { mountInspector } from "../../dist/inspector/index.js";
import { SharedCache } from "../../dist/tabs/index.js";
import { CacheProvider, useCachedQuery, useEntity, useMutation, usePendingEdits } from "../../dist/react/index.js";

const event = (sequence, resource) => ({ sequence, event: { ResourceChanged: { resource_type: "photo", resource } } });

/** Opens a cache over the page's database. */
async function open(name, options = {}) {
  const cache = new NormalizedCache({ journal: new IndexedDBJournal({ name, ...options }) });
  await cache.ready;
  return cache;
}

/** Writes events one after the other until the page is killed; `acknowledged` is the last durable one. */
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
  return h("p", { id: "one", title: data?.note }, data === null ? "none" : String(data.n));
}

/** Mounts the components; returns the functions that the test calls. */
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
  const text = (id) => document.getElementById(id)?.textContent ?? null;
  await until(() => text("one") === "none" && text("list") === "");
  return {
    cache, tornLog, setters, transition: (body) => startTransition(body), renders: () => renders, text, unmount: () => root.unmount(), event,
    shows: (list, edits) => until(() => text("list") === list && text("edits") === edits),
    /** Waits until the cache has a number of observers, and returns it. */
    observers: async (count) => {
      let found;
      await until(() => {
        cache.calls.cache.stats().then(({ observers }) => { found = observers; });
        return found === count;
      });
      return found;
    },
  };
}

/** Opens this tab's part of a shared cache, and a list that is updated by its observation. */
async function share(name, options = {}) {
  const shared = new SharedCache({ name, ...options });
  await shared.ready;
  const list = { entities: [], changes: 0 };
  shared.on("query.changed", ({ patch }) => {
    list.changes += 1;
    for (const { op, path, from, value } of patch) {
      const at = Number(path.slice(1));
      if (op === "remove") list.entities.splice(at, 1);
      else if (op === "add") list.entities.splice(at, 0, value);
      else if (op === "replace") list.entities[at] = value;
      else list.entities.splice(at, 0, ...list.entities.splice(Number(from.slice(1)), 1));
    }
  });
  await shared.calls.query.put({ method: "photos", resource_type: "photo", local: true, membership: { resource_type: "photo" } });
  const { entities } = await shared.calls.query.observe({ method: "photos" });
  list.entities = [...entities];
  return { shared, list, shown: () => list.entities.map(({ id, n }) => `${id}=${n}`).join(" ") };
}

/** Makes edits one after the other until the page is killed; `acknowledged` is the number of acknowledged ones. */
function edit(shared, tab) {
  globalThis.acknowledged = 0;
  const step = async (number) => {
    await shared.calls.optimistic.update({
      pending_id: `${tab}-${number}`, changes: [{ op: "put", resource_type: "photo", resource: { id: `${tab}-${number}`, n: number } }],
    });
    globalThis.acknowledged = number;
    void step(number + 1);
  };
  void step(1);
}

/** Damages a database: a record of each store, or a whole store. */
function damage(name, isStoreGone) {
  return new Promise((resolve) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => {
      const database = request.result;
      if (isStoreGone) {
        const layers = database.transaction("layers").objectStore("layers").getAll();
        layers.onsuccess = () => {
          database.close();
          indexedDB.deleteDatabase(name).onsuccess = () => {
            const anew = indexedDB.open(name, 1);
            anew.onupgradeneeded = () => {
              anew.result.createObjectStore("entities");
              const store = anew.result.createObjectStore("layers");
              for (const layer of layers.result) store.put(layer, String(layer.number));
            };
            anew.onsuccess = () => { anew.result.close(); resolve(); };
          };
        };
        return;
      }
      const stores = ["entities", "libraries", "queries", "layers", "evicted"];
      const transaction = database.transaction(stores, "readwrite");
      for (const store of stores) {
        transaction.objectStore(store).put({ nonsense: true }, "damaged 1");
        transaction.objectStore(store).put("no record", "damaged 2");
      }
      const layer = { number: 77, pendingId: "x", library: "", createdAt: 0, isConfirmed: false, awaited: null, dependsOn: [], changes: [null] };
      transaction.objectStore("layers").put(layer, "77");
      transaction.objectStore("queries").put({ number: 78, library: "", method: "m", input: "null", type: "photo", rule: "{no rule", ids: [] }, "78");
      transaction.oncomplete = () => { database.close(); resolve(); };
    };
  });
}

/** Waits until a condition holds. */
async function until(isSo, patience = 30_000) {
  const end = performance.now() + patience;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`it never came: ${isSo}`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

/** Mounts a list whose response the test provides: it suspends until then. `asked` has the awaited responses. */
function mountWaiting() {
  const asked = [];
  const cache = new NormalizedCache({
    upstream: { fetch: (method, input) => new Promise((resolve, reject) => { asked.push({ input, resolve, reject }); }) },
  });
  const seen = [];
  const setters = {};
  const Waiting = ({ album, suspense }) => {
    // The input has a member named like an option of reads.
    const { data, isLoading, error, refetch } = useCachedQuery("album", { album, policy: "any" }, { suspense });
    setters.refetch = refetch;
    seen.push(isLoading ? "loading" : error !== null ? error.code : data.map(({ id }) => id).join(" "));
    return h("p", { id: "album" }, seen[seen.length - 1]);
  };
  const App = () => {
    const [shown, setShown] = useState({ album: 1, suspense: true });
    setters.setShown = setShown;
    return h(CacheProvider, { cache }, shown === null ? null : h(Suspense, { fallback: h("p", { id: "fallback" }, "…") }, h(Waiting, shown)));
  };
  const place = document.body.appendChild(document.createElement("div"));
  const complaints = [];
  const { error } = console;
  console.error = (...words) => { complaints.push(String(words[0])); error(...words); };
  const root = createRoot(place);
  root.render(h(StrictMode, null, h(App)));
  const observers = async () => (await cache.calls.cache.stats()).observers;
  return { cache, asked, seen, setters, complaints, observers, text: () => place.textContent, unmount: () => root.unmount() };
}

/** Mounts the hooks for edits, over two caches that each have an edit in each of two libraries. */
async function mountHooks() {
  const make = async (name) => {
    const cache = new NormalizedCache();
    for (const library_id of ["a", "b"]) {
      const changes = [{ op: "put", resource_type: "photo", resource: { id: "x" } }];
      await cache.calls.optimistic.update({ library_id, pending_id: `${name}-${library_id}`, changes });
    }
    return cache;
  };
  const caches = [await make("first"), await make("second")];
  const answers = [];
  const handles = {};
  const Hooks = ({ library }) => {
    const edits = usePendingEdits(library);
    const { mutate, isPending, error } = useMutation({ mutate: () => new Promise((resolve, reject) => { answers.push({ resolve, reject }); }) });
    handles.mutate = mutate;
    return h("p", null, `${edits.map(({ pending_id }) => pending_id).join(" ")}|${isPending}|${error?.message ?? ""}`);
  };
  const App = () => {
    const [shown, setShown] = useState({ at: 0, library: "a" });
    handles.setShown = setShown;
    return h(CacheProvider, { cache: caches[shown.at] }, h(Hooks, { library: shown.library }));
  };
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  root.render(h(StrictMode, null, h(App)));
  await until(() => place.textContent !== "");
  return { answers, handles, text: () => place.textContent, unmount: () => root.unmount() };
}

/** Shows the inspector of a cache with some data of every kind. */
async function inspect() {
  const cache = new NormalizedCache();
  const element = document.body.appendChild(document.createElement("div"));
  element.style.height = "600px";
  const violations = [];
  document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => violations.push(violatedDirective));
  const end = mountInspector(element, cache);
  for (let next = 1; next <= 40; next += 1) cache.ingest(event(next, { id: `p${next}`, n: next }));
  cache.ingest("{\"no\":\"event\",}");
  await cache.calls.query.put({ method: "photos", resource_type: "photo", local: true, membership: { resource_type: "photo" } });
  await cache.calls.optimistic.update({ pending_id: "edit-1", changes: [{ op: "patch", resource_type: "photo", id: "p1", fields: { n: 99 } }] });
  const root = element.shadowRoot;
  const tab = (name) => [...root.querySelectorAll("[role=tab]")].find((one) => one.textContent === name);
  return {
    cache, root, end, violations, tabs: () => [...root.querySelectorAll("[role=tab]")].map((one) => one.textContent),
    open: (name) => tab(name).click(), panel: () => root.querySelector("[role=tabpanel]:not([hidden])").textContent,
  };
}

/** Shows the inspector of this tab's part of a shared cache. */
function inspectShared(shared) {
  const element = document.body.appendChild(document.createElement("div"));
  element.style.height = "600px";
  const end = mountInspector(element, shared);
  const root = element.shadowRoot;
  return {
    end, open: (name) => [...root.querySelectorAll("[role=tab]")].find((one) => one.textContent === name).click(),
    panel: () => root.querySelector("[role=tabpanel]:not([hidden])").textContent,
  };
}

Object.assign(globalThis, { inspectShared, share, edit, damage, until, inspect, mountWaiting, mountHooks });
Object.assign(globalThis, { SharedCache, open, write, mount, event, ready: true });
