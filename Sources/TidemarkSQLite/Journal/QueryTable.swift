import TidemarkModel
import TidemarkStore

/// The table `queries`: one record for each query, with its whole list, covered by one checksum.
struct QueryTable {
    private let put: PreparedStatement
    private let remove: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        let values = Array(repeating: "?", count: 15).joined(separator: ", ")
        put = try PreparedStatement(
            connection, "INSERT OR REPLACE INTO queries (\(QueryTable.columns)) VALUES (\(values))")
        remove = try PreparedStatement(connection, "DELETE FROM queries WHERE number = ?")
    }

    /// Writes a query with its list, and replaces an existing row with its number.
    func write(_ record: QueryRecord) throws {
        let elements = ElementListCodec.encode(record.elements)
        put.bind(1, record.number)
        put.bind(2, Int64(record.library))
        put.bind(3, Int64(record.type))
        put.bind(4, text: record.method)
        put.bind(5, text: record.input)
        put.bind(6, text: record.tags)
        put.bind(7, text: record.membership)
        put.bind(8, record.isLocal ? 1 : 0)
        put.bind(9, record.timeToLive)
        put.bind(10, record.asOf?.rawValue)
        put.bind(11, record.storedAt)
        put.bind(12, record.staleSince)
        put.bind(13, blob: record.horizon)
        put.bind(15, elements.withUnsafeBytes { QueryTable.checksum(record, elements: $0) })
        try elements.withUnsafeBytes { elements in
            put.bindBorrowed(14, blob: elements)
            try put.run()
        }
    }

    /// Removes a row. Does nothing if it does not exist.
    func remove(number: Int64) throws {
        remove.bind(1, number)
        try remove.run()
    }

    // MARK: Reading

    /// A row of the table, or one that failed its check.
    enum Row {
        /// A query that passed its check.
        case record(QueryRecord)
        /// A row that failed its check.
        case damaged(DamagedRow)
    }

    /// Visits all rows.
    ///
    /// - Parameters:
    ///   - libraryCount: The number of libraries that have a name.
    ///   - typeCount: The number of types that have a name.
    ///   - visit: Called with each row, in ascending order of numbers; returns false to stop.
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(bytes of the lists); one list is in memory at a time.
    static func forEach(
        _ connection: OpaquePointer, libraryCount: Int, typeCount: Int,
        _ visit: (Row) throws -> Bool
    ) throws {
        let statement = try PreparedStatement(connection, "SELECT \(columns) FROM queries ORDER BY number")
        defer { statement.reset() }
        while try statement.step() {
            let row: Row
            do throws(PayloadError) {
                row = .record(try record(statement, libraryCount: libraryCount, typeCount: typeCount))
            } catch {
                row = .damaged(DamagedRow(row: statement.integer(0), kind: .query, fault: error))
            }
            guard try visit(row) else { return }
        }
    }

    /// The columns that ``record(_:libraryCount:typeCount:)`` reads.
    static let columns = """
        number, library, type, method, input, tags, membership, is_local, time_to_live, as_of, stored_at, stale_since, \
        horizon, elements, checksum
        """

    /// Checks and decodes a row.
    ///
    /// - Throws: ``PayloadError`` when the row fails its check.
    static func record(
        _ row: PreparedStatement, libraryCount: Int, typeCount: Int
    ) throws(PayloadError) -> QueryRecord {
        guard let library = LibraryIndex(exactly: row.integer(1)), let type = TypeIndex(exactly: row.integer(2)),
            let isLocal = [0: false, 1: true][row.integer(7)], 0...StoredNumber.max ~= row.integer(0),
            row.optionalInteger(8) ?? 0 >= 0, StoredNumber.isSequence(row.optionalInteger(9)),
            StoredNumber.isMoment(row.integer(10)), StoredNumber.isMoment(row.optionalInteger(11) ?? 0)
        else { throw .checksumMismatch }
        var record = QueryRecord(
            number: row.integer(0), library: library, type: type, method: row.text(3), input: row.text(4),
            tags: row.text(5), membership: row.text(6), isLocal: isLocal, timeToLive: row.optionalInteger(8),
            asOf: row.optionalInteger(9).map { EventSequence($0) }, storedAt: row.integer(10),
            staleSince: row.optionalInteger(11), horizon: row.optionalText(12)?.bytes, elements: [])
        let elements = row.borrowedBytes(13)
        guard checksum(record, elements: elements) == row.integer(14) else { throw .checksumMismatch }
        guard Int(library) < libraryCount, Int(type) < typeCount else { throw .unnamed }
        // A program may have set a lifetime beyond any clock. The clamped value never expires in practice either, and
        // can be added to a time without overflow.
        record.timeToLive = record.timeToLive.map { min($0, StoredNumber.max) }
        record.elements = try ElementListCodec.decode(elements)
        return record
    }

    /// Returns the checksum of a row.
    ///
    /// - Parameter elements: The list as stored. The record's own list is not used.
    private static func checksum(_ record: QueryRecord, elements: UnsafeRawBufferPointer) -> Int64 {
        var sum = RecordChecksum()
        sum.add(record.number)
        sum.add(Int64(record.library))
        sum.add(Int64(record.type))
        sum.add(record.method)
        sum.add(record.input)
        sum.add(record.tags)
        sum.add(record.membership)
        sum.add(record.isLocal ? 1 : 0)
        sum.add(record.timeToLive)
        sum.add(record.asOf?.rawValue)
        sum.add(record.storedAt)
        sum.add(record.staleSince)
        sum.add(record.horizon.map { ByteString($0) })
        // A list may have megabytes, so its hash is added instead of a copy.
        sum.add(Int64(elements.count))
        sum.add(Int64(bitPattern: Checksum.xxh64(elements)))
        return sum.value
    }
}
