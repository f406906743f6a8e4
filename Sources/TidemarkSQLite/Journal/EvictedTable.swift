import TidemarkModel
import TidemarkStore

/// The table `evicted`: a log of the keys that were evicted from both tiers, and of those that returned, by their
/// hashes.
///
/// A row contains a run of records of one library and kind, 8 bytes a key, covered by a checksum. The store bounds the
/// table: it has the log rewritten when half of it is obsolete.
struct EvictedTable {
    private let put: PreparedStatement
    private let remove: PreparedStatement
    private let clear: PreparedStatement

    /// The most keys in one row: 1,024, which are 8 KiB of hashes.
    private static let hashCountMax = 1_024

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(
            connection, "INSERT INTO evicted (number, library, is_back, hashes, checksum) VALUES (?, ?, ?, ?, ?)")
        remove = try PreparedStatement(connection, "DELETE FROM evicted WHERE number = ?")
        clear = try PreparedStatement(connection, "DELETE FROM evicted")
    }

    /// Appends records to the log, or replaces all of it.
    ///
    /// - Parameter lastNumber: The highest stored row number; the call updates it.
    func write(_ changes: EvictedChanges, lastNumber: inout Int64) throws {
        if changes.replacesAll { try clear.run() }
        var start = 0
        while start < changes.records.count {
            let first = changes.records[start]
            var end = start + 1
            while end < changes.records.count, end - start < EvictedTable.hashCountMax,
                changes.records[end].library == first.library, changes.records[end].isBack == first.isBack
            {
                end += 1
            }
            lastNumber += 1
            var hashes: [UInt8] = []
            hashes.reserveCapacity((end - start) * 8)
            for record in changes.records[start..<end] {
                withUnsafeBytes(of: record.hash.littleEndian) { hashes.append(contentsOf: $0) }
            }
            let isBack: Int64 = first.isBack ? 1 : 0
            put.bind(1, lastNumber)
            put.bind(2, Int64(first.library))
            put.bind(3, isBack)
            put.bind(4, blob: hashes)
            put.bind(5, EvictedTable.checksum(lastNumber, Int64(first.library), isBack, hashes))
            try put.run()
            start = end
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
        /// The records of a row that passed its check, in order.
        case records([EvictedRecord])
        /// A row that failed its check.
        case damaged(DamagedRow)
    }

    /// Visits all rows.
    ///
    /// - Parameter visit: Called with each row and its number, in ascending order.
    /// - Throws: ``SQLiteError``. A file that is too old to have the table has no rows.
    static func forEach(_ connection: OpaquePointer, _ visit: (Int64, Row) -> Void) throws {
        guard try DataFileSchema.version(connection) >= 4 else { return }
        let statement = try PreparedStatement(
            connection, "SELECT number, library, is_back, hashes, checksum FROM evicted ORDER BY number")
        try statement.forEachRow { row in
            let number = row.integer(0)
            let hashes = Array(row.borrowedBytes(3))
            guard row.integer(4) == checksum(number, row.integer(1), row.integer(2), hashes),
                let library = LibraryIndex(exactly: row.integer(1)), hashes.count % 8 == 0
            else {
                return visit(number, .damaged(DamagedRow(row: number, kind: .evicted, fault: .checksumMismatch)))
            }
            let isBack = row.integer(2) == 1
            let records = hashes.withUnsafeBytes { hashes in
                stride(from: 0, to: hashes.count, by: 8).map { offset in
                    EvictedRecord(
                        library: library,
                        hash: UInt64(littleEndian: hashes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                        isBack: isBack)
                }
            }
            visit(number, .records(records))
        }
    }

    /// Returns true if a key was evicted from both tiers and has not returned, as far as the table remembers.
    ///
    /// - Complexity: O(keys).
    static func contains(_ connection: OpaquePointer, _ key: StoredKey) throws -> Bool {
        let hash = key.lastingHash
        var isEvicted = false
        try forEach(connection) { _, row in
            guard case .records(let records) = row, let last = records.last(where: { $0.hash == hash }) else { return }
            isEvicted = !last.isBack
        }
        return isEvicted
    }

    static func checksum(_ number: Int64, _ library: Int64, _ isBack: Int64, _ hashes: [UInt8]) -> Int64 {
        var checksum = RecordChecksum()
        checksum.add(number)
        checksum.add(library)
        checksum.add(isBack)
        checksum.add(Int64(hashes.count))
        checksum.add(Int64(bitPattern: hashes.withUnsafeBytes { Checksum.xxh64($0) }))
        return checksum.value
    }
}

extension JournalMemory {
    /// Reads the log of evicted keys.
    mutating func readEvicted(
        _ connection: OpaquePointer, into state: inout RecoveredState, _ damaged: inout [DamagedRow]
    ) throws {
        try EvictedTable.forEach(connection) { number, row in
            lastEvicted = max(lastEvicted, min(number, StoredNumber.max))
            switch row {
            case .records(let records): state.evicted += records
            case .damaged(let row):
                damagedEvicted.append(row.row)
                state.isEvictedWhole = false
                damaged.append(row)
            }
        }
    }

    /// Adds a flush's records to the log, and removes rows that failed their check.
    mutating func writeEvicted(_ changes: EvictedChanges, _ table: EvictedTable) throws {
        for number in damagedEvicted { try table.remove(number: number) }
        damagedEvicted = []
        try table.write(changes, lastNumber: &lastEvicted)
    }
}
