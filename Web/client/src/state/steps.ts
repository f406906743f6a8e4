import type { MutationRequest } from "../layers/sending.js";

/** A validated operation of a transaction or a layer; ids are canonical. */
export type Step =
  | { op: "put"; type: string; id: string; resource: string; }
  | { op: "patch"; type: string; id: string; fields: string; unset: readonly string[]; }
  | { op: "merge"; type: string; id: string; fields: string; }
  | { op: "remove_field"; type: string; id: string; field: string; }
  | { op: "delete"; type: string; id: string; }
  | { op: "remove"; type: string | null; ids: readonly string[] | null; matching: string | null; };

/** A validated optimistic edit. */
export interface LayerUpdate {
  /** The id that the caller gave the edit. */
  pendingId: string;
  /** The library that the edit changes. */
  library: string;
  /** The operations, in order. */
  steps: readonly Step[];
  /** The pending ids of the edits that this one depends on. */
  dependsOn: readonly string[];
  /** The request to send for the edit; null if the program sends it by itself. */
  send: MutationRequest | null;
}
