import TidemarkModel

/// What an observed entity shows, and what changed since it was last told.
public struct EntityUpdate<R: Resource>: Sendable {
    /// nil when there is none, or none any more.
    public var value: R?
    /// Names of top-level fields that differ from the last update, sorted by bytes. Empty in the first one.
    public var changedFields: [String]
    /// Why there is none, as far as the first update knows; nil in every later one.
    public var miss: EntityRead.Miss?

    package init(value: R?, changedFields: [String], miss: EntityRead.Miss?) {
        self.value = value
        self.changedFields = changedFields
        self.miss = miss
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
    private let key: EntityKey

    package init(_ key: EntityKey, of host: any ObserverHost) {
        self.host = host
        self.key = key
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(lease: ObserverLease(host), key: key)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let lease: ObserverLease
        let key: EntityKey
        private var isOver = false

        init(lease: ObserverLease, key: EntityKey) {
            self.lease = lease
            self.key = key
        }

        /// The next update; the first one is what is there now.
        ///
        /// - Returns: nil when the task is cancelled.
        /// - Throws: ``CacheError`` when the entity cannot be read, ``ResourceDecodingError`` when it is not what its
        ///   type says. Both end the observation.
        public mutating func next() async throws -> EntityUpdate<R>? {
            if isOver { return nil }
            guard let item = await lease.next(begin: { await EntityObservation.begin(key, $0, $1) }) else {
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
                return EntityUpdate(value: try decoded(read.entity), changedFields: [], miss: read.miss)
            case .notification(.entity(let notification)):
                return EntityUpdate(
                    value: try decoded(notification.entity),
                    changedFields: notification.changedFields.map(\.description), miss: nil)
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

    private static func begin(_ key: EntityKey, _ host: any ObserverHost, _ mailbox: ObserverMailbox) async {
        await host.observe(key, fields: nil, sink: mailbox) { result in
            switch result {
            case .success((let read, _)): mailbox.begin(.entity(read), host: host)
            case .failure(let error): _ = mailbox.put(.failed(error))
            }
        }
    }
}
