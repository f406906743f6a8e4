import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// When a response that arrives in parts is stored.
///
/// - Source: Protocol/graphql.md, incremental delivery.
public enum GraphQLWrite: String, Hashable, Sendable, CaseIterable {
    /// The complete response is stored with its last part.
    case complete
    /// The fields of each part are stored as soon as it arrives.
    case incremental
}

/// Parses, plans, watches and fetches the documents of one cache.
///
/// It is confined to the cache's actor; see ``CacheWing``.
package final class GraphQLEngine: CacheWing {
    /// The largest number of plans that are kept. At the limit all are dropped and built again.
    private static let planCountMax = 1_000

    let rules: GraphQLRules
    let upstream: (any GraphQLUpstream)?
    let limits: ExecutableLimits
    let write: GraphQLWrite
    let reconnecting: GraphQLReconnecting

    private var documents = DocumentStore<CheckedDocument>()
    private var plans: [GraphQLRequest: OperationPlan] = [:]

    // MARK: Watching

    /// The watchers by subscription. Bounded by `observerCountMax`.
    var watchers: [SubscriptionID: DocumentWatcher] = [:]
    /// The watchers of each entity; each watcher once.
    var watchersByHandle: [ListHandle: [DocumentWatcher]] = [:]
    /// The watchers of the queries that belong to root fields.
    var watchersByQuery: [QueryID: [DocumentWatcher]] = [:]
    /// Watchers that have to run again, each once. Bounded by the watchers.
    var dirty: [DocumentWatcher] = []
    /// Watchers whose sink was full, in the order in which they fell behind.
    var lagging: [DocumentWatcher] = []
    /// True while storing a response that was fetched for watchers. Such a change does not reset a watcher's count of
    /// fetches.
    var isRefetching = false
    /// How often a change was compared with the fields of a watcher.
    package internal(set) var lookCount = 0
    /// How often the plan of a watcher was run because of a change.
    package internal(set) var runCount = 0

    // MARK: Fetching

    var fetches: [GraphQLFetchKey: GraphQLFetch] = [:]
    /// The round of the newest among equal fetches, by the key of the first one. At most one entry for each fetch.
    private var rounds: [GraphQLFetchKey: UInt64] = [:]
    var lastFetch: UInt64 = 0
    /// Subscriptions to a server, by the number of their fetch. Bounded by the watchers.
    var streams: [UInt64: DocumentStream] = [:]

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - rules: The schema, identities and policy.
    ///   - upstream: The server; nil to use the cache alone.
    ///   - write: When a response in parts is stored.
    ///   - reconnecting: How subscriptions reconnect.
    ///   - limits: The limits of documents.
    package init(
        rules: GraphQLRules, upstream: (any GraphQLUpstream)?, write: GraphQLWrite = .complete,
        reconnecting: GraphQLReconnecting = GraphQLReconnecting(), limits: ExecutableLimits = ExecutableLimits()
    ) {
        self.rules = rules
        self.write = write
        self.reconnecting = reconnecting
        self.upstream = upstream
        self.limits = limits
    }

    /// True if there is a server or a host for documents.
    package var hasUpstream: Bool { upstream != nil }

    /// The number of watched documents.
    package var observerCount: Int { watchers.count }

    // MARK: Documents

    /// Returns a document, parsed and checked.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `invalidDocument`, `limitExceeded`.
    func document(
        _ text: ByteString, purpose: DocumentValidator.Purpose = .operations
    ) throws(CacheError) -> CheckedDocument {
        // Documents of fragments have other rules, so they are kept under another key.
        let key = purpose == .fragments ? ByteString([0] + text.bytes) : text
        if let known = documents.parsed(key) { return known }
        do throws(DocumentError) {
            let document = try CheckedDocument(text.bytes, rules: rules, purpose: purpose, limits: limits)
            documents.keep(document, for: key)
            return document
        } catch {
            throw error.cacheError
        }
    }

    /// Returns the plan of an operation.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `invalidDocument`, `invalidParams`, `limitExceeded`.
    func plan(_ request: GraphQLRequest) throws(CacheError) -> OperationPlan {
        if let known = plans[request] { return known }
        let document = try document(request.document)
        do throws(DocumentError) {
            let plan = try document.plan(
                operation: request.operationName, variables: request.variables.map(\.bytes))
            if plans.count >= GraphQLEngine.planCountMax { plans = [:] }
            plans[request] = plan
            return plan
        } catch {
            throw error.cacheError
        }
    }

    func plan(
        fragment name: ByteString?, of text: ByteString, variables: ByteString?
    ) throws(CacheError) -> OperationPlan {
        let document = try document(text, purpose: .fragments)
        do throws(DocumentError) {
            return try document.plan(fragment: name, variables: variables.map(\.bytes))
        } catch {
            throw error.cacheError
        }
    }
}

extension DocumentError {
    /// The refusal as the error of a request.
    package var cacheError: CacheError {
        switch code {
        case .limitExceeded: CacheError(.limitExceeded, message)
        case .invalidParams: CacheError(.invalidParams, message)
        case .invalidDocument: CacheError(.invalidDocument, message, details: [findingList])
        }
    }

    private var findingList: CacheError.Detail {
        var line = JSONLine()
        line.array { line in
            for finding in findings {
                line.object { line in
                    line.member("message", Optional(ByteString(finding.message)))
                    line.member("line", finding.line)
                    line.member("column", finding.column)
                }
            }
        }
        return CacheError.Detail("errors", json: line.bytes)
    }
}

/// The fetches under way.
extension GraphQLEngine {
    /// Returns the key of a fetch that a reader may join, or else of a new one.
    func fetchKey(_ key: GraphQLFetchKey, in cache: isolated SyncCache) -> GraphQLFetchKey {
        var key = key
        key.round = rounds[key] ?? 0
        guard let fetch = fetches[key], !cache.mayJoin(documentIn: key.library, since: fetch.start.start) else {
            return key
        }
        key.round = lastFetch + 1
        return key
    }

    func begin(_ fetch: GraphQLFetch, for key: GraphQLFetchKey) {
        fetches[key] = fetch
        if key.round > 0 { rounds[key.first] = key.round }
    }

    /// Removes a fetch that has ended.
    ///
    /// - Returns: The fetch; nil if it was removed before.
    @discardableResult
    func end(_ key: GraphQLFetchKey) -> GraphQLFetch? {
        if rounds[key.first] == key.round { rounds[key.first] = nil }
        return fetches.removeValue(forKey: key)
    }
}
