import TidemarkModel

/// The state of an observed entity, and what changed since the last update.
public struct EntityUpdate<R: Resource>: Sendable {
    /// The entity; nil when the cache has none now.
    public var value: R?
    /// The names of the top-level fields that differ from the last update, sorted by bytes. Empty in the first update.
    public var changedFields: [String]
    /// Why the first update has no entity; nil when it has one, and in every later update.
    public var miss: EntityRead.Miss?
    /// In the first update, true if the library is in the phase ``/TidemarkModel/LibraryPhase/stale``, or if a field
    /// that is too old was tolerated. In later updates of an observation with `refreshes`, true if some field is too
    /// old; otherwise false.
    public var isStale: Bool

    package init(value: R?, changedFields: [String], miss: EntityRead.Miss?, isStale: Bool = false) {
        self.value = value
        self.changedFields = changedFields
        self.miss = miss
        self.isStale = isStale
    }
}

extension EntityUpdate: Equatable where R: Equatable {}

/// An asynchronous sequence of the states of an entity: the current one, then one after every change.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var name: String
/// }
/// for try await update in cache.observe(Photo.self, id: "1") {
///     print(update.value?.name ?? "gone", update.changedFields)
/// }
/// ```
///
/// Each iterator is an observer of its own. It starts to observe with its first `next()`, and ends when its task is
/// cancelled, when the loop ends, or when the iterator is released. A slow reader gets the newest state and not every
/// one.
public struct EntityObservation<R: Resource>: AsyncSequence, Sendable {
    /// An update: the entity and what changed.
    public typealias Element = EntityUpdate<R>

    private let host: any ObserverHost
    private let request: EntityRequest

    package init(_ request: EntityRequest, of host: any ObserverHost) {
        self.host = host
        self.request = request
    }

    /// Makes an observer, which starts to observe with its first `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lease: ObserverLease(host), request: request)
    }

    /// An observer of one entity.
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
        /// - Returns: nil when the task was cancelled, and after an error.
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
