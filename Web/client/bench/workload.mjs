// Workload W of docs/benchmarks.md in small pieces: entities of about 500 bytes, skewed updates, deletes, lists of ids.

import { Random } from "../test/support/random.mjs";

const KINDS = ["image", "video", "document", "audio", "archive", "code"];
const WORDS = ["alpha", "beach", "cabin", "delta", "ember", "forest", "garden", "harbor", "island", "jungle", "kernel", "lemon"];
const TAGS = ["red", "blue", "work", "home", "2024", "2025", "raw", "todo"];

/** Returns the entities, the lines that load them, the lines that update them, and the ids of lists. */
export function workload(entityCount, updateCount, listCount, listLength, seed = 20260101) {
  const random = new Random(seed);
  const hex = (count) => Array.from({ length: count }, () => "0123456789abcdef"[random.below(16)]).join("");
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  const library = uuid();
  const time = (second) => new Date(1_700_000_000_000 + second * 1_000).toISOString().replace("Z", "000Z");
  const name = (index) => `${random.pick(WORDS)}_${random.pick(WORDS)}_${String(index).padStart(5, "0")}`;
  const tags = () => TAGS.filter(() => random.chance(0.2));
  const entities = Array.from({ length: entityCount }, (_, index) => ({
    id: uuid(), name: name(index), path: `/Users/ada/Pictures/${random.pick(WORDS)}/${random.pick(WORDS)}/${index}.jpg`, extension: "jpg",
    size: random.below(5_000_000_000), kind: random.pick(KINDS), tags: tags(), favorite: random.chance(0.05),
    created_at: time(random.below(30_000_000)), modified_at: time(random.below(30_000_000)),
    content_identity: { uuid: uuid(), kind: random.pick(KINDS), integrity_hash: hex(64), entry_count: 1 + random.below(3) },
  }));
  let sequence = 0;
  const line = (entity) => {
    sequence += 1;
    return JSON.stringify({ event: { ResourceChanged: { resource_type: "file", resource: entity } }, library_id: library, sequence });
  };
  const load = entities.map(line);
  const updates = Array.from({ length: updateCount }, (_, index) => {
    const entity = entities[Math.floor(entityCount ** random.next()) - 1] ?? entities[0];
    const share = random.next();
    if (share < 0.5) entity.name = name(index);
    else if (share < 0.8) entity.tags = tags();
    else entity.size = random.below(5_000_000_000);
    entity.modified_at = time(31_000_000 + index);
    return line(entity);
  });
  const lists = Array.from({ length: listCount }, () => {
    const ids = new Set();
    while (ids.size < Math.min(listLength, entityCount)) ids.add(entities[random.below(entityCount)].id);
    return [...ids];
  });
  return { library, load, updates, lists };
}
