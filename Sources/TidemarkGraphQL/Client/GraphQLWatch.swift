import Synchronization
import Tidemark
import TidemarkModel
import TidemarkGraphQLTypes

/// The results of a query: the current one, and a new one after each change of its data.
///
/// Each iterator is an observer of its own. It starts with the first call of `next`, and ends with its task, with the
/// iteration, or when the iterator is released. For a slow reader, changes are merged into fewer results. Data is
/// decoded where `next` runs.
public struct GraphQLWatch<Data: Codable & Sendable>: AsyncSequence, Sendable {
    /// A result, with its data decoded.
    public typealias Element = GraphQLResult<Data>

    let cache: SyncCache
    let request: GraphQLReadRequest
    let decode: GraphQLDecoding<Data>

    /// Returns an iterator, which starts watching at its first `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(cache: cache, request: request, decode: decode) }

    /// One observer of a query, which delivers its results in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let lease: ObserverLease
        private let request: GraphQLReadRequest
        private let cache: SyncCache
        private let decode: GraphQLDecoding<Data>
        private var reader = ResultReader()
        private var isOver = false

        init(cache: SyncCache, request: GraphQLReadRequest, decode: @escaping GraphQLDecoding<Data>) {
            self.decode = decode
            lease = ObserverLease(cache)
            self.cache = cache
            self.request = request
        }

        /// Returns the next result, waiting for a change if necessary. The first one is the current result.
        ///
        /// - Returns: nil if the task is cancelled.
        /// - Throws: ``/Tidemark/CacheError`` if the query cannot be read; errors of decoding. Both end the iteration.
        public mutating func next() async throws -> GraphQLResult<Data>? {
            if isOver { return nil }
            let (cache, request) = (cache, request)
            guard
                let item = await lease.next(begin: { _, mailbox in
                    await GraphQLObserving.begin(request, cache, mailbox)
                })
            else {
                isOver = true
                return nil
            }
            do {
                try GraphQLObserving.absorb(item, &reader)
                return try reader.result(decodedBy: decode)
            } catch {
                isOver = true
                await lease.end()
                throw error
            }
        }
    }
}

extension GraphQLClient {
    /// Watches a query: returns its current result and a new one after each change.
    ///
    /// - Parameters:
    ///   - query: The query with its variables.
    ///   - cachePolicy: Where the first result comes from; `networkOnlyNoStore` cannot be watched.
    ///   - refetches: If true, a result that became incomplete is fetched again; if false, it is reported with its
    ///     `miss`.
    ///   - refreshes: If true, data that becomes too old is fetched again, or reported as stale without a server.
    public func watch<Operation: GraphQLOperation>(
        query: Operation, cachePolicy: FetchPolicy = .cacheFirst, refetches: Bool = true, refreshes: Bool = false
    ) -> GraphQLWatch<Operation.Data> {
        var request = GraphQLReadRequest(query.request(in: library))
        request.policy = cachePolicy
        request.refetches = refetches
        request.refreshes = refreshes
        return GraphQLWatch(cache: cache, request: request, decode: Operation.data)
    }

    /// Watches a query given as text. Its data is JSON.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    /// for try await result in client.watch(query: "{ hero { name } }", cachePolicy: .cacheAndNetwork) {
    ///     print(result.data?["hero"]?["name"]?.string ?? "nobody", result.isStale)
    /// }
    /// ```
    public func watch(
        query: GraphQLDocument, cachePolicy: FetchPolicy = .cacheFirst, refetches: Bool = true,
        refreshes: Bool = false
    ) -> GraphQLWatch<JSONValue> {
        var request = GraphQLReadRequest(query.request(in: library))
        request.policy = cachePolicy
        request.refetches = refetches
        request.refreshes = refreshes
        return GraphQLWatch(cache: cache, request: request, decode: GraphQLDocument.data)
    }

    /// Subscribes at the server. Each payload is delivered as one result, and its entities are stored.
    public func subscribe<Operation: GraphQLOperation>(
        _ subscription: Operation
    ) -> GraphQLSubscription<Operation.Data> {
        GraphQLSubscription(cache: cache, request: subscription.request(in: library), decode: Operation.data)
    }

    /// Subscribes with a document given as text. Its data is JSON.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    /// for try await payload in client.subscribe("subscription { songAdded { __typename id name } }") {
    ///     print(payload.data?["songAdded"]?["name"]?.string ?? "unnamed")
    /// }
    /// ```
    public func subscribe(_ subscription: GraphQLDocument) -> GraphQLSubscription<JSONValue> {
        GraphQLSubscription(
            cache: cache, request: subscription.request(in: library), decode: GraphQLDocument.data)
    }
}

/// Steps shared by watchers and subscriptions.
enum GraphQLObserving {
    private static let first: ByteString = "graphql.result"

    static func begin(_ request: GraphQLReadRequest, _ cache: SyncCache, _ mailbox: ObserverMailbox) async {
        await cache.withWing(GraphQLEngine.self) { engine, cache in
            await engine.read(request, observing: mailbox, in: cache) { result in
                switch result {
                case .success(let reply):
                    let params = GraphQLClient.json(reply.result)
                    mailbox.begin(
                        .notification(.document(DocumentNotification(method: first, params: params))), host: cache)
                case .failure(let error): _ = mailbox.put(.failed(error))
                }
            } later: { result in
                if case .failure(let error) = result { _ = mailbox.put(.fetchFailed(error)) }
            }
        }
    }

    static func absorb(_ item: ObserverMailbox.Item, _ reader: inout ResultReader) throws {
        switch item {
        case .notification(.document(let notification)):
            let params = try JSONValue(parsing: notification.params)
            if notification.method == first { reader.begin(params) } else { try reader.change(params) }
        // The result from the cache remains valid, and the observer is still notified of later changes.
        case .fetchFailed: break
        case .failed(let error): throw error
        case .query, .entity, .notification:
            preconditionFailure("the watcher of a document was told \(item)")
        }
    }
}
