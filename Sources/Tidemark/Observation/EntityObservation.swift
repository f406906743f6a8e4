import TidemarkModel

/// An observed entity, and its changes since the last update.
public struct EntityUpdate<R: Resource>: Sendable {
    /// The entity; nil when there is none, or none any more.
    public var value: R?
    /// The names of the top-level fields that differ from the last update, sorted by bytes. Empty in the first update.
    public var changedFields: [String]
    /// The reason why there is no entity, as far as the first update knows; nil in every later update.
    public var miss: EntityRead.Miss?
    /// Whether some field is too old, or the library is behind its log. The first update always knows this; later ones
    /// know it when the observation `refreshes`, and are false otherwise.
    public var isStale: Bool

    package init(value: R?, changedFields: [String], miss: EntityRead.Miss?, isStale: Bool = false) {
        self.value = value
        self.changedFields = changedFields
        self.miss = miss
        self.isStale = isStale
    }
}

extension EntityUpdate: Equatable where R: Equatable {}

/// The current state of an entity, followed by its state after every change.
///
/// ```swift
/// for try await update in cache.observe(Photo.self, id: "1") {
///     print(update.value?.name ?? "gone", update.changedFields)
/// }
/// ```
///
/// Every iterator is an observer of its own. It is made when the iterator is first asked for an update. It is cancelled
/// when its task is cancelled, when iterating ends, or when the iterator is released. A slow reader gets the newest
/// value, not every one.
public struct EntityObservation<R: Resource>: AsyncSequence, Sendable {
    public typealias Element = EntityUpdate<R>

    private let host: any ObserverHost
    private let request: EntityRequest

    package init(_ request: EntityRequest, of host: any ObserverHost) {
        self.host = host
        self.request = request
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(lease: ObserverLease(host), request: request)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let lease: ObserverLease
        let request: EntityRequest
        private var isOver = false

        init(lease: ObserverLease, request: EntityRequest) {
            self.lease = lease
            self.request = request
        }

        /// Returns the next update; the first one is the current state.
        ///
        /// - Returns: nil when the task is cancelled.
        /// - Throws: ``CacheError`` when the entity cannot be read, ``ResourceDecodingError`` when it does not match
        ///   its type. Both end the observation.
        public mutating func next() async throws -> EntityUpdate<R>? {
            if isOver { return nil }
            guard let item = await lease.next(begin: { await EntityObservation.begin(request, $0, $1) }) else {
                isOver = true
                return nil
            }
            do {
                return try update(item)
            } catch {
                isOver = true
                await lease.end()
                throw error
            }
        }

        private func update(_ item: ObserverMailbox.Item) throws -> EntityUpdate<R> {
            switch item {
            case .entity(let read):
                return EntityUpdate(
                    value: try decoded(read.entity), changedFields: [], miss: read.miss, isStale: read.isStale)
            case .notification(.entity(let notification)):
                return EntityUpdate(
                    value: try decoded(notification.entity),
                    changedFields: notification.changedFields.map(\.description), miss: nil,
                    isStale: notification.isStale ?? false)
            case .failed(let error), .fetchFailed(let error): throw error
            case .query, .notification(.query), .notification(.library), .notification(.document),
                .notification(.log):
                preconditionFailure("the observer of an entity was notified of \(item)")
            }
        }

        private func decoded(_ bytes: [UInt8]?) throws -> R? {
            guard let bytes else { return nil }
            return try ResourceCoder().decode(R.self, bytes)
        }
    }

    private static func begin(
        _ request: EntityRequest, _ host: any ObserverHost, _ mailbox: ObserverMailbox
    ) async {
        await host.observe(request, sink: mailbox) { result in
            switch result {
            case .success((let read, _)): mailbox.begin(.entity(read), host: host)
            case .failure(let error): _ = mailbox.put(.failed(error))
            }
        }
    }
}
