// Records that something broke: what of a journal can be used. A record that cannot is left out, and named.

import type { JournalStore } from "../engine/ports.js";

/** A record of a journal that cannot be used, and was left out. */
export interface DamagedRecord {
  readonly store: JournalStore;
  readonly key: string;
}

/** The damaged records that are remembered. */
export const DAMAGE_COUNT_MAX = 1_000;

/** The members that the records of each store must have, by the kind of their values. */
const shapes: Readonly<Record<JournalStore, Readonly<Record<string, "string" | "number" | "array">>>> = {
  entities: { library: "string", type: "string", id: "string", stamp: "array" },
  libraries: { name: "string", generation: "number", lost: "array" },
  queries: { number: "number", library: "string", method: "string", input: "string", type: "string", rule: "string", ids: "array" },
  layers: { number: "number", pendingId: "string", library: "string", dependsOn: "array", changes: "array" },
  evicted: { library: "string", key: "string" },
};

/** The same for a renaming of a temporary id, which stands among the layers. */
const renamingShape = { number: "number", library: "string", temporary: "string", real: "string", json: "string" } as const;

/** Whether a value is a record of a store. */
export function hasShape(value: unknown, store: JournalStore): boolean {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  const isRenaming = store === "layers" && "temporary" in members;
  return Object.entries(isRenaming ? renamingShape : shapes[store]).every(([name, kind]) =>
    kind === "array" ? Array.isArray(members[name]) : typeof members[name] === kind) && textsOf(members, store).every(isJson);
}

/** Returns the texts of a record that are read as JSON: one that is no JSON would lead its readers astray. */
function textsOf(members: Readonly<Record<string, unknown>>, store: JournalStore): unknown[] {
  const texts = (values: readonly unknown[]): unknown[] => values.filter((value) => value !== null && value !== undefined && value !== "");
  switch (store) {
    case "entities": return texts([members.text]);
    case "queries": return texts([members.rule, members.input]);
    case "layers": return [
      ...texts([members.json]), ...sentTexts(members.sent),
      ...((members.changes ?? []) as readonly { resource?: unknown; fields?: unknown; }[]).flatMap(
        (change) => texts([change?.resource, change?.fields])),
    ];
    case "libraries": case "evicted": return [];
  }
}

/** A request that left has both of its texts. */
function sentTexts(sent: unknown): unknown[] {
  if (sent === undefined) return [];
  const { input, changes } = (sent ?? {}) as { input?: unknown; changes?: unknown; };
  return [input, changes];
}

function isJson(text: unknown): boolean {
  try {
    return typeof text === "string" && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
