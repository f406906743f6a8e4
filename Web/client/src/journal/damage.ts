// Finds damaged records in a journal. They are left out and reported.

import type { JournalStore } from "./journal.js";

/** A journal record that could not be used and was left out. */
export interface DamagedRecord {
  /** The store of the record. */
  readonly store: JournalStore;
  /** The key of the record. */
  readonly key: string;
}

/** Maximum number of damaged records that are reported. */
export const DAMAGE_COUNT_MAX = 1_000;

/** The required members of the records in each store, and the kinds of their values. */
const shapes: Readonly<Record<JournalStore, Readonly<Record<string, "string" | "number" | "array">>>> = {
  entities: { library: "string", type: "string", id: "string", stamp: "array" },
  libraries: { name: "string", generation: "number", lost: "array" },
  queries: { number: "number", library: "string", method: "string", input: "string", type: "string", rule: "string", ids: "array" },
  layers: { number: "number", pendingId: "string", library: "string", dependsOn: "array", changes: "array" },
  evicted: { library: "string", key: "string" },
  views: { library: "string", name: "string", rule: "string" },
};

/** The required members of a renamed temporary id, which is stored among the layers. */
const renamingShape = { number: "number", library: "string", temporary: "string", real: "string", json: "string" } as const;

/** True if a value has the form of a record of a store, and its JSON members are valid. */
export function hasShape(value: unknown, store: JournalStore): boolean {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  const isRenaming = store === "layers" && "temporary" in members;
  return Object.entries(isRenaming ? renamingShape : shapes[store]).every(([name, kind]) =>
    kind === "array" ? Array.isArray(members[name]) : typeof members[name] === kind) && textsOf(members, store).every(isJson);
}

/** Returns the members of a record that must be valid JSON. */
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
    case "views": return [members.rule];
    case "libraries": case "evicted": return [];
  }
}

/** Returns the texts of a sent request; it must have both. */
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
