import TidemarkModel

/// What an observed entity shows, and what changed since it was last told.
public struct EntityUpdate<R: Resource>: Sendable {
    /// nil when there is none, or none any more.
    public var value: R?
    /// Names of top-level fields that differ from the last update, sorted by bytes. Empty in the first one.
    public var changedFields: [String]
    /// Why there is none, as far as the first update knows; nil in every later one.
    public var miss: EntityRead.Miss?
    /// Some field is too old, or its library is behind, as far as the update knows: the first one always does, later ones where
    /// the observation `refreshes`.
    public var isStale: Bool

    package init(value: R?, changedFields: [String], miss: EntityRead.Miss?, isStale: Bool = false) {
        self.value = value
        self.changedFields = changedFields
        self.miss = miss
        self.isStale = isStale
    }
}

extension EntityUpdate: Equatable where R: Equatable {}

/// An entity now, and after every change.
///
/// ```swift
/// for try await update in cache.observe(Photo.self, id: "1") {
///     print(update.value?.name ?? "gone", update.changedFields)
/// }
/// ```
///
/// Every iterator is an observer of its own, made when it is first asked and cancelled when its task is, when iterating
/// ends, or when nobody holds it any more. A slow reader gets the newest value, not every one.
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

        /// The next update; the first one is what is there now.
        ///
        /// - Returns: nil when the task is cancelled.
        /// - Throws: ``CacheError`` when the entity cannot be read, ``ResourceDecodingError`` when it is not what its
        ///   type says. Both end the observation.
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
            case .query, .notification(.query), .notification(.library):
                preconditionFailure("the observer of an entity was told \(item)")
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
