import TidemarkModel
import TidemarkStore

/// Changing what is stored, with Swift types.
///
/// These are writes of the server's truth, as events are: for edits that a server has not confirmed there are layers.
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
    /// `body` may read, and sees what it changed. Nobody waits for it, and it waits for nobody: when something that it read was
    /// changed meanwhile, nothing is applied and it is run again, as often as `retryCount` says. One that only reads is
    /// checked as well: what it read was true at one moment.
    ///
    /// - Parameters:
    ///   - library: nil: the default library.
    ///   - retryCount: Runs of `body` beyond the first, each after a conflict: none.
    ///   - body: Says what to change. When it throws, nothing is changed. It begins no other transaction of this cache.
    /// - Returns: What `body` returns.
    /// - Throws: ``CacheError``, among others `.invalidParams` for a patch of what is absent and inside another transaction,
    ///   `.conflict` when what it read was changed by somebody else; what `body` throws; `CancellationError` between
    ///   two runs.
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

    /// Caches of which this task, or the one that started it, is inside a transaction's body.
    @TaskLocal private static var openTransactions: [ObjectIdentifier] = []

    /// Whether a delete may take others along.
    nonisolated var hasCascades: Bool {
        configuration.policy.types.contains { $0.fields.contains(where: \.cascades) }
    }

    /// Replaces one entity.
    ///
    /// - Parameter library: nil: the default library.
    /// - Throws: ``CacheError``.
    public nonisolated func put(_ resource: some Resource, library: String? = nil) async throws(CacheError) {
        var transaction = CacheTransaction()
        try transaction.put(resource)
        try await transact(transaction.operations, library: named(library))
    }

    /// Stores a server's answer to a query; see ``QueryResult`` for what else it can say.
    ///
    /// ```swift
    /// try await cache.put([Photo(id: "1", name: "Sea", size: 3)], method: "photos.list", timeToLive: .seconds(60))
    /// ```
    ///
    /// - Parameters:
    ///   - resources: In the server's order. Fields that are stored already and not named here stay.
    ///   - input: What the method was given.
    ///   - timeToLive: nil: never expires.
    ///   - asOf: The sequence that the answer stands for; nil when unknown.
    ///   - library: nil: the default library.
    /// - Throws: ``CacheError``, among others `.invalidParams` when an id stands twice in the list.
    public nonisolated func put<R: Resource>(
        _ resources: [R], method: String, input: some Encodable = JSONValue.object([]), timeToLive: Duration? = nil,
        asOf: EventSequence? = nil, library: String? = nil
    ) async throws(CacheError) {
        let coder = ResourceCoder()
        var encoded: [[UInt8]] = []
        encoded.reserveCapacity(resources.count)
        for resource in resources { encoded.append(try coder.encode(resource)) }
        var result = QueryResult(resourceType: ByteString(R.resourceType), resources: encoded)
        result.timeToLive = timeToLive?.wholeMilliseconds
        result.asOf = asOf
        try await store(result, for: try queryKey(method, input, library))
    }

    /// Marks the queries of a type stale. Entities stay.
    ///
    /// - Parameter library: nil: the default library.
    /// - Returns: How many went stale by it.
    /// - Throws: ``CacheError``.
    @discardableResult
    public nonisolated func invalidate<R: Resource>(
        _ type: R.Type, library: String? = nil
    ) async throws(CacheError) -> Int {
        var invalidation = Invalidation(library: named(library))
        invalidation.resourceType = ByteString(R.resourceType)
        return try await invalidate(invalidation)
    }

    /// Marks queries stale: one, when an input is given, else all of the method. Entities stay.
    ///
    /// - Parameters:
    ///   - input: What the method was given; nil: whatever it was.
    ///   - library: nil: the default library.
    /// - Returns: How many went stale by it.
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

    /// Forgets entities. Not a delete: an older event may bring them back.
    ///
    /// - Parameter library: nil: the default library.
    /// - Returns: How many there were.
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

    /// Forgets everything in one library but pending layers and its place in the log.
    ///
    /// - Throws: ``CacheError``.
    public nonisolated func clear(_ library: String) async throws(CacheError) {
        try await clear(library: ByteString(library))
    }

    /// Forgets everything in every library but pending layers and places in logs.
    ///
    /// - Throws: ``CacheError``.
    public nonisolated func clear() async throws(CacheError) {
        try await clear(library: nil)
    }
}
