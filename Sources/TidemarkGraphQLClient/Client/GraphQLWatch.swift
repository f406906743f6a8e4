import Synchronization
import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkOperations

/// The answer to a document now, and after every change of what it shows.
///
/// Every iterator is an observer of its own. It begins when the iterator is first asked, and ends with its task, when
/// iterating ends, or when the iterator is released. A slow reader gets fewer, merged results. Data is decoded where
/// `next` runs.
public struct GraphQLWatch<Data: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = GraphQLResult<Data>

    let cache: SyncCache
    let request: GraphReadRequest
    let decode: GraphQLDecoding<Data>

    public func makeAsyncIterator() -> Iterator { Iterator(cache: cache, request: request, decode: decode) }

    public struct Iterator: AsyncIteratorProtocol {
        private let lease: ObserverLease
        private let request: GraphReadRequest
        private let cache: SyncCache
        private let decode: GraphQLDecoding<Data>
        private var reader = ResultReader()
        private var isOver = false

        init(cache: SyncCache, request: GraphReadRequest, decode: @escaping GraphQLDecoding<Data>) {
            self.decode = decode
            lease = ObserverLease(cache)
            self.cache = cache
            self.request = request
        }

        /// Returns the next result; the first one is the answer now.
        ///
        /// - Returns: nil when the task is cancelled.
        /// - Throws: ``CacheError`` when the document cannot be read; errors of decoding. Both end the watching.
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
    /// Watches a document.
    ///
    /// - Parameters:
    ///   - cachePolicy: The source of the first answer; `networkOnlyNoStore` cannot be watched.
    ///   - refetches: Whether an answer that became incomplete is fetched again; else the observer is notified of its
    ///     `miss`.
    ///   - refreshes: Whether what becomes too old is fetched again, or told as stale where nobody can be asked.
    public func watch<Operation: GraphQLOperation>(
        query: Operation, cachePolicy: FetchPolicy = .cacheFirst, refetches: Bool = true, refreshes: Bool = false
    ) -> GraphQLWatch<Operation.Data> {
        var request = GraphReadRequest(query.request(in: library))
        request.policy = cachePolicy
        request.refetches = refetches
        request.refreshes = refreshes
        return GraphQLWatch(cache: cache, request: request, decode: Operation.data)
    }

    /// Watches a document that is written as text.
    public func watch(
        query: GraphQLDocument, cachePolicy: FetchPolicy = .cacheFirst, refetches: Bool = true,
        refreshes: Bool = false
    ) -> GraphQLWatch<JSONValue> {
        var request = GraphReadRequest(query.request(in: library))
        request.policy = cachePolicy
        request.refetches = refetches
        request.refreshes = refreshes
        return GraphQLWatch(cache: cache, request: request, decode: GraphQLDocument.data)
    }

    /// Subscribes. Each payload is one result, and its entities are stored.
    public func subscribe<Operation: GraphQLOperation>(
        _ subscription: Operation
    ) -> GraphQLSubscription<Operation.Data> {
        GraphQLSubscription(cache: cache, request: subscription.request(in: library), decode: Operation.data)
    }

    /// Subscribes with a document that is written as text.
    public func subscribe(_ subscription: GraphQLDocument) -> GraphQLSubscription<JSONValue> {
        GraphQLSubscription(
            cache: cache, request: subscription.request(in: library), decode: GraphQLDocument.data)
    }
}

/// The steps that watchers and subscriptions share.
enum GraphQLObserving {
    private static let first: ByteString = "graphql.result"

    static func begin(_ request: GraphReadRequest, _ cache: SyncCache, _ mailbox: ObserverMailbox) async {
        await cache.readGraph(request, observing: mailbox) { result in
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

    static func absorb(_ item: ObserverMailbox.Item, _ reader: inout ResultReader) throws {
        switch item {
        case .notification(.document(let notification)):
            let params = try JSONValue(parsing: notification.params)
            if notification.method == first { reader.begin(params) } else { try reader.change(params) }
        // The answer of the cache stands; the observer is notified of a later change all the same.
        case .fetchFailed: break
        case .failed(let error): throw error
        case .query, .entity, .notification:
            preconditionFailure("the watcher of a document was told \(item)")
        }
    }
}
