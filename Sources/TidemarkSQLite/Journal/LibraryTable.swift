import TidemarkModel
import TidemarkStore

/// The tables `libraries` and `lost_ranges`. One checksum covers a library's record with its lost ranges.
struct LibraryTable {
    private let put: PreparedStatement
    private let removeLost: PreparedStatement
    private let putLost: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(
            connection,
            """
            INSERT OR REPLACE INTO libraries
            (library, name, epoch, generation, cursor, is_stale, entity_count, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        removeLost = try PreparedStatement(connection, "DELETE FROM lost_ranges WHERE library = ?")
        putLost = try PreparedStatement(connection, "INSERT INTO lost_ranges (library, first, last) VALUES (?, ?, ?)")
    }

    /// Writes the record of a library.
    ///
    /// - Parameter lostBefore: The stored lost ranges; equal ones are not written again.
    func write(_ record: LibraryRecord, lostBefore: [LostRange]) throws {
        put.bind(1, Int64(record.index))
        put.bind(2, text: record.name)
        put.bind(3, text: record.epoch)
        put.bind(4, Int64(record.generation))
        put.bind(5, record.cursor?.rawValue)
        put.bind(6, record.isStale ? 1 : 0)
        put.bind(7, record.entityCount)
        put.bind(8, LibraryTable.checksum(record))
        try put.run()
        guard record.lost != lostBefore else { return }
        removeLost.bind(1, Int64(record.index))
        try removeLost.run()
        for range in record.lost {
            putLost.bind(1, Int64(record.index))
            putLost.bind(2, range.first.rawValue)
            putLost.bind(3, range.last.rawValue)
            try putLost.run()
        }
    }

    /// Reads all records, in index order.
    ///
    /// - Throws: ``SQLiteError`` `SQLITE_CORRUPT` when a record fails its check or an index is missing.
    static func read(_ connection: OpaquePointer) throws -> [LibraryRecord] {
        var lost: [LibraryIndex: [LostRange]] = [:]
        let ranges = try PreparedStatement(
            connection, "SELECT library, first, last FROM lost_ranges ORDER BY library, first")
        try ranges.forEachRow { row in
            let first = EventSequence(row.integer(1))
            let last = EventSequence(row.integer(2))
            guard let library = LibraryIndex(exactly: row.integer(0)), first <= last, first.rawValue >= 0 else {
                throw SQLiteError.damaged("a lost range ends before it begins, or begins below 0")
            }
            lost[library, default: []].append(LostRange(first: first, last: last))
        }
        var records: [LibraryRecord] = []
        let libraries = try PreparedStatement(
            connection,
            """
            SELECT library, name, epoch, generation, cursor, is_stale, entity_count, checksum FROM libraries
            ORDER BY library
            """)
        try libraries.forEachRow { row in
            guard row.integer(0) == Int64(records.count), let index = LibraryIndex(exactly: row.integer(0)),
                let generation = UInt32(exactly: row.integer(3)), generation < .max,
                StoredNumber.isSequence(row.optionalInteger(4))
            else { throw SQLiteError.damaged("library \(records.count) is missing") }
            let record = LibraryRecord(
                index: index, name: row.text(1), epoch: row.optionalText(2), generation: generation,
                cursor: row.optionalInteger(4).map { EventSequence($0) }, isStale: row.integer(5) != 0,
                lost: lost[index] ?? [],
                entityCount: try StoredNumber.count(row.integer(6), "the number of entities of library \(index)"))
            guard checksum(record) == row.integer(7) else {
                throw SQLiteError.damaged("library \(index) fails its check")
            }
            records.append(record)
        }
        return records
    }

    static func checksum(_ record: LibraryRecord) -> Int64 {
        var sum = RecordChecksum()
        sum.add(Int64(record.index))
        sum.add(record.name)
        sum.add(record.epoch)
        sum.add(Int64(record.generation))
        sum.add(record.cursor?.rawValue)
        sum.add(record.isStale ? 1 : 0)
        sum.add(record.entityCount)
        for range in record.lost {
            sum.add(range.first.rawValue)
            sum.add(range.last.rawValue)
        }
        return sum.value
    }
}
