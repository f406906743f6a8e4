export { NormalizedCache } from "./engine/cache.js";
export type { CacheOptions, GapReport, NotificationHandler } from "./engine/cache.js";
export type {
  CacheCalls, EntityGetParams, EntityResult, Explanation, Id, JsonObject, MutationRequestParams, Operation, OutboxEntry, PendingEdit, QueryAnswerParams,
  QueryIdentity, QueryReadParams, QueryResult, RemoveOperation,
} from "./engine/calls.js";
export { systemClock } from "./engine/clock.js";
export type { CacheClock } from "./engine/clock.js";
export type { Notification } from "./engine/notifications.js";
export { journalStores } from "./engine/ports.js";
export type {
  EventsAnswer, Journal, JournalBatch, JournalContents, JournalStore, JournalWrite, SentMutation, Upstream,
} from "./engine/ports.js";
export { ResourceError, ResourceTypeRegistry } from "./engine/registry.js";
export type { ResourceDecoder } from "./engine/registry.js";
export { fetchPolicies } from "./engine/policies.js";
export type { FetchPolicy } from "./engine/policies.js";
export { IndexedDBJournal, JournalError } from "./journal/indexed-db.js";
export type { IndexedDBOptions, JournalErrorCode } from "./journal/indexed-db.js";
export type { DamagedRecord } from "./journal/damage.js";
export { MemoryJournal } from "./journal/memory.js";
export { ExactNumber, parseExact, stringifyExact } from "./json/exact.js";
export type { JsonValue, NumberMode } from "./json/exact.js";
export { loadParts } from "./parts/index.js";
export { CacheError, UpstreamError } from "./model/errors.js";
export type { ErrorCode, Reason, Reasons, UpstreamFailure } from "./model/errors.js";
export { defaultLimits } from "./model/limits.js";
export type { Limits } from "./model/limits.js";
export type { Sequence } from "./model/sequence.js";
export type { QuarantineRecord } from "./state/records.js";
export { followServe } from "./sources/follow.js";
export type { Following } from "./sources/follow.js";
export { ServeError, connectServe } from "./sources/serve.js";
export type { ServeConnection, ServeOptions } from "./sources/serve.js";
export { feed, feedWebSocket } from "./sources/lines.js";
export type { LibraryPhase } from "./store/library.js";
