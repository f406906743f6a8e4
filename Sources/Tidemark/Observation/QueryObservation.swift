import TidemarkModel
import TidemarkStore

/// An asynchronous sequence of the lists of a query: the current one, then one after every change.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var name: String
/// }
/// let photos = try cache.observe(Photo.self, method: "photos.list", input: ["album": "7"])
/// for try await update in photos {
///     print(update.items.map(\.name), update.isStale)
/// }
/// ```
///
/// Each iterator is an observer of its own. It starts to observe with its first `next()`, and ends when its task is
/// cancelled, when the loop ends, or when the iterator is released. Resources are decoded where `next()` runs and never
/// on the cache's executor; an update decodes only resources that changed. A slow reader gets fewer, merged updates.
public struct QueryObservation<R: Resource>: AsyncSequence, Sendable {
    /// An update: the list and what changed.
    public typealias Element = QueryUpdate<R>

    private let host: any ObserverHost
    private let request: QueryRequest

    package init(_ request: QueryRequest, of host: any ObserverHost) {
        self.host = host
        self.request = request
    }

    /// Makes an observer, which starts to observe with its first `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lease: ObserverLease(host), request: request)
    }

    /// Iterates over the updates of one observed query. The observer ends with its iterator.
    public struct Iterator: AsyncIteratorProtocol {
        let lease: ObserverLease
        let request: QueryRequest
        private var last = QueryUpdate<R>(
            items: [], changes: [], isStale: false, isPending: false, asOf: nil, missed: 0)
        private var isOver = false

        init(lease: ObserverLease, request: QueryRequest) {
            self.lease = lease
            self.request = request
        }

        /// Returns the next update; the first one is the current list.
        ///
        /// - Returns: nil when the task was cancelled, and after an error.
        /// - Throws: ``CacheError`` when the query cannot be read, ``ResourceDecodingError`` when an item does not
        ///   match its type. Both end the observation.
        public mutating func next() async throws -> QueryUpdate<R>? {
            if isOver { return nil }
            guard let item = await lease.next(begin: { await QueryObservation.begin(request, $0, $1) }) else {
                isOver = true
                return nil
            }
            do {
                try absorb(item)
                return last
            } catch {
                isOver = true
                await lease.end()
                throw error
            }
        }

        private mutating func absorb(_ item: ObserverMailbox.Item) throws {
            let coder = ResourceCoder()
            last.fetchError = nil
            last.changes = []
            last.missed = 0
            switch item {
            case .query(let answer):
                last.items = try answer.entities.map { try coder.decode(R.self, $0) }
                last.isStale = answer.isStale
                last.isPending = answer.isPending
                last.asOf = answer.asOf
            case .notification(.query(let notification)):
                for operation in notification.operations {
                    let change = ListChange(try operation.map { try coder.decode(R.self, $0) })
                    change.apply(to: &last.items)
                    last.changes.append(change)
                }
                last.isStale = notification.isStale
                last.isPending = notification.isPending
                last.asOf = notification.asOf
                last.missed = notification.missed
            case .fetchFailed(let error): last.fetchError = error
            case .failed(let error): throw error
            case .entity, .notification(.entity), .notification(.library), .notification(.document),
                .notification(.log):
                preconditionFailure("the observer of a query was notified of \(item)")
            }
        }
    }

    private static func begin(
        _ request: QueryRequest, _ host: any ObserverHost, _ mailbox: ObserverMailbox
    ) async {
        await host.read(
            request, observing: mailbox,
            reply: { result in
                switch result {
                case .success(let reply): mailbox.begin(.query(reply.answer), host: host)
                case .failure(let error): _ = mailbox.put(.failed(error))
                }
            },
            later: { result in
                // The result of the fetch arrives as notifications; only its failure is new here.
                if case .failure(let error) = result { _ = mailbox.put(.fetchFailed(error)) }
            })
    }
}
