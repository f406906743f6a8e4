import GRDBSQLite

/// The tables `blocks` and `segments`, on the writer's connection.
final class BlockTable {
    private let connection: OpaquePointer
    private let put: PreparedStatement
    private let remove: PreparedStatement
    private let read: PreparedStatement
    private let putSegment: PreparedStatement

    /// The tables of the format in docs/blocks.md.
    static let schema = [
        (name: "blocks", sql: "CREATE TABLE blocks (number INTEGER PRIMARY KEY, body BLOB)"),
        (name: "segments", sql: "CREATE TABLE segments (segment INTEGER PRIMARY KEY, through INTEGER, body BLOB)"),
        (name: "key_runs", sql: "CREATE TABLE key_runs (place INTEGER PRIMARY KEY, body BLOB)"),
        (name: "changes", sql: ChangeTable.schema),
    ]

    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer) throws {
        self.connection = connection
        put = try PreparedStatement(connection, "INSERT INTO blocks (number, body) VALUES (?, ?)")
        remove = try PreparedStatement(connection, "DELETE FROM blocks WHERE number = ?")
        read = try PreparedStatement(connection, "SELECT body FROM blocks WHERE number = ?")
        putSegment = try PreparedStatement(
            connection, "REPLACE INTO segments (segment, through, body) VALUES (?, ?, ?)")
    }

    func put(_ block: BuiltBlock) throws {
        try block.bytes.withUnsafeBytes { bytes in
            put.bind(1, block.number)
            put.bindBorrowed(2, blob: bytes)
            try put.run()
        }
    }

    func remove(number: Int64) throws {
        remove.bind(1, number)
        try remove.run()
    }

    /// Returns a copy of a block's bytes; nil when there is no such row.
    func body(number: Int64) throws -> [UInt8]? { try BlockTable.body(read, number: number) }

    static func body(_ statement: PreparedStatement, number: Int64) throws -> [UInt8]? {
        statement.bind(1, number)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return Array(statement.borrowedBytes(0))
    }

    /// Writes a segment, and replaces the stored one.
    ///
    /// - Parameter through: The last block that the segment includes.
    func putSegment(_ segment: Int, through: Int64, _ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            putSegment.bind(1, Int64(segment))
            putSegment.bind(2, through)
            putSegment.bindBorrowed(3, blob: bytes)
            try putSegment.run()
        }
    }

    /// Calls a function with each stored segment, in order.
    func forEachSegment(_ body: (_ segment: Int64, _ through: Int64, [UInt8]) throws -> Void) throws {
        let statement = try PreparedStatement(
            connection, "SELECT segment, through, body FROM segments ORDER BY segment")
        try statement.forEachRow { try body($0.integer(0), $0.integer(1), Array($0.borrowedBytes(2))) }
    }

    /// Calls a closure with the number and the size of each block, in ascending order. SQLite reads no overflow pages
    /// for this.
    ///
    /// - Parameter number: The number after which to begin; nil for all blocks.
    func forEachBlock(after number: Int64? = nil, _ body: (_ number: Int64, _ byteCount: Int) throws -> Void) throws {
        let statement = try PreparedStatement(
            connection, "SELECT number, length(body) FROM blocks WHERE number > ? ORDER BY number")
        statement.bind(1, number ?? .min)
        try statement.forEachRow { try body($0.integer(0), Int($0.integer(1))) }
    }
}
