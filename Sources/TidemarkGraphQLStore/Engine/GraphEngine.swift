import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// The moment at which an answer that comes in parts is stored.
///
/// - Source: Protocol/graphql.md, incremental delivery.
public enum GraphWrite: String, Hashable, Sendable, CaseIterable {
    /// The answer is stored as a whole, with its last part.
    case complete
    /// Each part's own fields as it comes.
    case incremental
}

/// The documents of one cache: parsed, planned, watched and fetched.
///
/// Lives inside the cache's actor; see ``GraphHost``.
package final class GraphEngine: GraphHost {
    /// Plans that are kept; at the bound all go.
    private static let planCountMax = 1_000

    let rules: GraphRules
    let upstream: (any GraphUpstream)?
    let limits: ExecutableLimits
    let write: GraphWrite
    let reconnecting: GraphReconnecting

    private var documents = DocumentStore<GraphDocument>()
    private var plans: [GraphRequest: OperationPlan] = [:]

    // MARK: Watching

    /// The watchers by their subscriptions. Bound: `observerCountMax`.
    var watchers: [SubscriptionID: GraphWatcher] = [:]
    /// The watchers of an entity by its number; each once.
    var watchersByHandle: [ListHandle: [GraphWatcher]] = [:]
    /// The watchers of the queries that stand for root fields.
    var watchersByQuery: [QueryID: [GraphWatcher]] = [:]
    /// Watchers to be run again, each once. Bound: the watchers.
    var dirty: [GraphWatcher] = []
    /// Watchers whose sink had no room, in the order in which they fell behind.
    var lagging: [GraphWatcher] = []
    package var isRefetching = false
    /// The number of looks at watchers because of changes, and of the plans that were run for them.
    package internal(set) var lookCount = 0
    package internal(set) var runCount = 0

    // MARK: Fetching

    var fetches: [GraphFetchKey: GraphFetch] = [:]
    /// The round of the newest of equal fetches, by the key of the first one; at most one for each fetch.
    private var rounds: [GraphFetchKey: UInt64] = [:]
    var lastFetch: UInt64 = 0
    /// Subscriptions that a server feeds, by the number of their fetch. Bound: the watchers.
    var streams: [UInt64: GraphStream] = [:]

    /// - Parameter upstream: nil where nobody can be asked.
    package init(
        rules: GraphRules, upstream: (any GraphUpstream)?, write: GraphWrite = .complete,
        reconnecting: GraphReconnecting = GraphReconnecting(), limits: ExecutableLimits = ExecutableLimits()
    ) {
        self.rules = rules
        self.write = write
        self.reconnecting = reconnecting
        self.upstream = upstream
        self.limits = limits
    }

    package var watcherCount: Int { watchers.count }

    // MARK: Documents

    /// - Throws: ``CacheError`` `invalidDocument`, `limitExceeded`.
    func document(
        _ text: ByteString, purpose: DocumentValidator.Purpose = .operations
    ) throws(CacheError) -> GraphDocument {
        // A document of fragments is judged by other rules.
        let key = purpose == .fragments ? ByteString([0] + text.bytes) : text
        if let known = documents.parsed(key) { return known }
        do throws(DocumentRefusal) {
            let document = try GraphDocument(text.bytes, rules: rules, purpose: purpose, limits: limits)
            documents.keep(document, for: key)
            return document
        } catch {
            throw error.cacheError
        }
    }

    /// - Throws: ``CacheError`` `invalidDocument`, `invalidParams`, `limitExceeded`.
    func plan(_ request: GraphRequest) throws(CacheError) -> OperationPlan {
        if let known = plans[request] { return known }
        let document = try document(request.document)
        do throws(DocumentRefusal) {
            let plan = try document.plan(
                operation: request.operationName, variables: request.variables.map(\.bytes))
            if plans.count >= GraphEngine.planCountMax { plans = [:] }
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
        do throws(DocumentRefusal) {
            return try document.plan(fragment: name, variables: variables.map(\.bytes))
        } catch {
            throw error.cacheError
        }
    }
}

extension DocumentRefusal {
    /// The refusal as a request is answered with it.
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

extension SyncCache {
    /// Whether there is a server, or a host, that is asked for documents.
    package var asksGraph: Bool { (graphHost as? GraphEngine)?.upstream != nil }

    /// The engine that was attached.
    var graph: GraphEngine {
        guard let engine = graphHost as? GraphEngine else {
            preconditionFailure("a document was given to a cache without a graph engine; attach one")
        }
        return engine
    }
}

/// The fetches under way.
extension GraphEngine {
    /// Returns the key of the fetch that a reader may join, or of the one that has to begin.
    func fetchKey(_ key: GraphFetchKey, in cache: isolated SyncCache) -> GraphFetchKey {
        var key = key
        key.round = rounds[key] ?? 0
        guard let fetch = fetches[key], !cache.mayJoin(documentIn: key.library, since: fetch.start.start) else {
            return key
        }
        key.round = lastFetch + 1
        return key
    }

    func begin(_ fetch: GraphFetch, for key: GraphFetchKey) {
        fetches[key] = fetch
        if key.round > 0 { rounds[key.first] = key.round }
    }

    /// Removes a fetch that has ended.
    ///
    /// - Returns: The fetch; nil when it was removed before.
    @discardableResult
    func end(_ key: GraphFetchKey) -> GraphFetch? {
        if rounds[key.first] == key.round { rounds[key.first] = nil }
        return fetches.removeValue(forKey: key)
    }
}
