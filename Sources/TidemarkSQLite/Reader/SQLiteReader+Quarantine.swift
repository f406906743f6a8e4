import Tidemark
import TidemarkModel

/// Selects records of the quarantine. A property that is nil matches all records.
public struct QuarantineFilter: Hashable, Sendable {
    /// The library of the records; nil for any.
    public var library: ByteString?
    /// The reason of the records; nil for any.
    public var reason: QuarantineReason?
    /// The kind of the records; nil for any.
    public var kind: QuarantineRecord.Kind?
    /// The record number after which to begin; nil to begin with the first record.
    public var after: Int64?

    /// Creates a filter; without arguments it matches all records.
    public init(
        library: ByteString? = nil, reason: QuarantineReason? = nil, kind: QuarantineRecord.Kind? = nil,
        after: Int64? = nil
    ) {
        self.library = library
        self.reason = reason
        self.kind = kind
        self.after = after
    }
}

extension SQLiteReader {
    /// Reads the records in quarantine, oldest first, one at a time.
    ///
    /// - Parameters:
    ///   - filter: Which records to read.
    ///   - limit: The most records to read.
    ///   - visit: Called with each record; returns false to stop.
    /// - Throws: ``/Tidemark/StorageError``; `.damaged` for a record that no version of Tidemark writes.
    public func quarantine(
        _ filter: QuarantineFilter = QuarantineFilter(), limit: Int = .max, _ visit: (QuarantineRecord) throws -> Bool
    ) throws(StorageError) {
        try snapshot { connection in
            let statement = try PreparedStatement(
                connection,
                """
                SELECT \(QuarantineTable.columns) FROM quarantine WHERE number > ?1 AND (?2 IS NULL OR library = ?2)
                AND (?3 IS NULL OR reason = ?3) AND (?4 IS NULL OR kind = ?4) ORDER BY number LIMIT ?5
                """)
            statement.bind(1, filter.after ?? 0)
            statement.bind(2, text: filter.library)
            statement.bind(3, text: filter.reason.map { ByteString($0.code) })
            statement.bind(4, filter.kind.map { Int64($0.rawValue) })
            statement.bind(5, Int64(clamping: limit))
            defer { statement.reset() }
            while try statement.step() {
                guard let record = QuarantineTable.record(statement) else {
                    throw SQLiteError.damaged("quarantined record \(statement.integer(0)) cannot be read")
                }
                guard try visit(record) else { return }
            }
        }
    }

    /// Reads one record of the quarantine by its number.
    ///
    /// - Returns: nil when there is no record with that number, or newer records have displaced it.
    /// - Throws: ``/Tidemark/StorageError``.
    public func quarantineRecord(_ number: Int64) throws(StorageError) -> QuarantineRecord? {
        var record: QuarantineRecord?
        try quarantine(QuarantineFilter(after: number - 1), limit: 1) {
            record = $0.number == number ? $0 : nil
            return false
        }
        return record
    }
}
