// The parts of a cache that its first list does not need, as the folders up to `methods` see them: the functions that
// they call, described where they are defined. `parts/` supplies the code of each. Web/client/README.md, size.

import type { Layer } from "../layers/layer.js";
import type { LayerSending } from "../layers/sending.js";
import { Part } from "../model/part.js";
import type { Sequence } from "../model/sequence.js";
import type { Out } from "../out/value.js";
import type { Candidates } from "../queries/candidates.js";
import type { KeyNode, Query } from "../queries/query.js";
import type { Rule } from "../queries/view.js";
import type { EventSource } from "../sequencing/held.js";
import type { ScopeState } from "../sequencing/scope.js";
import type { Library, Slot } from "../store/library.js";
import type { MergeRules } from "../store/merge.js";
import type { Doubt } from "../store/recent-doubts.js";
import type { Stamp, Tombstone } from "../store/stamp.js";
import type { ChangeEvent, Line, UnusableLine } from "../wire/events.js";
import type { placeOf } from "../wire/salvage.js";
import type { Ages, ExpiredField } from "./ages.js";
import type { Creation, WriteOutcome } from "./outcomes.js";
import type { ListChange } from "./records.js";
import type { LayerStack } from "./stack.js";
import type { State } from "./state.js";

/** Writes an event into an entity that a response or a confirmation wrote. */
interface AroundCode {
  writeAround: (state: State, slot: Slot, resource: string | null, rules: MergeRules | null, stamp: Stamp) => WriteOutcome;
}

/** Functions for the lists of queries. */
interface ListCode extends AroundCode {
  Candidates: new () => Candidates;
  parseRule: (json: string) => Rule;
  evaluate: (state: State, query: Query) => void;
  dropQuery: (state: State, query: Query) => void;
  markConcerned: (state: State, doubt: Doubt, now: number) => number;
  followWriteInLists: (state: State, slot: Slot, text: string, now: number) => void;
  followDeleteInLists: (state: State, node: KeyNode, now: number) => void;
  followReduction: (state: State, node: KeyNode, now: number) => void;
  forgetInLists: (state: State, node: KeyNode, now: number) => void;
  logQueries: (state: State, touched: Query[], now: number) => void;
  patchOf: (steps: readonly ListChange[], fields: ReadonlySet<string> | null) => Out[];
}

/** Functions for pending edits. */
interface EditCode extends AroundCode {
  stackOf: (state: State) => LayerStack;
  nodesOf: (layers: readonly Layer[]) => KeyNode[];
  pushLayer: (state: State, layer: Layer) => void;
  layerByteCount: (layer: Pick<Layer, "pendingId" | "dependsOn" | "changes" | "sending" | "sent">) => number;
  recordedSending: (sending: LayerSending) => LayerSending;
  pendingOut: (state: State, library: string | null) => Out;
  settleNode: (state: State, node: KeyNode) => void;
  settleQuery: (state: State, query: Query) => void;
  creationBy: (state: State, event: ChangeEvent, library: Library) => Creation | null;
  maySettle: (state: State, event: ChangeEvent, library: Library) => boolean;
  settlingBy: (state: State, event: ChangeEvent, library: Library) => () => void;
  settleNamed: (state: State, event: ChangeEvent, creation: Creation | null, library: Library) => void;
  settleReached: (state: State, library: Library, now: number) => void;
  noteOutlived: (state: State, node: KeyNode, generation: number) => void;
  noteOutlivedBy: (state: State, node: KeyNode, stamp: Stamp) => void;
  dropOutlived: (state: State) => void;
  failDeparted: (state: State, slot: Slot) => void;
}

/** Functions for live views. */
interface ViewCode {
  restoreView: (state: State, record: { readonly library: string; readonly name: string; readonly rule: string; }) => void;
}

/** Functions for missing and late events, for units of several lines and states, and for lines that cannot be used. */
interface GapCode {
  placeOf: typeof placeOf;
  setLineAside: (state: State, line: Line, unusable: UnusableLine, now: number) => void;
  applyLate: (
    state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number,
  ) => boolean;
  hold: (state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number) => void;
  extendUnit: (state: State, event: ChangeEvent, sequence: Sequence, source: EventSource, library: Library, now: number) => boolean;
  scopeOf: (library: Library) => ScopeState;
  forgetScope: (state: State, library: Library) => void;
  hearInScope: (state: State, event: ChangeEvent, source: EventSource, library: Library, now: number) => void;
}

/** Functions for ages, eviction and cascading deletes. */
interface UpkeepCode {
  evict: (state: State, now: number) => void;
  expiredField: (slot: Slot, fields: ReadonlySet<string> | null, ages: Ages, now: number) => ExpiredField | null;
  cascade: (
    state: State, roots: readonly Slot[], text: (slot: Slot) => string | null, isGoing?: (slot: Slot) => boolean,
  ) => Slot[];
  deleteWithOthers: (state: State, root: Slot, tombstone: Tombstone, isLate: boolean) => void;
}

/** Lists: fetching, storing, ordering, reading and observing them. */
export const lists = new Part<ListCode>("lists");
/** Transactions, removals, pending edits and the outbox. */
export const edits = new Part<EditCode>("edits");
/** Recovery of gaps, and quarantine of lines that cannot be used. */
export const gaps = new Part<GapCode>("gaps");
/** Reading a journal, and flushing to it. */
export const journal = new Part<AroundCode>("journal");
/** Live views. */
export const views = new Part<ViewCode>("views");
/** Ages, refreshing, eviction, and the methods that report a cache's state. */
export const upkeep = new Part<UpkeepCode>("upkeep");
