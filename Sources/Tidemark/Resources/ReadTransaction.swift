import TidemarkModel

/// Reads that are true together: what they give is what was stored at one moment.
public struct ReadTransaction: Sendable {
    fileprivate(set) var transaction: CacheTransaction

    /// An entity as it is stored; pending edits are not seen.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: ``CacheError``: `.conflict` when it was changed since it was read before, `.limitExceeded`,
    ///   `.storageFailed`; ``ResourceDecodingError``.
    public mutating func read<R: Resource>(_ type: R.Type, id: R.ID) async throws -> R? {
        try await transaction.read(type, id: id)
    }

    /// An entity as JSON, or the fields of it that are named.
    ///
    /// - Parameters:
    ///   - type: On the wire.
    ///   - fields: Exactly those come back; nil: all.
    /// - Returns: As the other one.
    /// - Throws: As the other one.
    public mutating func read(type: String, id: String, fields: [String]? = nil) async throws -> JSONValue? {
        try await transaction.read(type: type, id: id, fields: fields)
    }
}

extension SyncCache {
    /// Reads several entities as they were at one moment.
    ///
    /// ```swift
    /// let (sea, shore) = try await cache.readTransaction { transaction in
    ///     (try await transaction.read(Photo.self, id: "1"), try await transaction.read(Photo.self, id: "2"))
    /// }
    /// ```
    ///
    /// Nobody waits for `body`. When something that it read was changed before it ended, it is run again; other changes are
    /// no matter.
    ///
    /// - Parameters:
    ///   - library: nil: the default library.
    ///   - retryCount: Runs of `body` beyond the first, each after a conflict: 10, since it has nothing to undo.
    /// - Returns: What `body` returns.
    /// - Throws: ``CacheError``, among others `.conflict` when the last run failed too and `.invalidParams` inside another
    ///   transaction; what `body` throws; `CancellationError` between two runs.
    public nonisolated func readTransaction<Value: Sendable>(
        library: String? = nil, retrying retryCount: Int = 10,
        _ body: (inout ReadTransaction) async throws -> Value
    ) async throws -> Value {
        try await transaction(library: library, retrying: retryCount) { transaction in
            var reading = ReadTransaction(transaction: transaction)
            let value = try await body(&reading)
            transaction = reading.transaction
            return value
        }
    }
}
