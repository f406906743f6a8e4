import TidemarkModel
import TidemarkStore

/// The table `layers`: one row for each layer, with its changes, covered by one checksum.
///
/// It also stores requests as they were sent, and temporary ids that were renamed, as rows with flags of their own. A
/// row can be read without any other table, because it contains the names of its library and types.
package struct LayerTable {
    private let put: PreparedStatement
    private let remove: PreparedStatement
    private let compressor: BlockCompressor

    init(_ connection: OpaquePointer, _ compression: DataCompression) throws {
        let values = Array(repeating: "?", count: 9).joined(separator: ", ")
        put = try PreparedStatement(
            connection, "INSERT OR REPLACE INTO layers (\(LayerTable.columns)) VALUES (\(values))")
        remove = try PreparedStatement(connection, "DELETE FROM layers WHERE number = ?")
        compressor = try BlockCompressor(compression)
    }

    /// Writes a layer, and replaces an existing row with its number.
    func write(_ record: LayerRecord, libraries: [ByteString], types: [ByteString]) throws {
        let body = LayerBodyCodec.encode(record, types: types, compressor)
        try write(
            record, libraries[Int(record.library)], flags: record.isConfirmed ? LayerTable.confirmedFlag : 0, body)
    }

    /// Writes a request as it was sent, beside its layer.
    func write(sent record: LayerRecord, libraries: [ByteString], types: [ByteString]) throws {
        let body = LayerBodyCodec.encode(record, types: types, compressor)
        try write(record, libraries[Int(record.library)], flags: LayerTable.sentFlag, body)
    }

    /// Writes a renaming of a temporary id.
    func write(_ renaming: RenamingRecord, libraries: [ByteString], types: [ByteString]) throws {
        let body = RenamingCodec.encode(renaming, types: types)
        try write(
            LayerTable.record(of: renaming), libraries[Int(renaming.library)], flags: LayerTable.renamingFlag, body)
    }

    /// Returns a renaming in the columns of a layer, with the temporary id in place of the pending id.
    private static func record(of renaming: RenamingRecord) -> LayerRecord {
        LayerRecord(
            number: renaming.number, pendingID: renaming.temporary, library: renaming.library, createdAt: 0,
            changes: [])
    }

    private func write(_ record: LayerRecord, _ library: ByteString, flags: Int64, _ body: [UInt8]) throws {
        put.bind(1, record.number)
        put.bind(2, text: record.pendingID)
        put.bind(3, text: library)
        put.bind(4, flags)
        put.bind(5, record.awaited?.rawValue)
        put.bind(6, Int64(record.awaitedGeneration))
        put.bind(7, record.createdAt)
        try body.withUnsafeBytes { body in
            put.bind(9, LayerTable.checksum(record, library: library, flags: flags, body: body))
            put.bindBorrowed(8, blob: body)
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
        /// A layer that passed its check.
        case record(LayerRecord)
        /// A request as it was sent, with the pending id of its layer.
        case sent(LayerRecord)
        /// A temporary id that was renamed.
        case renaming(RenamingRecord)
        /// A row that failed its check.
        case damaged(DamagedRow)
    }

    /// Visits all rows.
    ///
    /// - Parameters:
    ///   - names: The numbers of libraries and types.
    ///   - visit: Called with each row, in ascending order of numbers; returns false to stop.
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(bytes); one layer is in memory at a time.
    static func forEach(
        _ connection: OpaquePointer, _ names: inout LayerNames, _ visit: (Row) throws -> Bool
    ) throws {
        let statement = try PreparedStatement(connection, "SELECT \(columns) FROM layers ORDER BY number")
        defer { statement.reset() }
        while try statement.step() {
            let row: Row
            do throws(PayloadError) {
                row = try content(statement, &names)
            } catch {
                row = .damaged(DamagedRow(row: statement.integer(0), kind: .layer, fault: error))
            }
            guard try visit(row) else { return }
        }
    }

    /// The columns that ``content(_:_:)`` reads.
    static let columns = """
        number, pending_id, library, flags, awaited, generation, created_at, body, checksum
        """

    private static let confirmedFlag: Int64 = 1
    private static let sentFlag: Int64 = 2
    private static let renamingFlag: Int64 = 4

    /// Checks and decodes a row.
    ///
    /// - Throws: ``PayloadError`` when the row fails its check.
    static func content(_ row: PreparedStatement, _ names: inout LayerNames) throws(PayloadError) -> Row {
        let flags = row.integer(3)
        guard let generation = UInt32(exactly: row.integer(5)), 0...StoredNumber.max ~= row.integer(0),
            StoredNumber.isSequence(row.optionalInteger(4)), StoredNumber.isMoment(row.integer(6))
        else { throw .checksumMismatch }
        var record = LayerRecord(
            number: row.integer(0), pendingID: row.text(1), library: 0, isConfirmed: flags & confirmedFlag != 0,
            awaited: row.optionalInteger(4).map { EventSequence($0) }, awaitedGeneration: generation,
            createdAt: row.integer(6), changes: [])
        let library = row.text(2)
        let body = row.borrowedBytes(7)
        guard checksum(record, library: library, flags: flags, body: body) == row.integer(8) else {
            throw .checksumMismatch
        }
        guard [0, confirmedFlag, sentFlag, renamingFlag].contains(flags) else { throw .unknownFormat }
        guard let index = names.index(ofLibrary: library) else { throw .unnamed }
        record.library = index
        if flags == renamingFlag {
            return .renaming(
                try RenamingCodec.decode(
                    body, number: record.number, library: index, temporary: record.pendingID, &names))
        }
        let content = try LayerBodyCodec.decode(body, library: index, &names)
        record.dependsOn = content.dependsOn
        record.changes = content.changes
        record.sending = content.sending
        return flags == sentFlag ? .sent(record) : .record(record)
    }

    /// Returns the checksum of a row, which detects a single flipped bit.
    ///
    /// - Parameter body: The body as stored. The record's own dependencies and changes are not used.
    package static func checksum(
        _ record: LayerRecord, library: ByteString, flags: Int64, body: UnsafeRawBufferPointer
    ) -> Int64 {
        var sum = RecordChecksum()
        sum.add(record.number)
        sum.add(record.pendingID)
        sum.add(library)
        sum.add(flags)
        sum.add(record.awaited?.rawValue)
        sum.add(Int64(record.awaitedGeneration))
        sum.add(record.createdAt)
        // A body may have megabytes, so its hash is added instead of a copy.
        sum.add(Int64(body.count))
        sum.add(Int64(bitPattern: Checksum.xxh64(body)))
        return sum.value
    }
}
