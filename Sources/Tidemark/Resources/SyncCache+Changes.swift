import TidemarkModel
import TidemarkStore

/// Changes of stored data, with Swift types.
///
/// They modify the server's state in the cache, as events do. For edits that a server has not confirmed, use layers.
extension SyncCache {
    /// Makes several changes together: all of them or none, with one update for every observer.
    ///
    /// ```swift
    /// try await cache.transaction { transaction in
    ///     try transaction.put(Photo(id: "1", name: "Sea", size: 3))
    ///     try transaction.patch(Photo.self, id: "2", ["name": "Shore"])
    ///     try transaction.delete(Photo.self, id: "3")
    /// }
    /// ```
    ///
    /// `body` may read, and its reads include its own changes. It blocks no other call, and no other call blocks it:
    /// when an entity that it read is changed meanwhile, nothing is applied and it runs again, up to `retryCount`
    /// times. A `body` that only reads is checked too: its reads were consistent at one moment.
    ///
    /// - Parameters:
    ///   - library: The library; nil: the default library.
    ///   - retryCount: The number of runs of `body` after the first, each after a conflict: none.
    ///   - body: Makes the changes. When it throws, nothing is changed. It must not begin another transaction of this
    ///     cache.
    /// - Returns: The value that `body` returns.
    /// - Throws: ``CacheError``, among others `.invalidParams` for a patch of an absent entity and inside another
    ///   transaction, `.conflict` when an entity that it read was changed by another writer; any error of `body`;
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

    /// The caches for which this task, or the task that started it, is inside a transaction's body.
    @TaskLocal private static var openTransactions: [ObjectIdentifier] = []

    /// Whether a delete may delete other entities by a cascade.
    nonisolated var hasCascades: Bool {
        configuration.policy.types.contains { $0.fields.contains(where: \.cascades) }
    }

    /// Replaces one entity.
    ///
    /// - Parameter library: The library; nil: the default library.
    /// - Throws: ``CacheError``.
    public nonisolated func put(_ resource: some Resource, library: String? = nil) async throws(CacheError) {
        var transaction = CacheTransaction()
        try transaction.put(resource)
        try await transact(transaction.operations, library: named(library))
    }

    /// Stores a server's answer to a query; see ``QueryResult`` for an answer's other parts.
    ///
    /// ```swift
    /// try await cache.put([Photo(id: "1", name: "Sea", size: 3)], method: "photos.list", timeToLive: .seconds(60))
    /// ```
    ///
    /// - Parameters:
    ///   - resources: The resources in the server's order. Stored fields that a resource does not name are kept.
    ///   - input: The input of the method.
    ///   - timeToLive: The time until the list expires; nil: it never expires.
    ///   - asOf: The sequence that the answer includes; nil when unknown.
    ///   - library: The library; nil: the default library.
    /// - Throws: ``CacheError``, among others `.invalidParams` when an id occurs twice in the list.
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

    /// Invalidates the queries of a type. Entities are unchanged.
    ///
    /// - Parameter library: The library; nil: the default library.
    /// - Returns: The number of queries that became stale.
    /// - Throws: ``CacheError``.
    @discardableResult
    public nonisolated func invalidate<R: Resource>(
        _ type: R.Type, library: String? = nil
    ) async throws(CacheError) -> Int {
        var invalidation = Invalidation(library: named(library))
        invalidation.resourceType = ByteString(R.resourceType)
        return try await invalidate(invalidation)
    }

    /// Invalidates queries: one when an input is given, otherwise all of the method. Entities are unchanged.
    ///
    /// - Parameters:
    ///   - input: The input of the method; nil: any input.
    ///   - library: The library; nil: the default library.
    /// - Returns: The number of queries that became stale.
    /// - Throws: ``CacheError``.
    @discardableResult
    public nonisolated func invalidate(
        method: String, input: (any Encodable)? = nil, library: String? = nil
    ) async throws(CacheError) -> Int {
        var invalidation = Invalidation(library: named(library))
        invalidation.method = ByteString(method)
        if let input { invalidation.input = try queryKey(method, input, library).input }
        return try await invalidate(invalidation)
    }

    /// Removes entities. This is not a delete: an older event may bring them back.
    ///
    /// - Parameter library: The library; nil: the default library.
    /// - Returns: The number of removed entities.
    /// - Throws: ``CacheError``.
    @discardableResult
    public nonisolated func remove<R: Resource>(
        _ type: R.Type, ids: [R.ID], library: String? = nil
    ) async throws(CacheError) -> Int {
        var removal = Removal(library: named(library))
        removal.resourceType = ByteString(R.resourceType)
        removal.ids = ids.map { ByteString($0.keyText) }
        return try await remove(removal)
    }

    /// Removes everything in one library except pending layers and its position in the log.
    ///
    /// - Throws: ``CacheError``.
    public nonisolated func clear(_ library: String) async throws(CacheError) {
        try await clear(library: ByteString(library))
    }

    /// Removes everything in every library except pending layers and the positions in the logs.
    ///
    /// - Throws: ``CacheError``.
    public nonisolated func clear() async throws(CacheError) {
        try await clear(library: nil)
    }
}
