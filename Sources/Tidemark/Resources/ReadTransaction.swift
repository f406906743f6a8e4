import TidemarkJSON
import TidemarkModel

/// Consistent reads: they return the data that was stored at one moment.
public struct ReadTransaction: Sendable {
    fileprivate(set) var transaction: CacheTransaction

    /// Reads an entity as it is stored, without pending edits.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: ``CacheError``: `.conflict` when another writer changed the entity since this transaction first read
    ///   it, `.limitExceeded`, `.storageFailed`; ``ResourceDecodingError``.
    public mutating func read<R: Resource>(_ type: R.Type, id: R.ID) async throws -> R? {
        try await transaction.read(type, id: id)
    }

    /// Reads an entity, or the named fields of it, as JSON, without pending edits.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - id: The id of the entity.
    ///   - fields: The names of the wanted fields; nil for all.
    /// - Returns: nil when there is none.
    /// - Throws: The same as ``read(_:id:)``, except for ``ResourceDecodingError``.
    public mutating func read(type: String, id: String, fields: [String]? = nil) async throws -> JSONValue? {
        try await transaction.read(type: type, id: id, fields: fields)
    }
}

extension SyncCache {
    /// Reads several entities as they were at one moment.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// let (sea, shore) = try await cache.readTransaction { transaction in
    ///     (try await transaction.read(Photo.self, id: "1"), try await transaction.read(Photo.self, id: "2"))
    /// }
    /// print(sea?.name ?? "", shore?.name ?? "")
    /// ```
    ///
    /// No other call waits for `body`. If an entity that it has read changes before it ends, it runs again; other
    /// changes do not matter.
    ///
    /// - Parameters:
    ///   - library: The library; nil for the default library.
    ///   - retryCount: How often `body` may run again after a conflict. Default: 10, because `body` has nothing to
    ///     undo.
    ///   - body: Reads entities, and returns a value made from them.
    /// - Returns: The value that `body` returns.
    /// - Throws: ``CacheError``, for example `.conflict` when the last run failed too, and `.invalidParams` inside
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
