import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Changes of stored data, with Swift types.
///
/// They modify the server's state in the cache, as events do. For changes that a server has not confirmed, use
/// optimistic edits.
extension SyncCache {
    /// Makes several changes together: all of them or none, with one update for every observer.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// try await cache.transaction { transaction in
    ///     try transaction.put(Photo(id: "1", name: "Sea"))
    ///     try transaction.patch(Photo.self, id: "2", ["name": "Shore"])
    ///     try transaction.delete(Photo.self, id: "3")
    /// }
    /// ```
    ///
    /// `body` may read, and its reads include its own changes. It blocks no other call, and no other call blocks it. If
    /// an entity that it has read is changed meanwhile, nothing is applied and it runs again, up to `retryCount` times.
    /// A `body` that only reads is checked too, so that its reads were consistent at one moment.
    ///
    /// - Parameters:
    ///   - library: The library of the entities; nil for the default library.
    ///   - retryCount: How often `body` may run again after a conflict. Default: 0.
    ///   - body: Makes the changes. If it throws, nothing is changed. It must not begin another transaction of this
    ///     cache.
    /// - Returns: The value that `body` returns.
    /// - Throws: ``CacheError``, for example `.invalidParams` for a patch of an absent entity and inside another
    ///   transaction, `.conflict` when another writer changed an entity that it had read; any error of `body`;
    ///   `CancellationError` between two runs.
    @discardableResult
    public nonisolated func transaction<Value: Sendable>(
        library: String? = nil, retrying retryCount: Int = 0,
        _ body: (inout CacheTransaction) async throws -> Value
    ) async throws -> Value {
        let own = ObjectIdentifier(self)
        guard !SyncCache.openTransactions.contains(own) else {
            throw CacheError(
                .invalidParams, "a transaction began inside another one of the same cache: make it part of that one")
        }
        var rest = retryCount
        while true {
            var transaction = CacheTransaction(of: self, library: named(library))
            do {
                let value = try await SyncCache.$openTransactions.withValue(SyncCache.openTransactions + [own]) {
                    try await body(&transaction)
                }
                var expecting = TransactionExpectations()
                expecting.resources = transaction.reads
                if !transaction.operations.isEmpty || !transaction.reads.isEmpty {
                    try await transact(transaction.operations, library: named(library), expecting: expecting)
                }
                return value
            } catch let error as CacheError where error.code == .conflict && rest > 0 {
                rest -= 1
                try Task.checkCancellation()
            }
        }
    }

    /// The caches for which this task, or the one that started it, is inside the body of a transaction.
    @TaskLocal private static var openTransactions: [ObjectIdentifier] = []

    /// True if a delete may delete other entities by a cascade.
    nonisolated var hasCascades: Bool {
        configuration.policy.types.contains { $0.fields.contains(where: \.cascades) }
    }

    /// Replaces one entity.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// try await cache.put(Photo(id: "1", name: "Sea"))
    /// ```
    ///
    /// Fields that the Swift type does not have are removed; a patch in a ``transaction(library:retrying:_:)`` keeps
    /// them.
    ///
    /// - Parameters:
    ///   - resource: The new value.
    ///   - library: The library; nil for the default library.
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form, `.limitExceeded`, `.storageFailed`.
    public nonisolated func put(_ resource: some Resource, library: String? = nil) async throws(CacheError) {
        var transaction = CacheTransaction()
        try transaction.put(resource)
        try await transact(transaction.operations, library: named(library))
    }

    /// Stores a server's response to a query; ``QueryResult`` has its further parts.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// try await cache.put([Photo(id: "1", name: "Sea")], method: "photos.list", timeToLive: .seconds(60))
    /// print(try await cache.query(Photo.self, method: "photos.list", policy: .cacheOnly).items.count)
    /// ```
    ///
    /// - Parameters:
    ///   - resources: The resources in the server's order. Stored fields that a resource does not have are kept.
    ///   - method: The method of the query.
    ///   - input: The input of the method.
    ///   - timeToLive: How long until the list expires; nil for never.
    ///   - asOf: The sequence up to which the response includes changes; nil when unknown.
    ///   - library: The library; nil for the default library.
    /// - Throws: ``CacheError``, for example `.invalidParams` when an id occurs twice in the list.
    public nonisolated func put<R: Resource>(
        _ resources: [R], method: String, input: some Encodable = JSONValue.object([]), timeToLive: Duration? = nil,
        asOf: EventSequence? = nil, library: String? = nil
    ) async throws(CacheError) {
        let coder = ResourceCoder()
        var encoded: [[UInt8]] = []
        encoded.reserveCapacity(resources.count)
        for resource in resources { encoded.append(try coder.encode(resource)) }
        var result = QueryResult(resourceType: ByteString(R.resourceType), resources: encoded)
        result.timeToLive = timeToLive
        result.asOf = asOf
        try await store(result, for: try queryKey(method, input, library))
    }

    /// Marks the queries of a type as stale. Entities are unchanged.
    ///
    /// - Parameters:
    ///   - type: The type of the queries' resources.
    ///   - library: The library; nil for the default library.
    /// - Returns: The number of queries that became stale.
    /// - Throws: ``CacheError`` when the cache is closed.
    @discardableResult
    public nonisolated func invalidate<R: Resource>(
        _ type: R.Type, library: String? = nil
    ) async throws(CacheError) -> Int {
        var invalidation = Invalidation(library: named(library))
        invalidation.resourceType = ByteString(R.resourceType)
        return try await invalidate(invalidation)
    }

    /// Marks queries of a method as stale: the one with an input, or all of them. Entities are unchanged.
    ///
    /// ```swift
    /// let count = try await cache.invalidate(method: "photos.list", input: ["album": "7"])
    /// print(count, "queries became stale")
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method of the queries.
    ///   - input: The input of the method; nil for any input.
    ///   - library: The library; nil for the default library.
    /// - Returns: The number of queries that became stale.
    /// - Throws: ``CacheError`` `.invalidParams` when the input has no JSON form, `.storageFailed` when the cache is
    ///   closed.
    @discardableResult
    public nonisolated func invalidate(
        method: String, input: (any Encodable)? = nil, library: String? = nil
    ) async throws(CacheError) -> Int {
        var invalidation = Invalidation(library: named(library))
        invalidation.method = ByteString(method)
        if let input { invalidation.input = try queryKey(method, input, library).input }
        return try await invalidate(invalidation)
    }

    /// Removes entities from the cache. This is not a delete: there is no tombstone, and the next event or response
    /// that has them restores them.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    /// }
    /// print(try await cache.remove(Photo.self, ids: ["1", "2"]), "photos removed")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the entities.
    ///   - ids: The ids of the entities; missing ones are ignored.
    ///   - library: The library; nil for the default library.
    /// - Returns: The number of removed entities.
    /// - Throws: ``CacheError`` `.storageFailed`.
    @discardableResult
    public nonisolated func remove<R: Resource>(
        _ type: R.Type, ids: [R.ID], library: String? = nil
    ) async throws(CacheError) -> Int {
        var removal = Removal(library: named(library))
        removal.resourceType = ByteString(R.resourceType)
        removal.ids = ids.map { ByteString($0.keyText) }
        return try await remove(removal)
    }

    /// Removes the entities, queries and tombstones of one library. Pending edits, the position in the log with its
    /// lost ranges, and the quarantine stay.
    ///
    /// - Parameter library: The library.
    /// - Throws: ``CacheError`` when the cache is closed.
    public nonisolated func clear(_ library: String) async throws(CacheError) {
        try await clear(library: ByteString(library))
    }

    /// Removes the entities, queries and tombstones of every library. Pending edits, the positions in the logs with
    /// their lost ranges, and the quarantine stay.
    ///
    /// ```swift
    /// try await cache.clear()  // for example when the user signs out
    /// ```
    ///
    /// - Throws: ``CacheError`` when the cache is closed.
    public nonisolated func clear() async throws(CacheError) {
        try await clear(library: nil)
    }
}
