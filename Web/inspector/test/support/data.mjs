// A cache with data for every view: entities of two types, lists, edits, quarantined lines, gaps.

const NAMES = ["sea", "harbour", "lighthouse", "dune", "pier", "gull", "tide pool", "sandbank"];

export function photo(number, sequence, more = {}) {
  return {
    library_id: "", sequence, event: {
      ResourceChanged: {
        resource_type: "photo",
        resource: { id: `p${String(number).padStart(6, "0")}`, title: `${NAMES[number % NAMES.length]} ${number}`, size: 1_000 + number * 37 % 9_000,
          rating: number % 6, tags: ["coast", NAMES[number % 5]], place: { lat: 53.5 + number / 1e5, lon: 8.1 }, price: number, ...more },
      },
    },
  };
}

/** Feeds a cache. Returns the next sequence. */
export async function fill(server, count) {
  let sequence = 1;
  for (let start = 0; start < count; start += 5_000) {
    const lines = [];
    for (let number = start; number < Math.min(count, start + 5_000); number += 1) lines.push(photo(number, sequence++));
    await server.feed(lines);
  }
  await server.feed([
    { library_id: "archive", sequence: 1, event: { ResourceChanged: { resource_type: "album", resource: { id: "a1", name: "Wadden Sea", cover: null } } } },
    { library_id: "archive", sequence: 1, event: { ResourceChanged: { resource_type: "album", resource: { id: "a1", name: "Wadden Sea", cover: null } } } },
    { library_id: "broken", sequence: 1, event: { ResourceChanged: { resource_type: "album", resource: { id: "b1" } } } },
    "{\"sequence\":7,\"event\":{\"ResourceChanged\":{\"resource_type\":\"photo\",\"resource\":{\"id\":\"x\",}}}}",
    "{\"sequence\":-4,\"event\":{\"ResourceChanged\":{\"resource_type\":\"photo\",\"resource\":{\"id\":\"äöü\",\"name\":\"<img src=x onerror=alert(1)>\"}}}}",
    "{\"event\":{\"ResourceChanged\":{\"resource_type\":\"a b\",\"resource\":{\"id\":\"x\"}}}}",
    { event: { ResourceChangedBatch: { resource_type: "photo", resources: [{ id: "p000001", title: "sea 1", note: "of a batch" }, { name: "no id" }] } } },
  ]);
  const put = (method, params) => server.call("query.put", { method, resource_type: "photo", ...params });
  await put("photos.best", { input: { rating: 5 }, resources: [], local: true, membership: { resource_type: "photo", where: { path: "/rating", eq: 5 },
    order: [{ path: "/size", direction: "desc" }], limit: 200 } });
  await put("photos.recent", { input: { days: 7, of: "coast" }, resources: [1, 2, 3].map((number) => photo(number, 1).event.ResourceChanged.resource),
    as_of: 3, ttl: 3600, tags: ["front"] });
  await put("photos.old", { resources: [], ttl: 0 });
  await server.call("optimistic.update", { pending_id: "rename-1",
    changes: [{ op: "patch", resource_type: "photo", id: "p000001", fields: { title: "Wrack line", rating: 5 } }] });
  await server.call("optimistic.update", { pending_id: "delete-2", depends_on: "rename-1", send: { method: "photos.delete", input: { id: "p000002" } },
    changes: [{ op: "delete", resource_type: "photo", id: "p000002" }] });
  await server.call("cache.flush");
  return sequence;
}

/** Answers the cache's own requests. */
export function answer(method, params) {
  if (method === "query.fetch") return { result: { resource_type: "photo", resources: [4,
    5].map((number) => photo(number, 1).event.ResourceChanged.resource), as_of: 5 } };
  if (method === "mutation.send") return { error: { code: 1, message: "the server is busy", data: { code: "busy", retry: true } } };
  return undefined;
}
