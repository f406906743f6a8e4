export { NormalizedCache } from "./cache/cache.js";
export type { GapReport } from "./cache/cache.js";
export type { CacheHandle, NotificationHandler } from "./cache/port.js";
export type { CacheOptions } from "./cache/options.js";
export type {
  CacheCalls, EntityGetParams, EntityResult, Explanation, Id, JsonObject, MutationRequestParams, Operation, OutboxEntry, PendingEdit, QueryAnswerParams,
  QueryIdentity, QueryReadParams, QueryResult, RemoveOperation,
} from "./cache/calls.js";
export type {
  ViewAggregate, ViewCalls, ViewConditions, ViewDefinition, ViewExplanation, ViewInclude, ViewJoin, ViewOperand, ViewParam, ViewPredicate,
  ViewReadParams, ViewResult, ViewRight, ViewRule,
} from "./cache/view-calls.js";
export { systemClock } from "./engine/clock.js";
export type { CacheClock } from "./engine/clock.js";
export type { Notification } from "./engine/notifications.js";
export { journalStores } from "./journal/journal.js";
export type { EventsAnswer, SentMutation, Upstream } from "./engine/ports.js";
export type { Journal, JournalBatch, JournalContents, JournalStore, JournalWrite } from "./journal/journal.js";
export { ResourceError, ResourceTypeRegistry } from "./cache/registry.js";
export type { ResourceDecoder } from "./cache/registry.js";
export { fetchPolicies } from "./params/policies.js";
export type { FetchPolicy } from "./params/policies.js";
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
export { connectScope } from "./scopes/connect.js";
export type { Scope, ScopeOptions } from "./scopes/connect.js";
export type { ScopeFollowing } from "./scopes/settings.js";
export { joinScopes, JoinedScopes } from "./scopes/joined.js";
export type { JoinedEntity } from "./scopes/joined.js";
export type { TokenSource } from "./scopes/address.js";
export { followServe } from "./sources/follow.js";
export type { Following } from "./sources/follow.js";
export { ServeError, connectServe } from "./sources/serve.js";
export type { ServeConnection, ServeOptions } from "./sources/serve.js";
export { feed, feedWebSocket } from "./sources/lines.js";
export type { LibraryPhase } from "./store/library.js";
