import type { Sequence } from "../model/sequence.js";
import type { EventMember } from "./events.js";

/** The fields around an event. */
export interface Envelope {
  /** The library; null for the default one. */
  library: string | null;
  /** The position; null if it has none. */
  sequence: Sequence | null;
  /** The `prev`; null for one below the position. */
  previous: Sequence | null;
  /** The epoch of the log; null if it names none. */
  epoch: string | null;
  /** The id of the edit that the event settles; null for none. */
  mutationId: string | null;
  /** True if the unit goes on in the next line. */
  hasMore: boolean;
}

/** The envelope of an event that has none. */
export const bareEnvelope: Envelope = { library: null, sequence: null, previous: null, epoch: null, mutationId: null, hasMore: false };

/** The members of an event that has none. */
export const noMembers: readonly EventMember[] = [];
