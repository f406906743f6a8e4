import Tidemark
import TidemarkModel

/// The payloads of a subscription, each as one result. Equal payloads are delivered, too.
///
/// Each iterator is a subscription of its own. It starts with the first call of `next`, and ends with its task or when
/// the iterator is released. At most 16 payloads wait for a slow reader; then reading from the server pauses.
public struct GraphQLSubscription<Data: Codable & Sendable>: AsyncSequence, Sendable {
    /// A payload, decoded.
    public typealias Element = GraphQLResult<Data>

    let cache: SyncCache
    let request: GraphQLRequest
    let decode: GraphQLDecoding<Data>

    /// Returns an iterator, which starts a subscription at its first `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(cache: cache, request: request, decode: decode) }

    /// One subscription, which delivers its payloads in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let lease: ObserverLease
        private let cache: SyncCache
        private let request: GraphQLRequest
        private let decode: GraphQLDecoding<Data>
        private var isOver = false

        init(cache: SyncCache, request: GraphQLRequest, decode: @escaping GraphQLDecoding<Data>) {
            self.decode = decode
            lease = ObserverLease(cache)
            self.cache = cache
            self.request = request
        }

        /// Returns the next payload, waiting for it if necessary.
        ///
        /// - Returns: nil after the server has ended the subscription, or if the task is cancelled.
        /// - Throws: ``/Tidemark/CacheError`` if the subscription ends with an error; its details hold `reason`,
        ///   `status` and the server's `errors`. Errors of decoding.
        public mutating func next() async throws -> GraphQLResult<Data>? {
            while !isOver {
                let (cache, request) = (cache, request)
                let item = await lease.next(begin: { _, mailbox in
                    do throws(CacheError) {
                        _ = try await cache.withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
                            try engine.subscribe(request, sink: mailbox, in: cache)
                        }
                    } catch {
                        _ = mailbox.put(.failed(error))
                    }
                })
                do {
                    guard let item else {
                        // The task was cancelled.
                        isOver = true
                        return nil
                    }
                    if let result = try Iterator.result(item, decode) { return result }
                } catch is EndOfSubscription {
                    isOver = true
                    await lease.end()
                    return nil
                } catch {
                    isOver = true
                    await lease.end()
                    throw error
                }
            }
            return nil
        }

        private struct EndOfSubscription: Error {}

        private static func result(
            _ item: ObserverMailbox.Item, _ decode: GraphQLDecoding<Data>
        ) throws -> GraphQLResult<Data>? {
            switch item {
            case .notification(.document(let notification)):
                let params = try JSONValue(parsing: notification.params)
                switch notification.method {
                case "graphql.next":
                    var reader = ResultReader()
                    reader.begin(params)
                    var result = try reader.result(decodedBy: decode)
                    result.source = .server
                    return result
                case "graphql.complete":
                    guard let error = params["error"], !error.isNull else { throw EndOfSubscription() }
                    throw CacheError(endOfSubscription: error)
                default: return nil
                }
            case .failed(let error): throw error
            case .query, .entity, .fetchFailed, .notification:
                preconditionFailure("a subscription was told \(item)")
            }
        }
    }
}

extension CacheError {
    /// Creates an error from the member `error` of `graphql.complete`.
    fileprivate init(endOfSubscription error: JSONValue) {
        let names: [ByteString] = ["reason", "status", "errors"]
        self.init(
            error["code"]?.string.flatMap { Code(rawValue: $0) } ?? .upstreamFailed, error["message"]?.string ?? "",
            details: names.map { Detail($0, json: error[$0.description]?.bytes ?? Array("null".utf8)) })
    }
}
