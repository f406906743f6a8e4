import TidemarkModel
import TidemarkStore

/// The table `tombstones`, numbered in the order of the deletes.
///
/// The store bounds the table: it removes the oldest rows (law L8).
struct TombstoneTable {
    private let put: PreparedStatement
    private let remove: PreparedStatement
    private let clear: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(
            connection,
            """
            INSERT OR REPLACE INTO tombstones
            (library, type, id, number, sequence, generation, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        remove = try PreparedStatement(connection, "DELETE FROM tombstones WHERE library = ? AND type = ? AND id = ?")
        clear = try PreparedStatement(connection, "DELETE FROM tombstones WHERE library = ?")
    }

    /// Writes a tombstone, and replaces an existing one of the key.
    ///
    /// - Parameter number: A number above every stored one.
    func write(_ key: StoredKey, _ tombstone: Tombstone, number: Int64) throws {
        put.bind(key, from: 1)
        put.bind(4, number)
        put.bind(5, tombstone.sequence?.rawValue)
        put.bind(6, Int64(tombstone.generation))
        put.bind(7, tombstone.deletedAt)
        try put.run()
    }

    func remove(_ key: StoredKey) throws {
        remove.bind(key, from: 1)
        try remove.run()
    }

    /// Removes all tombstones of a library.
    func clear(_ library: LibraryIndex) throws {
        clear.bind(1, Int64(library))
        try clear.run()
    }

    /// Reads all tombstones.
    ///
    /// - Parameters:
    ///   - libraryCount: The number of libraries. Tombstones of higher numbers are left out, because no key can have
    ///     them.
    ///   - typeCount: The number of types, in the same way.
    /// - Returns: The tombstones, oldest first, and the highest number; 0 when there are none.
    /// - Complexity: O(n log n); n is at most `tombstoneCountMax`.
    static func read(_ connection: OpaquePointer, libraryCount: Int, typeCount: Int) throws -> (
        tombstones: [(key: StoredKey, tombstone: Tombstone)], lastNumber: Int64
    ) {
        var tombstones: [(key: StoredKey, tombstone: Tombstone)] = []
        var lastNumber: Int64 = 0
        let statement = try PreparedStatement(
            connection,
            "SELECT library, type, id, number, sequence, generation, deleted_at FROM tombstones ORDER BY number")
        try statement.forEachRow { row in
            guard let key = row.storedKey(from: 0), let generation = UInt32(exactly: row.integer(5)) else {
                throw SQLiteError.damaged("a tombstone's key cannot be read")
            }
            lastNumber = try StoredNumber.count(row.integer(3), "a tombstone's number")
            guard StoredNumber.isSequence(row.optionalInteger(4)), StoredNumber.isMoment(row.integer(6)) else {
                throw SQLiteError.damaged("a tombstone's stamps are none")
            }
            guard Int(key.library) < libraryCount, Int(key.type) < typeCount else { return }
            let tombstone = Tombstone(
                sequence: row.optionalInteger(4).map { EventSequence($0) }, generation: generation,
                deletedAt: row.integer(6))
            tombstones.append((key, tombstone))
        }
        return (tombstones, lastNumber)
    }
}
