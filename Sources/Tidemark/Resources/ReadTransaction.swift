import TidemarkModel

/// Reads that are consistent: they return the data that was stored at one moment.
public struct ReadTransaction: Sendable {
    fileprivate(set) var transaction: CacheTransaction

    /// Reads an entity as it is stored; pending edits are not included.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: ``CacheError``: `.conflict` when the entity was changed since an earlier read of it, `.limitExceeded`,
    ///   `.storageFailed`; ``ResourceDecodingError``.
    public mutating func read<R: Resource>(_ type: R.Type, id: R.ID) async throws -> R? {
        try await transaction.read(type, id: id)
    }

    /// Reads an entity, or its named fields, as JSON.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - fields: The names of the fields to return; nil: all fields.
    /// - Returns: The same as ``read(_:id:)``.
    /// - Throws: The same as ``read(_:id:)``, except for decoding errors of the type.
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
    /// No other call waits for `body`. When an entity that it read is changed before it ends, it runs again; other
    /// changes do not matter.
    ///
    /// - Parameters:
    ///   - library: The library; nil: the default library.
    ///   - retryCount: The number of runs of `body` after the first, each after a conflict: 10, because `body` has
    ///     nothing to undo.
    /// - Returns: The value that `body` returns.
    /// - Throws: ``CacheError``, among others `.conflict` when the last run failed too and `.invalidParams` inside
    ///   another transaction; any error of `body`; `CancellationError` between two runs.
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
